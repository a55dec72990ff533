#include "dragoman/model/recurrent/readout.h"

#include "dragoman/model/recurrent/sizes.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::model::recurrent {

Readout::Readout(const RecurrentConfig& config) : has_tanh(config.readout != ReadoutName::kState) {
  const bool reads_context = config.readout != ReadoutName::kState, reads_word = config.readout == ReadoutName::kDeep;
  const std::int64_t fan_in = config.H_dec + (reads_context ? config.context_width() : 0) + (reads_word ? config.E : 0);
  W_s.W = weights(config, config.H_dec, config.E, fan_in);
  W_s.b = bias(config, config.E);
  if (reads_context) W_c.W = weights(config, config.context_width(), config.E, fan_in);
  if (reads_word) W_e.W = weights(config, config.E, config.E, fan_in);
}

Tensor Readout::operator()(const Tensor& s, const Tensor& c, const Tensor& e) const {
  Tensor sum = W_s(s);
  if (W_c.W) sum = ops::add(sum, W_c(c));
  if (W_e.W) sum = ops::add(sum, W_e(e));
  return has_tanh ? ops::tanh(sum) : sum;
}

void Readout::parameters(params::ParameterVisitor& visit) {
  visit("W_s", W_s.W);
  visit("W_c", W_c.W);
  visit("W_e", W_e.W);
  visit("b", W_s.b);
}

namespace {

Tensor zero_rows(Backend& on, std::int64_t rows, std::int64_t cols, DType dtype) {
  Array zeros = on.empty({rows, cols}, dtype);
  on.fill(zeros, 0.0);
  return Tensor(on, zeros);
}

}  // namespace

ReadoutLoop::ReadoutLoop(const Readout& readout, const data::TimeRows& rows, const Tensor& source,
                         const ops::StepInputs& states, const ops::StepInputs& contexts)
    : rows_(rows), W_s_(readout.W_s, rows.R, states), W_c_(readout.W_c, rows.R, contexts) {
  const std::int64_t E = readout.W_s.W.shape().cols();
  const DType dtype = source.array().dtype();
  all_ = nn::loop_rows(source, rows.R, E, dtype, zero_rows(source.backend(), rows.B, E, dtype));
  outputs_ = row_range(all_, rows.B, rows.R);
}

Tensor ReadoutLoop::before(std::int64_t t) {
  return t == 0 ? row_range(all_, 0, rows_.B) : row_range(last_, 0, rows_.counts[static_cast<std::size_t>(t)]);
}

void ReadoutLoop::step(std::int64_t t, const Tensor& s, const Tensor& c) {
  const auto at = static_cast<std::size_t>(t);
  const Tensor output = ops::tanh(ops::add(W_s_(s, rows_.starts[at]), W_c_(c, rows_.starts[at])));
  last_ = row_range(outputs_, rows_.starts[at], rows_.counts[at]);
  ops::store_part(output, last_);
}

}  // namespace dragoman::model::recurrent
