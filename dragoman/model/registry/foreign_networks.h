// Which architecture takes the networks of other programs, and how.
#pragma once

#include <vector>

#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/parameters.h"
#include "dragoman/model/model_config.h"

namespace dragoman::model {

// The settings of a network as those of one of our architectures. Throws a UsageError if they are not valid, for
// example if a size is too large.
ModelConfig config_of(const foreign::Network& network);

// The network of a model of ours. Throws an Error if other programs do not have such a network.
foreign::Network network_of(const ModelConfig& config);

// All parameters of a model with such settings, with their places in a file of the other program.
std::vector<foreign::Parameter> foreign_parameters(const ModelConfig& config, foreign::Origin origin);

}  // namespace dragoman::model
