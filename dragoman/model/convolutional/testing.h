// Helpers for tests of convolutional models.
#pragma once

#include "dragoman/model/convolutional/convolutional.h"
#include "dragoman/model/steps_testing.h"

namespace dragoman::model::convolutional {

// Sizes that are not multiples of the width of a vector register, and no dropout.
inline ConvolutionalConfig small_convolutional() {
  ConvolutionalConfig config;
  config.E = 12;
  config.E_output = 11;
  config.N_enc = config.N_dec = 2;
  config.encoder_channels = config.decoder_channels = {"9"};
  config.V_source = config.V_target = 37;
  config.max_positions = 20;
  config.P_drop = 0;
  return config;
}

using SmallConvolutional = SmallModelOf<ConvolutionalModel, ConvolutionalConfig>;

}  // namespace dragoman::model::convolutional
