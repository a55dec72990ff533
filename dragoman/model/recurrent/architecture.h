// The entry of recurrent models for the registry of architectures.
#pragma once

#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::model::recurrent {

Architecture make_architecture();

// The models that the Transformer replaced, and recipes for small corpora.
std::vector<Preset> make_presets();

}  // namespace dragoman::model::recurrent
