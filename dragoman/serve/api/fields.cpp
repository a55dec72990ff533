#include "dragoman/serve/api/fields.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "dragoman/base/strings.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {

std::string text_field(const Json& fields, const std::string& name, const std::string& fallback) {
  if (!fields.contains(name) || fields[name].is_null()) return fallback;
  require_or(400, fields[name].is_string(), "'", name, "' is not text.");
  return fields[name].get<std::string>();
}

std::int64_t number_field(const Json& fields, const std::string& name, std::int64_t fallback, std::int64_t max) {
  if (!fields.contains(name) || fields[name].is_null() || fields[name] == "") return fallback;
  const Json& value = fields[name];
  const std::optional<std::int64_t> number =
      parse_number<std::int64_t>(value.is_string() ? value.get<std::string>() : value.dump());
  require_or(400, number && *number >= 0 && *number <= max, "'", name, "' is not a whole number from 0 to ", max, ".");
  return *number;
}

bool bool_field(const Json& fields, const std::string& name, bool fallback) {
  if (!fields.contains(name) || fields[name].is_null()) return fallback;
  const Json& value = fields[name];
  if (value.is_boolean()) return value.get<bool>();
  require_or(400, value == "true" || value == "false", "'", name, "' is neither true nor false.");
  return value == "true";
}

Texts texts_field(const Json& fields, std::int64_t max_texts) {
  require_or(400, fields.contains("q"), "the field 'q' with the text is missing.");
  const Json& q = fields["q"];
  Texts found{.texts = {}, .is_list = q.is_array()};
  require_or(400, q.is_string() || q.is_array(), "'q' is neither a string nor a list of strings.");
  if (q.is_string()) found.texts.push_back(q.get<std::string>());
  for (const Json& text : found.is_list ? q : Json::array()) {
    require_or(400, text.is_string(), "'q' holds something that is not a string.");
    found.texts.push_back(text.get<std::string>());
  }
  require_or(413, std::ssize(found.texts) <= max_texts, "'q' holds more than ", counted(max_texts, "text"),
             "; send them in several requests.");
  return found;
}

Response json_response(const Json& body, int status) {
  return {.status = status, .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace dragoman::serve
