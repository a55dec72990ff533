#include "dragoman/ops/step_products.h"

namespace dragoman::ops {

StepProducts::StepProducts(const Tensor& W, const Tensor& b, std::int64_t R, const StepInputs& inputs,
                           const Tensor& steps_bias)
    : W_(W), b_(b) {
  Backend& on = W.backend();
  const Array Y = on.empty({R, W.dim(-1)}, W.array().dtype());
  const bool recorded = will_be_recorded({W, b, steps_bias});
  if (recorded && !inputs.rows) {
    // Rows that no step computes have a gradient of zero; zeros times what the memory held before might be NaN.
    kept_ = on.empty({R, W.dim(0)}, W.array().dtype());
    on.fill(kept_, 0.0);
  }
  const StepInputs all = inputs.rows ? inputs : StepInputs{kept_};
  const std::int64_t k = steps_bias ? steps_bias.dim(-1) : 0;
  Y_ = record(Y, {W, b, steps_bias}, [&on, W = W.array(), Y, all, k](Array& dY, Sinks& d) {
    const auto [dW, db, d_steps_bias] = d.first<3>();
    Array x = all.rows;
    if (all.index.taken) {
      x = on.empty({dY.rows(), x.cols()}, x.dtype());
      on.take_rows(all.rows, all.index, Sink::overwrite(x));
    }
    if (d_steps_bias.wanted()) on.sum_rows(dY.columns(dY.cols() - k, k), d_steps_bias);
    on.linear_backward(dY, x, W, Y, {}, {}, dW, db);
  });
}

Tensor StepProducts::operator()(const Tensor& x, std::int64_t first) const {
  Backend& on = W_.backend();
  const Tensor part = row_range(Y_, first, x.rows());
  Array y = part.array();
  on.linear(x.array(), W_.array(), array_or_absent(b_), {}, y);
  if (kept_) on.scaled(x.array(), 1.0, Sink::overwrite(kept_.row_range(first, x.rows())));
  record_part(part, {x}, [&on, W = W_.array()](const Array& dy, Sinks& d) {
    on.matmul(dy, Transpose::kNo, W, Transpose::kYes, d.into(0));
  });
  return part;
}

}  // namespace dragoman::ops
