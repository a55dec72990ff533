// Converts settings structs to and from JSON objects with one entry per field: the record of settings in model files
// and reports.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dragoman/base/fields.h"
#include "dragoman/base/json.h"

namespace dragoman {

// A field as JSON: numbers and booleans as such, text and enum values as strings, a list as an array of strings, an
// unset OptionalSize as null.
template <class Value>
Json value_to_json(const Value& value) {
  if constexpr (std::is_same_v<Value, OptionalSize>) {
    return value > 0 ? Json(value.value) : Json(nullptr);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return *parse_number<double>(write_value(value));  // so that the float 0.1 is stored as 0.1, not 0.100000001490116
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::vector<std::string>>) {
    return value;
  } else {
    return write_value(value);
  }
}

template <class Text>
Json value_to_json(const PathField<Text>& field) {
  return value_to_json(field.value);
}

template <class Config>
Json settings_to_json(Config config) {
  Json object = Json::object();
  config.fields(
      [&](std::string_view key, auto&& value, std::string_view) { object[std::string(key)] = value_to_json(value); });
  return object;
}

// Converts an entry that settings_to_json() wrote to the text that read_value() accepts. Throws an Error that starts
// with `where` for any other kind of JSON value.
std::string setting_text(const Json& value, std::string_view where);

// Sets the fields that the object names. Throws an Error that starts with `where` for an unknown key or a value that
// cannot be parsed.
template <class Config>
void settings_from_json(const Json& object, Config& config, std::string_view where) {
  require<Error>(object.is_object(), where, ": the settings are not a JSON object.");
  for (const auto& [key, value] : object.items()) {
    try {
      set(config, key, setting_text(value, where));
    } catch (const UsageError& error) {
      throw Error(join(where, ": ", error.what()));
    }
  }
}

// Parses a document. Throws an Error that starts with `where` if it is not JSON or is nested more than 100 levels deep.
Json parse_json(std::string_view text, std::string_view where);
// The same, but returns a value that is_discarded() instead of throwing. Call this instead of Json::parse(), which
// costs seconds of compile time in every file that calls it.
Json try_parse_json(std::string_view text);

// The entry `key` of an object as a T. Throws an Error that starts with `where` if it is missing, of another type, or a
// whole number that does not fit in T.
template <class T>
T json_entry(const Json& object, const std::string& key, std::string_view where) {
  require<Error>(object.is_object() && object.contains(key), where, " has no entry '", key, "'.");
  const Json& value = object[key];
  if constexpr (std::is_same_v<T, bool>) {
    require<Error>(value.is_boolean(), where, ": '", key, "' is neither true nor false.");
  } else if constexpr (std::is_integral_v<T>) {
    const bool fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.template get<std::uint64_t>())
                          : value.is_number_integer() && std::in_range<T>(value.template get<std::int64_t>());
    require<Error>(fits, where, ": '", key, "' is not a whole number, or is out of range.");
  } else if constexpr (std::is_floating_point_v<T>) {
    require<Error>(value.is_number(), where, ": '", key, "' is not a number.");
  } else if constexpr (std::is_same_v<T, std::string>) {
    require<Error>(value.is_string(), where, ": '", key, "' is not a string.");
  }
  return value.get<T>();
}

}  // namespace dragoman
