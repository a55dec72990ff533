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

namespace {

// Far more than any file of ours has. A value is copied by a function that calls itself for what is inside.
constexpr int kDeepest = 100;

bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view where) {
  require<Error>(!is_nested_too_deep(text), where, " is nested more than ", kDeepest, " levels deep.");
  Json document = try_parse_json(text);
  require<Error>(!document.is_discarded(), where, " is not JSON; it is damaged, or not a file of dragoman.");
  return document;
}

Json try_parse_json(std::string_view text) {
  if (is_nested_too_deep(text)) return Json::value_t::discarded;
  return Json::parse(text, nullptr, false);
}

}  // namespace dragoman
