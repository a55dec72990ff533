// Helpers that the tests of this folder share.
#pragma once

#include <vector>

#include "dragoman/study/complexity/layer.h"

namespace dragoman::study {

inline std::vector<LayerKind> all_kinds() {
  std::vector<LayerKind> kinds;
  for (std::size_t i = 0; i < names(LayerKind{}).size(); ++i) kinds.push_back(static_cast<LayerKind>(i));
  return kinds;
}

}  // namespace dragoman::study
