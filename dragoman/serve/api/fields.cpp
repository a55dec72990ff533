#include "dragoman/serve/api/fields.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "dragoman/base/strings.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {

std::string text_field(const Json& fields, const std::string& name, const std::string& otherwise) {
  if (!fields.contains(name) || fields[name].is_null()) return otherwise;
  require_or(400, fields[name].is_string(), "'", name, "' is not text.");
  return fields[name].get<std::string>();
}

std::int64_t number_field(const Json& fields, const std::string& name, std::int64_t otherwise, std::int64_t most) {
  if (!fields.contains(name) || fields[name].is_null() || fields[name] == "") return otherwise;
  const Json& value = fields[name];
  const std::optional<std::int64_t> number =
      parse_number<std::int64_t>(value.is_string() ? value.get<std::string>() : value.dump());
  require_or(400, number && *number >= 0 && *number <= most, "'", name, "' is not a whole number from 0 to ", most,
             ".");
  return *number;
}

bool switch_field(const Json& fields, const std::string& name, bool otherwise) {
  if (!fields.contains(name) || fields[name].is_null()) return otherwise;
  const Json& value = fields[name];
  if (value.is_boolean()) return value.get<bool>();
  require_or(400, value == "true" || value == "false", "'", name, "' is neither true nor false.");
  return value == "true";
}

Texts texts_field(const Json& fields, std::int64_t most_texts) {
  require_or(400, fields.contains("q"), "there is no field 'q' with the text.");
  const Json& q = fields["q"];
  Texts found{.texts = {}, .several = q.is_array()};
  require_or(400, q.is_string() || q.is_array(), "'q' is neither a text nor a list of texts.");
  if (q.is_string()) found.texts.push_back(q.get<std::string>());
  for (const Json& text : found.several ? q : Json::array()) {
    require_or(400, text.is_string(), "'q' holds something that is not a text.");
    found.texts.push_back(text.get<std::string>());
  }
  require_or(413, std::ssize(found.texts) <= most_texts, "'q' holds more than ", most_texts, " texts; divide them.");
  return found;
}

Response json_response(const Json& body, int status) {
  return {.status = status, .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace dragoman::serve
