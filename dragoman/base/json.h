// Forward declaration of our JSON type, for headers that only declare functions that take or return it. Code that uses
// the values includes "dragoman/base/fields_json.h", which costs a second of compile time.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dragoman {

using Json = nlohmann::ordered_json;  // keeps entries in the order in which they were added

}  // namespace dragoman
