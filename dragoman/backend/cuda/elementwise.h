// Element-wise kernels on a CUDA device.
#pragma once

#include "dragoman/backend/cuda/context.h"

namespace dragoman::cuda {

class Elementwise : public virtual Context {
  void do_fill(Array& x, double value) const override;
  void do_scaled(const Array& x, double alpha, Sink y) const override;
  void do_add(const Array& a, const Array& b, Array& y) const override;
  void do_add_bias(const Array& x, const Array& b, Array& y) const override;
  void do_sum_rows(const Array& x, Sink total) const override;
  void do_relu(const Array& x, Array& y) const override;
  void do_relu_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_multiply(const Array& a, const Array& b, Sink y) const override;
  void do_tanh(const Array& x, Array& y) const override;
  void do_tanh_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_sigmoid(const Array& x, Array& y) const override;
  void do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_gated(const Array& x, SelfGate gate, Array& y) const override;
  void do_gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const override;
  void do_dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const override;
  void do_transpose(const Array& x, Sink y) const override;
  void do_take_rows(const Array& x, const RowIndex& index, Sink y) const override;
  void do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const override;
  void do_place_rows(const Array& x, const Array& rows, const Array& y) const override;
  void do_sum(const Array& x, double alpha, Sink total) const override;
  void do_sum_of_squares(const Array& x, Array& total) const override;
};

}  // namespace dragoman::cuda
