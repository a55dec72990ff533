// The registry of all architectures and their presets. Code that needs a model by the name of its architecture finds it
// here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::model {

// The architecture with this name, or the default one if the name is empty. Throws a UsageError for an unknown name.
const Architecture& architecture(std::string_view name = {});
std::vector<std::string> architecture_names();

// Adds an architecture, for tests. No other thread may use the registry at the same time.
void add_architecture(Architecture added);

// The default settings of a model: the paper's base model.
ModelConfig default_model();

// Throws a UsageError if there is no such preset.
const Preset& preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace dragoman::model
