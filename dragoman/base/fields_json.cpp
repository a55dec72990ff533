#include "dragoman/base/fields_json.h"

namespace dragoman {

std::string setting_text(const Json& value, std::string_view where) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return write_value(value.get<bool>());
  if (value.is_number_unsigned()) return write_value(value.get<std::uint64_t>());
  if (value.is_number_integer()) return write_value(value.get<std::int64_t>());
  if (value.is_number()) return write_value(value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  std::vector<std::string> words;
  for (const Json& word : value) {
    require<Error>(value.is_array() && word.is_string(), where, ": a setting is neither a number nor text.");
    words.push_back(word.get<std::string>());
  }
  return write_value(words);
}

Json parse_json(std::string_view text, std::string_view where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw Error(join(where, " is not JSON; it is damaged, or not a file of dragoman."));
  }
}

}  // namespace dragoman
