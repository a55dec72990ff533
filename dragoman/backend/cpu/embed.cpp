#include "dragoman/backend/cpu/embed.h"

#include <cassert>
#include <functional>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/packed.h"
#include "dragoman/backend/cpu/products/packed_panels.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Columns that a piece of the backward pass sums at once, so that its running sums stay in the first-level cache. They
// are one chunk of RowDropout::for_chunks().
constexpr std::int64_t kColumns = kDropoutChannels;
constexpr std::int64_t kTokenBlock = 8;  // tokens per piece of work

// y = scale e + p for one row; e and p may be null, which counts as zero.
template <class T>
void embed_row(const T* e, const T* p, T scale, std::int64_t d, T* y) {
  if (e != nullptr && p != nullptr) {
    const auto sum = [scale](Vec<T> v, Vec<T> w) { return scale * v + w; };
    map_vectors(d, y, sum, e, p);
  } else if (e != nullptr) {
    const auto scaled = [scale](Vec<T> v) { return scale * v; };
    map_vectors(d, y, scaled, e);
  } else if (p != nullptr) {
    std::copy_n(p, d, y);
  } else {
    std::fill_n(y, d, T{0});
  }
}

// The sum of the gradient rows that share a token or a position, for up to kColumns columns from `first` on.
template <class T>
class RowSum {
 public:
  RowSum(Matrix<const T> dy, const RowDropout& dropout, std::int64_t first)
      : dy_(dy), dropout_(dropout), first_(first), count_(std::min(kColumns, dy.cols - first)) {}

  void add(std::int64_t r) {
    const T* row = dy_.row(r) + first_;
    if (!dropout_.on()) return map_vectors(count_, sum_, std::plus<>(), sum_, row);
    dropout_.for_chunks<T>(r, first_, first_ + count_, [&](std::int64_t, std::int64_t, const T* factors) {
      const auto sum = [](Vec<T> s, Vec<T> v, Vec<T> factor) { return s + v * factor; };
      map_vectors(count_, sum_, sum, sum_, row, factors);
    });
  }

  void write(T scale, bool accumulates, T* gradient_row) const {
    const auto scaled = [scale](Vec<T> s) { return scale * s; };
    put_vectors(count_, accumulates, gradient_row + first_, scaled, sum_);
  }

 private:
  Matrix<const T> dy_;
  const RowDropout& dropout_;
  std::int64_t first_, count_;
  T sum_[kColumns] = {};
};

}  // namespace

void Embed::do_embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                     const Dropout& dropout, Array& y) const {
  if (!dry()) expect_ids(ids, 0, E.rows(), "embed");
  dispatch(y.dtype(), [&]<class T>() {
    const auto Y = matrix<T>(y);
    const auto table = matrix<const T>(E), positions = P ? matrix<const T>(P) : Matrix<const T>{};
    const auto* id = ids.data<std::int32_t>();
    const auto* position = P ? segments.position.data<std::int32_t>() : nullptr;
    const RowDropout dropped(dropout, segments);
    launch(divide_up(Y.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(Y.rows, block, [&](std::int64_t r) {
        assert(id[r] >= 0 && id[r] < table.rows && "ids are checked before they enter a batch");
        T* row = Y.row(r);
        embed_row(id[r] == 0 ? nullptr : table.row(id[r]), P ? positions.row(position[r]) : nullptr,
                  static_cast<T>(scale), Y.cols, row);
        if (!dropped.on()) return;
        dropped.for_chunks<T>(r, 0, Y.cols, [&](std::int64_t first, std::int64_t count, const T* factors) {
          map_vectors(count, row + first, std::multiplies<>(), row + first, factors);
        });
      });
    });
  });
}

void Packed::do_embed_packed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P,
                             double scale, Array& y) const {
  if (!dry()) expect_ids(ids, 0, E.out, "embed");
  const auto Y = matrix<float>(y);
  const auto positions = P ? matrix<const float>(P) : Matrix<const float>{};
  const auto* id = ids.data<std::int32_t>();
  const auto* position = P ? segments.position.data<std::int32_t>() : nullptr;
  launch(divide_up(Y.rows, kRowBlock), [&](std::int64_t block) {
    for_rows(Y.rows, block, [&](std::int64_t r) {
      float* row = Y.row(r);
      if (id[r] != 0) unpack_column(E, id[r], row);
      embed_row<float>(id[r] == 0 ? nullptr : row, P ? positions.row(position[r]) : nullptr, static_cast<float>(scale),
                       Y.cols, row);
    });
  });
}

void Embed::do_embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                              const Dropout& dropout, Sink dE, Sink dP) const {
  if (dE.wanted() && !dE.accumulates()) fill(dE.array, 0);
  dispatch(dy.dtype(), [&]<class T>() {
    const auto D = matrix<const T>(dy);
    const RowDropout dropped(dropout, segments);
    const std::int64_t chunks = divide_up(D.cols, kColumns);
    if (dE.wanted()) {
      const auto table = matrix<T>(dE.array);
      const auto *tokens = index.tokens.data<std::int32_t>(), *starts = index.starts.data<std::int32_t>(),
                 *rows = index.rows.data<std::int32_t>();
      const std::int64_t U = index.tokens.count();  // different tokens of the batch
      launch(divide_up(U, kTokenBlock) * chunks, [&](std::int64_t piece) {
        const std::int64_t block = piece / chunks, first = piece % chunks * kColumns;
        for (std::int64_t u = block * kTokenBlock; u < std::min(U, (block + 1) * kTokenBlock); ++u) {
          if (tokens[u] == 0) continue;  // PAD: E[0] is not used
          RowSum<T> sum(D, dropped, first);
          for (std::int32_t i = starts[u]; i < starts[u + 1]; ++i) sum.add(rows[i]);
          sum.write(static_cast<T>(scale), true, table.row(tokens[u]));
        }
      });
    }
    if (dP.wanted()) {
      const auto table = matrix<T>(dP.array);
      const auto* offsets = segments.offsets.data<std::int32_t>();
      launch(table.rows * chunks, [&](std::int64_t piece) {
        const std::int64_t p = piece / chunks;
        RowSum<T> sum(D, dropped, piece % chunks * kColumns);
        for (std::int64_t b = 0; p < segments.longest && b < segments.B; ++b) {
          if (p < offsets[b + 1] - offsets[b]) sum.add(offsets[b] + p);
        }
        sum.write(T{1}, dP.accumulates(), table.row(p));
      });
    }
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
