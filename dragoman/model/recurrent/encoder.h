// The encoder of a recurrent model: layers that read the source, in one direction or in both.
#pragma once

#include <vector>

#include "dragoman/model/recurrent/config.h"
#include "dragoman/nn/recurrent_layer.h"

namespace dragoman::model::recurrent {

// Encoded::summary has the last states: h of every layer and then, for LSTM, c of every layer.
struct Encoder {
  std::vector<nn::RecurrentLayer> layers;
  double P_layers = 0, P_context = 0;
  double noise = 0;  // standard deviation of the first state in training; 0 for a state of zeros

  explicit Encoder(const RecurrentConfig& config);

  Encoded operator()(const Tensor& embedded, const Segments& segments, nn::Pass& pass) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::recurrent
