// Reads the fields of a request that name heads and layers of the model. In requests both are counted from 1.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/nn/sites.h"

namespace dragoman::serve {

// All functions throw a Refusal (400) that names the field.

// The index of the site that the entry's "attention" names. `field` is where the entry stands, for the message.
int site_of(const Json& entry, const std::string& field, const nn::AttentionSites& sites);
// The number that `key` of an entry gives, which is at most `count`; the result is counted from 0, and -1 if the key is
// missing or 0. `field` is where the entry stands.
int index_field(const Json& entry, const std::string& key, const std::string& field, int count);
// [{"attention": "cross", "layer": 1, "head": 3}], or "all".
std::vector<nn::Head> heads_field(const Json& fields, const std::string& name, const nn::AttentionSites& sites);
// The field layers: [1, 3]. The result is sorted, without repeats, and counted from 0. Empty if the field is missing.
std::vector<int> layers_field(const Json& fields, const nn::AttentionSites& sites);

}  // namespace dragoman::serve
