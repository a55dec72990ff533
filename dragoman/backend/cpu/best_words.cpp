#include "dragoman/backend/cpu/best_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/products/gemm.h"
#include "dragoman/backend/cpu/products/packed_panels.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

template <class T>
constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();

// Panels in a block of the vocabulary. Exponentials are summed block by block, so another number would round the sums
// differently.
constexpr std::int64_t kBlockPanels = 16;
// Rows that are scored together.
constexpr std::int64_t kScoredRows = 128;

// Whether no lane of a mask is set.
template <class Mask>
bool none(Mask mask) {
  std::uint64_t words[sizeof(Mask) / sizeof(std::uint64_t)], any = 0;
  std::memcpy(words, &mask, sizeof mask);
  for (const std::uint64_t word : words) any |= word;
  return any == 0;
}

// The k best words of a row so far, best first. Unused entries hold kNoWord and -infinity.
template <class T>
struct Ranking {
  T* logits;
  std::int32_t* ids;
  std::int64_t k;

  void clear() const {
    std::fill_n(logits, k, kMinusInfinity<T>);
    std::fill_n(ids, k, kNoWord);
  }
  bool wants(T logit) const { return logit > logits[k - 1]; }
  // Inserts a word after those with an equal logit. Words arrive in ascending order of id, so ties go to the lower id.
  void insert(T logit, std::int32_t id) const {
    std::int64_t at = k - 1;
    for (; at > 0 && logit > logits[at - 1]; --at) {
      logits[at] = logits[at - 1];
      ids[at] = ids[at - 1];
    }
    logits[at] = logit;
    ids[at] = id;
  }
};

