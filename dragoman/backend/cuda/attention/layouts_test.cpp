#include "dragoman/backend/cuda/attention/layouts.h"

#include <gtest/gtest.h>

#include <vector>

#include "dragoman/base/strings.h"

namespace dragoman::cuda {
namespace {

std::vector<Mask> masks() {
  std::vector<Mask> all;
  for (const std::int64_t r : {0, 1, 2, 5, 16, 17, 32, 33, 47, 64, 127, 128, 129, 130, 257}) {
    for (const Mask::Kind kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
      all.push_back({.kind = kind, .r = r});
      if (r > 0) all.push_back({.kind = kind, .r = r, .window = Mask::Window::kBlock});
    }
  }
  return all;
}
std::string text(const Mask& mask) {
  return join("r ", mask.r, mask.kind == Mask::Kind::kCausal ? ", causal" : ", centred",
              mask.window == Mask::Window::kBlock ? ", blocks" : "");
}

TEST(Sight, SeesWhatTheMaskAllows) {
  constexpr int kQueries = 70, kKeys = 66;
  for (const Mask& mask : masks()) {
    SCOPED_TRACE(text(mask));
    const Sight sight = sight_of(mask);
    for (int i = 0; i < kQueries; ++i) {
      for (int j = 0; j < kKeys; ++j) {
        const bool seen = j >= mask.first_key(i) && j < mask.end_key(i, kKeys);
        ASSERT_EQ(sight.sees(i, j), seen) << i << " " << j;
        ASSERT_EQ(j >= sight.first_key(i) && j < sight.end_key(i, kKeys), seen) << i << " " << j;
        ASSERT_EQ(i >= sight.first_query(j) && i < sight.end_query(j, kQueries), seen) << i << " " << j;
      }
    }
  }
}

// The rows on the other side from the first to the last that a tile sees, counted from a multiple of `step`, at most.
template <class Sees>
int most_seen(int own, int others, int rows, int step, const Sees& sees) {
  int most = 0;
  for (int first = 0; first < own; first += rows) {
    int begin = others, end = 0;
    for (int i = first; i < std::min(own, first + rows); ++i) {
      for (int j = 0; j < others; ++j) {
        if (!sees(i, j)) continue;
        begin = std::min(begin, j);
        end = j + 1;
      }
    }
    if (begin < end) most = std::max(most, end - begin / step * step);
  }
  return most;
}

TEST(Sight, CountsWhatATileSees) {
  for (const Mask& mask : masks()) {
    const Sight sight = sight_of(mask);
    for (const auto& [n_q, n_k] : {std::pair{0, 5}, {5, 0}, {1, 1}, {97, 97}, {100, 61}, {61, 100}}) {
      for (const int rows : {16, 48}) {
        SCOPED_TRACE(join(text(mask), ", ", n_q, " queries, ", n_k, " keys, tiles of ", rows));
        const auto sees = [&](int i, int j) { return sight.sees(i, j); };
        const auto is_seen = [&](int j, int i) { return sight.sees(i, j); };
        for (const int step : {1, kStep}) {
          ASSERT_EQ(sight.most_keys(n_q, n_k, rows, step), most_seen(n_q, n_k, rows, step, sees)) << step;
        }
        ASSERT_EQ(sight.most_queries(n_k, n_q, rows), most_seen(n_k, n_q, rows, 1, is_seen));
      }
    }
  }
}

// As the kernel does: a team loads the keys from the last multiple of kStep before the first one that its queries see,
// to the last one, and rounds their number up.
TEST(BandLayout, HasTheKeysOfEveryTeamAndNoMore) {
  for (const Mask& mask : masks()) {
    const Sight sight = sight_of(mask);
    for (const auto& [n_q, n_k] : {std::pair{70, 70}, {129, 129}, {257, 257}, {300, 140}, {140, 300}, {1000, 1000}}) {
      for (const int D : {16, 64, 128}) {
        SCOPED_TRACE(join(text(mask), ", ", n_q, " queries, ", n_k, " keys, width ", D));
        const std::optional<BandLayout> band = band_layout(sight, n_q, n_k, D);
        if (!band) continue;
        const auto& [queries, key_rows] = *band;
        ASSERT_GE(queries.tiles * queries.query_rows, n_q);
        ASSERT_LE((queries.query_rows + 2 * key_rows) * D * 2, kWholeBytes);
        int most = 0;
        for (int first = 0; first < n_q; first += queries.query_rows) {
          const int last = std::min(first + queries.query_rows, n_q) - 1;
          const int from = static_cast<int>(mask.first_key(first)) / kStep * kStep;
          most = std::max(most, in_steps(static_cast<int>(mask.end_key(last, n_k)) - from));
        }
        EXPECT_EQ(key_rows, most);
      }
    }
  }
}

// Blocks of 256 positions, teams of 128 queries: no team sees more than its block.
TEST(BandLayout, OfBlocksThatTeamsDivideHasOneBlock) {
  const Sight sight = sight_of({.r = 256, .window = Mask::Window::kBlock});
  const std::optional<BandLayout> band = band_layout(sight, 1024, 1024, 64);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->queries.query_rows, 128);
  EXPECT_EQ(band->key_rows, 256);
}

TEST(BandLayout, IsMissingIfTheWindowDoesNotFit) {
  EXPECT_FALSE(band_layout(sight_of({.r = 2000}), 5000, 5000, 64));
  EXPECT_FALSE(band_layout(sight_of({}), 1 << 27, 1 << 27, 16));
  EXPECT_TRUE(band_layout(sight_of({.r = 60}), 100'000, 100'000, 128));
}

// The bytes of such sentences do not fit into 32 bits; some are small modulo 2^32. An overflow would not compile.
TEST(WholeLayout, DoesNotFitLongSentences) {
  static_assert(WholeLayout::fits(64, 100, 128));
  static_assert(!WholeLayout::fits(64, 129, 100) && !WholeLayout::fits(64, 100, 129));
  for (const int n : {46'340, 46'341, 65'536, 92'682, kFar - 1}) {
    EXPECT_FALSE(WholeLayout::fits(64, n, n)) << n;
    EXPECT_FALSE(WholeLayout::fits(16, 1, n)) << n;
  }
  static_assert(!WholeLayout::fits(128, kFar - 1, kFar - 1));
}

TEST(WideLayout, DoesNotFitLongSentences) {
  static_assert(WideLayout{.others = 384, .scores = true}.fits());
  static_assert(!WideLayout{.others = 448, .scores = true}.fits());
  for (const int others : {1 << 25, 1 << 26, kFar}) {
    EXPECT_FALSE((WideLayout{.others = others, .products = 2, .weights = 2, .scores = true}.fits())) << others;
  }
  static_assert(!WideLayout{.others = kFar, .scores = true}.fits());
}

}  // namespace
}  // namespace dragoman::cuda
