#include "dragoman/backend/cpu/loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include "dragoman/backend/absent_words.h"
#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

template <class T>
struct RowSums {
  T maximum, logits, exponentials;  // of the logits x: max x, sum (x - max x), sum exp(x - max x)
};

// The words that are absent (absent_words.h), and the number of the others.
struct Classes {
  std::vector<std::int64_t> absent;
  std::int64_t present;

  template <class T>
  Classes(const T* bias, std::int64_t V) : present(V) {
    for (std::int64_t v = 0; v < V && bias != nullptr; ++v) {
      if (bias[v] < static_cast<T>(kAbsentBias)) absent.push_back(v);
    }
    present -= std::ssize(absent);
  }
};

// Replaces the logits x of one row by exp(x - max x), from which logits_gradient continues. Absent words do not count
// in the sum of the logits.
template <class T>
RowSums<T> exponentiate(T* row, std::int64_t V) {
  const T maximum = max_of(row, V);
  Vec<T> logits{}, exponentials{};
  const auto present = [](Vec<T> x) { return x < static_cast<T>(kAbsentBias) ? Vec<T>{} : x; };
  for_lanes<T>(
      V,
      [&](std::int64_t v) {
        const Vec<T> x = load(row + v) - maximum, e = exp(x);
        logits += present(x);
        exponentials += e;
        store(row + v, e);
      },
      [&](std::int64_t v, std::int64_t left) {
        const Vec<T> x = load_some(row + v, left) - maximum, e = exp(x);
        logits += first_lanes<T>(present(x), left);
        exponentials += first_lanes<T>(e, left);
        store_some(row + v, e, left);
      });
  return {maximum, sum_lanes<T>(logits), sum_lanes<T>(exponentials)};
}

// Cross-entropy of one row, -sum q_v log p_v = (q_t - q_other) nll_t + q_other sum_v nll_v, and nll_t itself. V counts
// the words that are not absent.
template <class T>
void row_losses(T target_logit, std::int64_t V, const RowSums<T>& sums, const LabelSmoothing& smoothing, T* loss,
                T* nll) {
  const double log_sum = std::log(static_cast<double>(sums.exponentials)), others = smoothing.on_others(V);
  const double target_nll = log_sum + static_cast<double>(sums.maximum) - static_cast<double>(target_logit);
  const double all_nll = static_cast<double>(V) * log_sum - static_cast<double>(sums.logits);
  *loss = static_cast<T>((smoothing.on_target(V) - others) * target_nll + others * all_nll);
  *nll = static_cast<T>(target_nll);
}

// row = weight (softmax - q), the gradient of weight * cross-entropy with respect to the logits. On entry the row holds
// the exponentials.
template <class T>
void logits_gradient(T* row, std::int64_t V, std::int64_t target, const Classes& classes, const RowSums<T>& sums,
                     const LabelSmoothing& smoothing, T weight) {
  const T others = static_cast<T>(smoothing.on_others(classes.present)), factor = weight / sums.exponentials,
          offset = others * weight;
  for (std::int64_t v = 0; v < V; ++v) row[v] = row[v] * factor - offset;
  row[target] -= (static_cast<T>(smoothing.on_target(classes.present)) - others) * weight;
  for (const std::int64_t v : classes.absent) row[v] = T{0};
}

}  // namespace

void Loss::do_smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                     const LabelSmoothing& smoothing, double weight, std::int64_t chunk, Array& losses,
                                     Array& nll, Sink dY, Sink dE, Sink db) const {
  const std::int64_t R = Y.rows(), V = E.rows();
  const bool gradients = dY.wanted() || dE.wanted() || db.wanted();
  dispatch(Y.dtype(), [&]<class T>() { expect_elements<T>({&E, &b, &losses, &nll}); });
  expect_elements<std::int32_t>({&targets});
  if (!dry()) expect_ids(targets, std::numeric_limits<std::int32_t>::min(), V, "smoothed_cross_entropy");
  if (R == 0) {  // without rows the gradient is zero, so clear what the buffers held
    for (Sink sink : {dE, db}) {
      if (sink.wanted() && !sink.accumulates()) fill(sink.array, 0.0);
    }
  }
  // Each chunk goes through four steps, and its logits are then dropped: 1. logits = Y E^T; 2. row by row: losses, and
  // logits become their gradients; 3. dY from these and E; 4. dE and db, which sum over rows, so that chunks after the
  // first add to them.
  // Chunks are of about equal size: a short last one would leave threads idle. Their height is a multiple of 16, and so
  // of kTileRows: only the last chunk has an incomplete tile.
  const std::int64_t chunks = divide_up(R, chunk), height = chunks == 0 ? 0 : divide_up(divide_up(R, chunks), 16) * 16;
  for (std::int64_t top = 0; top < R; top += height) {
    const ArenaScope scratch(arena());
    const std::int64_t rows = std::min(height, R - top);
    const Array y = Y.row_range(top, rows);
    Array logits = empty({rows, V}, Y.dtype());
    matmul(y, Transpose::kNo, E, Transpose::kYes, Sink::overwrite(logits));
    dispatch(Y.dtype(), [&]<class T>() {
      const auto x = matrix<T>(logits);
      const Classes classes(b && !dry() ? b.data<T>() : nullptr, V);
      launch(divide_up(rows, kRowBlock), [&](std::int64_t block) {
        const std::int32_t* target = targets.data<std::int32_t>() + top;
        for_rows(rows, block, [&](std::int64_t r) {
          T* row = x.row(r);
          if (target[r] < 0) {
            losses.data<T>()[top + r] = nll.data<T>()[top + r] = T{0};
            if (gradients) std::fill_n(row, V, T{0});
            return;
          }
          if (b) {
            const T* bias = b.data<T>();
            for (std::int64_t v = 0; v < V; ++v) row[v] += bias[v];
          }
          const T target_logit = row[target[r]];
          const RowSums<T> sums = exponentiate(row, V);
          row_losses(target_logit, classes.present, sums, smoothing, &losses.data<T>()[top + r],
                     &nll.data<T>()[top + r]);
          if (gradients) logits_gradient(row, V, target[r], classes, sums, smoothing, static_cast<T>(weight));
        });
      });
    });
    const auto summed_over_chunks = [&](Sink sink) {
      if (sink.wanted() && top > 0) sink.write = Sink::Write::kAccumulate;
      return sink;
    };
    if (dY.wanted()) {
      matmul(logits, Transpose::kNo, E, Transpose::kNo, {dY.array.row_range(top, rows), dY.write});
    }
    matmul(logits, Transpose::kYes, y, Transpose::kNo, summed_over_chunks(dE));
    if (db.wanted()) sum_rows(logits, summed_over_chunks(db));
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
