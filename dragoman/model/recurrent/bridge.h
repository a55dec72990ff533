// The bridge from the encoder to the decoder: the decoder's first states.
#pragma once

#include <vector>

#include "dragoman/model/recurrent/config.h"
#include "dragoman/nn/recurrent.h"

namespace dragoman::model::recurrent {

struct Bridge {
  BridgeName kind = BridgeName::kTanh;
  std::vector<nn::Linear> h, c;  // a map for each layer of the decoder, or one for all layers; c is for LSTM

  explicit Bridge(const RecurrentConfig& config);

  // The first state of each layer of the decoder, with a row for each sentence; without tensors for zeros.
  std::vector<nn::CellState> operator()(const Encoded& encoded) const;

  void parameters(params::ParameterVisitor& visit);

 private:
  std::size_t encoder_layers_, decoder_layers_;
  bool has_c_;
};

}  // namespace dragoman::model::recurrent
