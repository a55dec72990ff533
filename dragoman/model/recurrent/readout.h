// The readout: what the output projection reads, from the decoder's state, the context and the word before.
#pragma once

#include "dragoman/model/recurrent/config.h"
#include "dragoman/nn/recurrent.h"

namespace dragoman::model::recurrent {

// tanh(s W_s + c W_c + e W_e + b), or s W_s + b for readouts of the state alone.
struct Readout {
  nn::Linear W_s;       // with the bias
  nn::Linear W_c, W_e;  // optional
  bool has_tanh = true;

  explicit Readout(const RecurrentConfig& config);

  Tensor operator()(const Tensor& s, const Tensor& c, const Tensor& e) const;

  void parameters(params::ParameterVisitor& visit);
};

// The readout in the steps of a loop in which the next step reads it (input feeding).
class ReadoutLoop {
 public:
  // `states` and `contexts` say where s and c are when the loop is over.
  ReadoutLoop(const Readout& readout, const data::TimeRows& rows, const Tensor& source, const ops::StepInputs& states,
              const ops::StepInputs& contexts);

  // The readout before step t, [counts[t], E]; zeros for t = 0.
  Tensor before(std::int64_t t);
  void step(std::int64_t t, const Tensor& s, const Tensor& c);

  const Tensor& outputs() const { return outputs_; }  // of all steps, in the order of time
  // Where the readout before each row is, for products with it.
  ops::StepInputs outputs_before() const { return {all_.array(), rows_.before}; }

 private:
  const data::TimeRows& rows_;
  nn::StepLinear W_s_, W_c_;
  Tensor all_, outputs_, last_;
};

}  // namespace dragoman::model::recurrent
