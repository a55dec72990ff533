// The preset that a benchmark measures, with changes to its settings.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/model/architecture.h"

namespace dragoman::bench {

// The preset of this name. `changes` sets keys of its model and of its training: "cell=lstm,layers=2,clip=0". Throws a
// UsageError for an unknown preset, key or value, and for settings that do not fit together.
model::Preset changed_preset(std::string_view name, std::string_view changes);

}  // namespace dragoman::bench