// Adds the bias, if any, to x in place and returns the largest element. NaN is ignored.
template <class T>
T largest_with_bias(T* x, const T* bias, std::int64_t n) {
  if (bias != nullptr) map_vectors(n, x, std::plus<>(), x, bias);
  Vec<T> a = broadcast<T>(kMinusInfinity<T>), b = a, c = a, d = a;  // four of them hide the latency of a comparison
  std::int64_t i = 0;
  for (; i + 4 * kLanes<T> <= n; i += 4 * kLanes<T>) {
    a = max<T>(load(x + i), a);
    b = max<T>(load(x + i + kLanes<T>), b);
    c = max<T>(load(x + i + 2 * kLanes<T>), c);
    d = max<T>(load(x + i + 3 * kLanes<T>), d);
  }
  T largest = max_lanes<T>(max<T>(max<T>(a, b), max<T>(c, d)));
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

// Inserts those of n words, with logits x and ids from `first` on, that are among the best. Skips ids below kFirstWord.
template <class T>
void rank(const T* x, std::int64_t n, std::int64_t first, const Ranking<T>& ranking) {
  for (std::int64_t v = 0; v < n; v += kLanes<T>) {
    const std::int64_t end = std::min(n, v + kLanes<T>);
    // Most vectors hold no word that belongs into the ranking.
    if (end - v == kLanes<T> && none(load(x + v) > ranking.logits[ranking.k - 1])) continue;
    for (std::int64_t i = std::max(v, kFirstWord - first); i < end; ++i) {
      if (ranking.wants(x[i])) ranking.insert(x[i], static_cast<std::int32_t>(first + i));
    }
  }
}

// The sum of exp(x - largest), where `largest` is the largest x; 0 if all x are -infinity; NaN if any x is NaN.
template <class T>
T sum_of_exponentials(const T* x, std::int64_t n, T largest) {
  if (largest == kMinusInfinity<T>) {
    const T* bad = std::find_if(x, x + n, [](T value) { return std::isnan(value); });
    return bad == x + n ? T{0} : *bad;
  }
  const auto term = [largest](Vec<T> v) { return exp_up_to_zero(v - largest); };
  return sum_vectors<T>(n, term, x);
}

// The logarithm of the sum of exponentials over the vocabulary, from the maximum and sum of each block, in order.
template <class T>
T log_sum(const T* maxima, const T* sums, std::int64_t blocks) {
  const T largest = *std::max_element(maxima, maxima + blocks), offset = largest == kMinusInfinity<T> ? T{0} : largest;
  const auto scaled = [offset](Vec<T> block_largest, Vec<T> sum) {
    return sum * exp_up_to_zero(block_largest - offset);
  };
  return offset + std::log(sum_vectors<T>(blocks, scaled, maxima, sums));
}

void expect_types(const Array& Y, const Array& b, const BestWords& best) {
  expect_elements<std::int32_t>({&best.ids, &best.asked});
  dispatch(Y.dtype(), [&]<class T>() {
    expect_elements<T>({&Y, &b, &best.logits, &best.log_sums, &best.all, &best.asked_logits});
  });
}

// Calls work(rows of Y, the outputs of these rows) for kScoredRows rows at a time.
template <class Work>
void by_rows(const Array& Y, const BestWords& best, const Work& work) {
  const auto part = [](const Array& list, std::int64_t top, std::int64_t rows) {
    return list ? list.reshaped({list.count(), 1}).row_range(top, rows) : Array();
  };
  for (std::int64_t top = 0; top < Y.rows(); top += kScoredRows) {
    const std::int64_t rows = std::min(kScoredRows, Y.rows() - top);
    work(Y.row_range(top, rows),
         BestWords{best.ids.row_range(top, rows), best.logits.row_range(top, rows), part(best.log_sums, top, rows),
                   best.all ? best.all.row_range(top, rows) : Array(), part(best.asked, top, rows),
                   part(best.asked_logits, top, rows)});
  }
}

// The largest number of pieces of work that the blocks of the vocabulary are divided into.
std::int64_t word_pieces(const Context& on, std::int64_t blocks) {
  return on.threads() == 1 ? 1 : std::min<std::int64_t>(blocks, 2 * on.threads());
}

// Takes the logit of the word that is asked for row r, if it is in the block of n words from `first` on, whose logits
// are x. The first block takes care of rows that ask for no word of the V.
template <class T>
void take_asked(const T* x, std::int64_t first, std::int64_t n, std::int64_t V, const BestWords& best, std::int64_t r) {
  const std::int64_t word = best.asked.data<std::int32_t>()[r];
  T& logit = best.asked_logits.data<T>()[r];
  if (word >= first && word < first + n) logit = x[word - first];
  if (first == 0 && (word < 0 || word >= V)) logit = kMinusInfinity<T>;
}

// Computes `best` from logits that the caller provides block by block: score(piece, first, logits) writes the logits of
// all rows for the words from `first` on. `bias` is added to them; it is null if there is none or if `score` adds it.
// The vocabulary of V words is split into blocks of `width` words (the last may be shorter), and the blocks into pieces
// of `blocks_each` consecutive blocks.
// Pass 1, in parallel over pieces: for each row, the maximum and the sum of exponentials of every block, and the k best
// words of the piece. A piece owns its part of `scratch`, its rankings, and the maxima and sums of its blocks.
// Pass 2, in parallel over blocks of rows: merges the rankings of the pieces in order, and the sums of all blocks.
template <class T, class Score>
void best_by_block(const Context& on, std::int64_t V, std::int64_t width, const T* bias, const Score& score,
                   const BestWords& best) {
  const std::int64_t rows = best.ids.rows(), k = best.ids.cols(), blocks = divide_up(V, width);
  const std::int64_t blocks_each = divide_up(blocks, word_pieces(on, blocks)), pieces = divide_up(blocks, blocks_each);
  const Array scratch = on.empty({pieces, rows, width}, kDTypeOf<T>), sums = on.empty({2, rows, blocks}, kDTypeOf<T>);
  // `sums` holds the maxima [rows, blocks], then the sums of exponentials [rows, blocks]. `logits` and `ids` hold the
  // ranking of each row and piece.
  const Array logits = on.empty({rows, pieces, k}, kDTypeOf<T>), ids = on.empty({rows, pieces, k}, DType::kInt32);
  const auto ranking = [&](std::int64_t row, std::int64_t piece) {
    const std::int64_t place = (row * pieces + piece) * k;
    return Ranking<T>{logits.data<T>() + place, ids.data<std::int32_t>() + place, k};
  };
  const auto maxima_of = [&](std::int64_t row) { return sums.data<T>() + row * blocks; };
  const auto sums_of = [&](std::int64_t row) { return sums.data<T>() + (rows + row) * blocks; };

  // Pass 1.
  on.launch(pieces, [&](std::int64_t piece) {
    for (std::int64_t r = 0; r < rows; ++r) ranking(r, piece).clear();
    for (std::int64_t block = piece * blocks_each; block < std::min(blocks, (piece + 1) * blocks_each); ++block) {
      const std::int64_t first = block * width, n = std::min(width, V - first);
      const Matrix<T> x{scratch.data<T>() + piece * rows * width, rows, n, width};
      score(piece, first, x);
      for (std::int64_t r = 0; r < rows; ++r) {
        T* row = x.row(r);
        const T largest = largest_with_bias(row, bias == nullptr ? nullptr : bias + first, n);
        maxima_of(r)[block] = largest;
        sums_of(r)[block] = sum_of_exponentials(row, n, largest);
        const Ranking<T> ranked = ranking(r, piece);
        if (ranked.wants(largest)) rank(row, n, first, ranked);
        if (best.all) std::copy_n(row, n, matrix<T>(best.all).row(r) + first);
        if (best.asked) take_asked(row, first, n, V, best, r);
      }
    }
  });
  // Pass 2.
  on.launch(divide_up(rows, kRowBlock), [&](std::int64_t row_block) {
    for_rows(rows, row_block, [&](std::int64_t r) {
      const Ranking<T> ranked{matrix<T>(best.logits).row(r), matrix<std::int32_t>(best.ids).row(r), k};
      ranked.clear();
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const Ranking<T> of_piece = ranking(r, piece);
        for (std::int64_t i = 0; i < k && ranked.wants(of_piece.logits[i]); ++i)
          ranked.insert(of_piece.logits[i], of_piece.ids[i]);
      }
      best.log_sums.data<T>()[r] = log_sum(maxima_of(r), sums_of(r), blocks);
    });
  });
}

}  // namespace

