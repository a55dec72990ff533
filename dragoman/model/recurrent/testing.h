// Helpers for tests of recurrent models.
#pragma once

#include "dragoman/model/recurrent/recurrent.h"
#include "dragoman/model/steps_testing.h"

namespace dragoman::model::recurrent {

// Sizes that are not multiples of the width of a vector register, and no dropout.
inline RecurrentConfig small_recurrent() {
  RecurrentConfig config;
  config.E = 12;
  config.H_enc = 9;
  config.H_dec = 18;
  config.attention_width = 11;
  config.V_source = config.V_target = 37;
  return config;
}

using SmallRecurrent = SmallModelOf<RecurrentModel, RecurrentConfig>;

}  // namespace dragoman::model::recurrent
