// Fields of a request that name heads and layers of the model, both counted from 1.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/nn/sites.h"

namespace dragoman::serve {

// Both throw a Refusal (400) that names the field.

// [{"attention": "cross", "layer": 1, "head": 3}], or "all".
std::vector<nn::Head> heads_field(const Json& fields, const std::string& name, const nn::AttentionSites& sites);
// The field layers: [1, 3]. In order, from 0; none if the field is missing.
std::vector<int> layers_field(const Json& fields, const nn::AttentionSites& sites);

}  // namespace dragoman::serve
