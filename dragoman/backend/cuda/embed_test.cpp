#include "dragoman/backend/embed.h"

#include <gtest/gtest.h>

#include <map>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaEmbed = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaEmbed, kElements, element_name);

constexpr std::int64_t kTokens = 300, kPositions = 70;
constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};

struct Batch {
  Segments segments;
  Array ids;
  TokenRows index;
};

// The token of a row: a few are frequent, most are rare, and some are 0.
int skewed(std::int64_t r) {
  const auto n = static_cast<int>(r * 7919 % 1009);
  return n % 3 == 0 ? 5 : n % 7 == 0 ? 1 : n % 11 == 0 ? 0 : n % 13 == 0 ? 299 : n % 280;
}

Batch make_batch(const Backend& on, const std::vector<int>& lengths, const std::function<int(std::int64_t)>& token) {
  Batch batch{make_segments(on, lengths, 3), {}, {}};
  std::map<int, Doubles> rows_of;
  Doubles ids, tokens, starts{0}, rows;
  for (std::int64_t r = 0; r < batch.segments.R; ++r) {
    ids.push_back(token(r));
    rows_of[token(r)].push_back(static_cast<double>(r));
  }
  for (const auto& [id, its_rows] : rows_of) {
    tokens.push_back(id);
    rows.insert(rows.end(), its_rows.begin(), its_rows.end());
    starts.push_back(static_cast<double>(rows.size()));
  }
  const auto integers = [&](const Doubles& values) {
    return make_array(on, {static_cast<std::int64_t>(values.size())}, DType::kInt32, values);
  };
  batch.ids = integers(ids);
  batch.index = {integers(tokens), integers(starts), integers(rows)};
  return batch;
}

// If `first` is 0, the array is contiguous. Otherwise it is a view of a wider one that begins with column `first`: with
// 8, all rows start at multiples of 16 bytes; with 3, they do not.
Array random_rows(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed, std::int64_t first) {
  const std::int64_t d = shape.cols();
  const Shape wide{shape.rows(), first == 0 ? d : d + first + 8 - d % 8};
  return make_array(on, wide, dtype, random_values(wide.count(), seed)).columns(first, d);
}

TEST_P(CudaEmbed, LookupAgreesWithTheCpu) {
  for (const std::int64_t d : {1, 8, 17, 512, 513}) {
    for (const std::int64_t first : {0, 8, 3}) {
      for (const double P_drop : {0.0, 0.3}) {
        SCOPED_TRACE(join("d ", d, ", first ", first, ", P_drop ", P_drop));
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Dropout dropout = Dropout::with(P_drop, 1, 2, 3);
          const Batch batch = make_batch(on, {1, 40, 0, 1, 3, 70}, skewed);
          const auto made = [&](std::int64_t rows, DType type, std::uint64_t seed) {
            return random_rows(on, {rows, d}, type, seed, first);
          };
          const Array E = made(kTokens, dtype, 1), P = made(kPositions, accumulation_dtype(dtype), 2),
                      P_in_elements = made(kPositions, dtype, 3), exact_E = made(kTokens, accumulation_dtype(dtype), 4);
          std::vector<Array> all;
          for (const auto& [table, positions] : {std::pair(E, P), {E, P_in_elements}, {E, {}}, {exact_E, P}}) {
            Array y = made(batch.segments.R, dtype, 5);
            on.embed(batch.ids, batch.segments, table, positions, 2.5, dropout, y);
            all.push_back(y);
          }
          return all;
        });
      }
    }
  }
}

TEST_P(CudaEmbed, GradientsAgreeWithTheCpu) {
  for (const std::int64_t d : {1, 8, 17, 256, 264, 512, 513}) {
    for (const std::int64_t first : {0, 8, 3}) {
      for (const double P_drop : {0.0, 0.3}) {
        for (const auto write : kWrites) {
          SCOPED_TRACE(join("d ", d, ", first ", first, ", P_drop ", P_drop));
          expect_as_on_cpu([&](const Backend& on, DType dtype) {
            const Batch batch = make_batch(on, {1, 40, 0, 1, 3, 70, 18}, skewed);
            const Array dy = random_rows(on, {batch.segments.R, d}, dtype, 1, first);
            std::vector<Array> all;
            for (const DType type : {accumulation_dtype(dtype), dtype}) {
              const Array dE = random_rows(on, {kTokens, d}, type, 2, first),
                          dP = random_rows(on, {kPositions, d}, type, 3, first);
              on.embed_backward(dy, batch.index, batch.segments, 2.5, Dropout::with(P_drop, 1, 2, 3), {dE, write},
                                {dP, write});
              all.insert(all.end(), {dE, dP});
            }
            return all;
          });
        }
      }
    }
  }
}

