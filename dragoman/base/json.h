// The JSON values that we read and write, by name alone, for headers that only declare what takes or returns them. Who
// looks into one includes "dragoman/base/fields_json.h", which takes a compiler a second to read.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dragoman {

using Json = nlohmann::ordered_json;  // entries stay in the order of writing

}  // namespace dragoman
