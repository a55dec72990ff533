// The Universal Transformer's entry for the registry of architectures.
#pragma once

#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::model::universal {

Architecture make_architecture();

std::vector<Preset> make_presets();

}  // namespace dragoman::model::universal