// The rows of a token begin and end before, at and after the borders between the pieces that the warps sum.
TEST_P(CudaEmbed, TokensWithAnyNumberOfRowsAreSummed) {
  for (const int rows_each : {1, 2, 5, 15, 16, 17, 31, 32, 33, 100, 2000}) {
    expect_as_on_cpu([&](const Backend& on, DType dtype) {
      const Batch batch =
          make_batch(on, {1000, 500, 501}, [&](std::int64_t r) { return static_cast<int>(r / rows_each) + 1; });
      const Array dy = random_rows(on, {batch.segments.R, 24}, dtype, 1, 0),
                  dE = random_rows(on, {2002, 24}, accumulation_dtype(dtype), 2, 0);
      on.embed_backward(dy, batch.index, batch.segments, 0.5, {}, Sink::accumulate(dE), {});
      return std::vector<Array>{dE};
    });
  }
}

TEST_P(CudaEmbed, AFrequentTokenIsSummedInALargeBatch) {
  expect_as_on_cpu([&](const Backend& on, DType dtype) {
    const Batch batch = make_batch(on, std::vector<int>(400, 30), skewed);
    const Array dy = random_rows(on, {batch.segments.R, 512}, dtype, 1, 0),
                dE = random_rows(on, {kTokens, 512}, accumulation_dtype(dtype), 2, 0),
                dP = random_rows(on, {kPositions, 512}, accumulation_dtype(dtype), 3, 0);
    on.embed_backward(dy, batch.index, batch.segments, 0.5, Dropout::with(0.1, 1, 2, 3), Sink::accumulate(dE),
                      Sink::overwrite(dP));
    return std::vector<Array>{dE, dP};
  });
}

TEST_P(CudaEmbed, AnEmptyBatchGivesNoGradient) {
  for (const auto write : kWrites) {
    expect_as_on_cpu([&](const Backend& on, DType dtype) {
      const Batch batch = make_batch(on, {}, skewed);
      const Array dy = random_rows(on, {0, 16}, dtype, 1, 0), dE = random_rows(on, {kTokens, 16}, dtype, 2, 0),
                  dP = random_rows(on, {kPositions, 16}, dtype, 3, 0);
      Array y = on.empty({0, 16}, dtype);
      on.embed(batch.ids, batch.segments, dE, dP, 1, {}, y);
      on.embed_backward(dy, batch.index, batch.segments, 1, {}, {dE, write}, {dP, write});
      return std::vector<Array>{dE, dP};
    });
  }
}

TEST_P(CudaEmbed, GradientsHaveTheSameBitsEveryTimeAndScratchMemoryIsGivenBack) {
  const auto run = [&] {
    const Batch batch = make_batch(*gpu, std::vector<int>(100, 30), skewed);
    const Array dy = random_rows(*gpu, {batch.segments.R, 264}, dtype(), 1, 0),
                dE = random_rows(*gpu, {kTokens, 264}, DType::kFloat32, 2, 0),
                dP = random_rows(*gpu, {kPositions, 264}, DType::kFloat32, 3, 0);
    const std::size_t used = gpu->arena().used();
    gpu->embed_backward(dy, batch.index, batch.segments, 0.5, Dropout::with(0.1, 1, 2, 3), Sink::accumulate(dE),
                        Sink::accumulate(dP));
    EXPECT_EQ(gpu->arena().used(), used);
    Doubles all = values_of(*gpu, dE), more = values_of(*gpu, dP);
    all.insert(all.end(), more.begin(), more.end());
    gpu->arena().pop_to(0);
    return all;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace dragoman::cuda
