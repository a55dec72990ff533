// Reads fields that requests to several paths have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// All throw a Refusal (400) that names the field if its value has the wrong type. `fallback` is the default for a
// missing field.
std::string text_field(const Json& fields, const std::string& name, const std::string& fallback);
// A whole number from 0 to `max`. It may be text, as forms send it.
std::int64_t number_field(const Json& fields, const std::string& name, std::int64_t fallback, std::int64_t max);
bool bool_field(const Json& fields, const std::string& name, bool fallback);

// The field q: one text, or a list of texts.
struct Texts {
  std::vector<std::string> texts;
  bool is_list = false;
};
Texts texts_field(const Json& fields, std::int64_t max_texts);

Response json_response(const Json& body, int status = 200);

}  // namespace dragoman::serve
