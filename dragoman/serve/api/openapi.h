// The machine-readable description of the HTTP interface.
#pragma once

#include <string_view>

namespace dragoman::serve {

// An OpenAPI 3.1 document in JSON.
std::string_view openapi_document();

}  // namespace dragoman::serve
