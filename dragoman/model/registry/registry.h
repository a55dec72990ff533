// The architectures that this program knows, and the presets of each. Everything that has to find a model by the name
// of its architecture asks here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::model {

// The architecture of this name; for an empty name the one that holds where none is given. Throws a UsageError for a
// name that is not known.
const Architecture& architecture(std::string_view name = {});
std::vector<std::string> architecture_names();

// For tests: knows one more from now on. No other thread may use the registry meanwhile.
void add_architecture(Architecture added);

// The settings of a model where nothing is said: those of the paper's base model.
ModelConfig default_model();

// Throws a UsageError if there is no such preset.
const Preset& preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace dragoman::model
