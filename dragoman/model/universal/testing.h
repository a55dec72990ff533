// Helpers for tests of Universal Transformers.
#pragma once

#include "dragoman/model/steps_testing.h"
#include "dragoman/model/universal/universal.h"

namespace dragoman::model::universal {

// Sizes that are not multiples of the width of a vector register, and no dropout.
inline UniversalConfig small_universal() {
  UniversalConfig config;
  config.T = 3;
  config.d_model = 20;
  config.d_ff = 36;
  config.h = 2;
  config.V_source = config.V_target = 37;
  config.P_drop = 0;
  return config;
}

using SmallUniversal = SmallModelOf<UniversalTransformer, UniversalConfig>;

}  // namespace dragoman::model::universal