void WordRanking::do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const {
  expect_types(Y, b, best);
  by_rows(Y, best, [&](const Array& y, const BestWords& best_of_y) {
    dispatch(y.dtype(), [&]<class T>() {
      constexpr std::int64_t kWidth = kBlockPanels * kTileCols<T>;
      const ArenaScope scratch(arena());
      const Product<T> p = product<T>(y, Transpose::kNo, E, Transpose::kYes);
      const RowPanels<T> A = row_panels(*this, matrix<const T>(y));
      const std::int64_t apart = panel_stride(p.K, kTileCols<T>), size = kBlockPanels * apart;
      const Array packed = empty({word_pieces(*this, divide_up(p.N, kWidth)), size}, kDTypeOf<T>);
      // E is not packed yet: each piece packs a block of its rows into its own memory, then multiplies.
      const auto score = [&](std::int64_t piece, std::int64_t first, Matrix<T> logits) {
        T* panels = packed.data<T>() + piece * size;
        for (std::int64_t left = 0; left < logits.cols; left += kTileCols<T>) {
          interleave_rows<kTileCols<T>>(p.B.row(first + left), p.B.stride, std::min(kTileCols<T>, logits.cols - left),
                                        p.K, panels + left / kTileCols<T> * apart);
        }
        multiply_full_depth(p.K, A, {panels, apart}, logits);
      };
      best_by_block<T>(*this, p.N, kWidth, b ? b.data<T>() : nullptr, score, best_of_y);
    });
  });
}

void WordRanking::do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                                       const BestWords& best) const {
  expect_types(Y, b, best);
  const float* bias = b ? b.data<float>() : nullptr;
  by_rows(Y, best, [&](const Array& y, const BestWords& best_of_y) {
    const ArenaScope scratch(arena());
    const auto rows = matrix<const float>(y);
    if (E.form == WeightForm::kInt8) {
      const Int8Rows A = quantised_rows(*this, rows);
      // multiply_int8 adds the bias itself, so best_by_block gets none.
      const auto score = [&](std::int64_t, std::int64_t first, Matrix<float> logits) {
        multiply_int8(A, E, first / kInt8.cols, bias == nullptr ? nullptr : bias + first, false, logits);
      };
      return best_by_block<float>(*this, E.out, kBlockPanels * kInt8.cols, nullptr, score, best_of_y);
    }
    if (E.form == WeightForm::kBFloat16) {
      const Bf16Rows A = bf16_rows(*this, rows);
      const auto score = [&](std::int64_t, std::int64_t first, Matrix<float> logits) {
        const std::int64_t apart = A.depth * kBf16.cols;
        multiply_bf16(A, bf16_panels(E) + first / kBf16.cols * apart, apart, logits, false);
      };
      return best_by_block<float>(*this, E.out, kBlockPanels * kBf16.cols, bias, score, best_of_y);
    }
    const RowPanels<float> A = row_panels(*this, rows);
    const Panels<float> B = float_panels(E);
    const auto score = [&](std::int64_t, std::int64_t first, Matrix<float> logits) {
      multiply_full_depth(E.in, A, B.from_panel(first / kTileCols<float>), logits);
    };
    best_by_block<float>(*this, E.out, kBlockPanels * kTileCols<float>, bias, score, best_of_y);
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
