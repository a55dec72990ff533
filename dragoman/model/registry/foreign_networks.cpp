#include "dragoman/model/registry/foreign_networks.h"

#include "dragoman/model/transformer/foreign.h"

namespace dragoman::model {

// So far all networks that are read are Transformers.
ModelConfig config_of(const foreign::Network& network) { return transformer::config_of(network); }

std::vector<foreign::Parameter> foreign_parameters(const ModelConfig& config, foreign::Origin origin) {
  return transformer::foreign_parameters(config.as<TransformerConfig>(), origin);
}

}  // namespace dragoman::model
