#include "dragoman/model/registry/foreign_networks.h"

#include "dragoman/model/transformer/foreign.h"

namespace dragoman::model {

// So far all networks that are read are Transformers.
ModelConfig config_of(const foreign::Network& network) { return transformer::config_of(network); }

foreign::Network network_of(const ModelConfig& config) {
  require<Error>(config.arch() == TransformerConfig::kArch, "a model of the architecture '", config.arch(),
                 "' cannot be exported for another program; only models of the architecture '",
                 TransformerConfig::kArch, "' can.");
  return transformer::network_of(config.as<TransformerConfig>());
}

std::vector<foreign::Parameter> foreign_parameters(const ModelConfig& config, foreign::Origin origin) {
  return transformer::foreign_parameters(config.as<TransformerConfig>(), origin);
}

}  // namespace dragoman::model
