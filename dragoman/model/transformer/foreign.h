// The Transformer of other programs as ours: the settings that describe it, and where each of our parameters is in
// their files.
#pragma once

#include <vector>

#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/parameters.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::model::transformer {

// The settings of the network. Throws a UsageError if they are not valid, for example if a size is too large.
TransformerConfig config_of(const foreign::Network& network);

// The network with these settings. Throws an Error that names the setting if other programs have no place for it.
foreign::Network network_of(const TransformerConfig& config);

// All parameters of the model.
std::vector<foreign::Parameter> foreign_parameters(const TransformerConfig& config, foreign::Origin origin);

}  // namespace dragoman::model::transformer
