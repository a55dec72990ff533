// Reads the fields of a request that name heads and layers of the model. In requests both are counted from 1.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/nn/sites.h"

namespace dragoman::serve {

// Both functions throw a Refusal (400) that names the field.

// [{"attention": "cross", "layer": 1, "head": 3}], or "all".
std::vector<nn::Head> heads_field(const Json& fields, const std::string& name, const nn::AttentionSites& sites);
// The field layers: [1, 3]. The result is sorted, without repeats, and counted from 0. Empty if the field is missing.
std::vector<int> layers_field(const Json& fields, const nn::AttentionSites& sites);

}  // namespace dragoman::serve
