#include "dragoman/ops/smoothed_cross_entropy.h"

#include <algorithm>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/ops/softmax.h"

namespace dragoman::ops {

namespace {

constexpr std::int64_t kChunkBytes = 128 << 20;
// Thousands of rows keep a GPU busy. Their logits over 37,000 words take 443 MiB in bfloat16.
constexpr std::int64_t kCudaRows = 6272;

std::int64_t chunk_rows(const LossOptions& options, const Array& Y, std::int64_t V) {
  if (options.chunk > 0) return options.chunk;
  if (Y.device().kind == Device::Kind::kCuda) return kCudaRows;
  const std::int64_t row_bytes = V * static_cast<std::int64_t>(size_of(Y.dtype()));
  return std::max<std::int64_t>(64, kChunkBytes / row_bytes / 64 * 64);
}

}  // namespace

LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options) {
  Backend& on = Y.backend();
  Array losses = on.empty_rows(Y.array()), nll = on.empty_rows(Y.array()), total = on.empty({1}, DType::kFloat64);
  const bool gradients = will_be_recorded({Y, E, b});
  const Sink dY = gradients ? sink_of(on, Y.variable()) : Sink();
  const Sink dE = gradients ? sink_of(on, E.variable()) : Sink();
  const Sink db = gradients && b ? sink_of(on, b.variable()) : Sink();
  on.smoothed_cross_entropy(Y.array(), E.array(), array_or_absent(b), targets, options.smoothing, options.weight,
                            chunk_rows(options, Y.array(), E.rows()), losses, nll, dY, dE, db);
  on.sum(losses, options.weight, Sink::overwrite(total));
  return {record(total, {Y, E, b}, [](const Array&, Sinks&) { /* the forward pass has written every gradient */ }),
          losses, nll};
}

namespace plain {

namespace {

Array row_losses(Backend& on, const Array& log_p, const Array& targets, const LabelSmoothing& smoothing) {
  Array losses = on.empty_rows(log_p);
  on.smoothed_nll(log_p, targets, smoothing, losses);
  return losses;
}

}  // namespace

LossTerms smoothed_cross_entropy(const Tensor& Y, const Tensor& E, const Tensor& b, const Array& targets,
                                 const LossOptions& options) {
  Backend& on = Y.backend();
  Tensor logits = matmul(Y, E, Transpose::kYes);
  if (b) logits = add_bias(logits, b);
  const Tensor log_p = log_softmax(logits);
  const Array losses = row_losses(on, log_p.array(), targets, options.smoothing);
  const Array nll = row_losses(on, log_p.array(), targets, LabelSmoothing{.epsilon = 0.0});
  Array total = on.empty({1}, DType::kFloat64);
  on.sum(losses, options.weight, Sink::overwrite(total));
  const Tensor loss = record(total, {log_p}, [&on, targets, options](const Array&, Sinks& d) {
    on.smoothed_nll_backward(options.weight, targets, options.smoothing, d.into(0));
  });
  return {loss, losses, nll};
}

}  // namespace plain

}  // namespace dragoman::ops
