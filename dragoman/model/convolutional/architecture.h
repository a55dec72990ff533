// The convolutional model as an entry of the registry.
#pragma once

#include "dragoman/model/architecture.h"

namespace dragoman::model::convolutional {

Architecture make_architecture();
std::vector<Preset> make_presets();

}  // namespace dragoman::model::convolutional
