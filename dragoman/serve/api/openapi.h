// The description of the server's interface, for programs.
#pragma once

#include <string_view>

namespace dragoman::serve {

// An OpenAPI 3.1 document in JSON.
std::string_view openapi_document();

}  // namespace dragoman::serve
