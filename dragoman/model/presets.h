// Named settings: the rows of the paper's Table 3, and recipes for small corpora.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/config.h"

namespace dragoman::model {

struct Preset {
  std::string name;
  std::string summary;
  TransformerConfig model;
  TrainingConfig training;
};

// Throws a UsageError if there is no such preset.
Preset preset(std::string_view name);

std::vector<std::string> preset_names();

}  // namespace dragoman::model
