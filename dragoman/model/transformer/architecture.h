// The Transformer's entry for the registry of architectures.
#pragma once

#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::model::transformer {

Architecture make_architecture();

// The rows of the paper's Table 3, and recipes for small corpora.
std::vector<Preset> make_presets();

}  // namespace dragoman::model::transformer
