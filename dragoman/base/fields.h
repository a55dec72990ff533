// Reads and writes settings as text. A settings struct lists its fields once, in fields(), as (key, reference, help).
// Flags, configuration files and the record inside a checkpoint all use that list, through the functions below.
// Numbers are read and written the same in every locale.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman {

// A whole number above 0, or 0 if it is not set. As text it is the number or "none".
struct OptionalSize {
  int value = 0;
  constexpr OptionalSize() = default;
  constexpr OptionalSize(int size) : value(size) {}  // NOLINT: converts from and to int on purpose
  constexpr operator int() const { return value; }   // NOLINT
};

// Two fields that one key sets to the same value.
struct FieldPair {
  int& first;
  int& second;
};

// A field that holds the name of a file or directory (Text = std::string) or several names (a vector of strings). The
// kind tells shell completion what to suggest.
enum class PathKind : std::uint8_t { kFile, kDirectory };
template <class Text>
struct PathField {
  Text& value;
  PathKind kind;
};
template <class Text>
PathField<Text> file_name(Text& value) {
  return {value, PathKind::kFile};
}
template <class Text>
PathField<Text> directory_name(Text& value) {
  return {value, PathKind::kDirectory};
}

// An enum with a function names(E{}) beside it, which returns an array with the text of each value. The values count
// from 0.
template <class E>
concept Named = std::is_enum_v<E>;

template <Named E>
std::string_view to_string(E value) {
  return names(value)[static_cast<std::size_t>(value)];
}

// A field of some Named enum, with the type erased.
struct NameField {
  std::vector<std::string> choices;
  void* value;
  std::size_t (*get)(const void* value);
  void (*set)(void* value, std::size_t place);

  template <Named E>
  static NameField of(E& field) {
    const auto all = names(field);
    return {.choices = {all.begin(), all.end()},
            .value = &field,
            .get = [](const void* at) { return static_cast<std::size_t>(*static_cast<const E*>(at)); },
            .set = [](void* at, std::size_t place) { *static_cast<E*>(at) = static_cast<E>(place); }};
  }
};

// Parses `text` into `value`. Throws a UsageError that starts with `where` and says what was expected.
void read_value(int& value, std::string_view text, std::string_view where);
void read_value(std::int64_t& value, std::string_view text, std::string_view where);
void read_value(std::uint64_t& value, std::string_view text, std::string_view where);
void read_value(float& value, std::string_view text, std::string_view where);
void read_value(double& value, std::string_view text, std::string_view where);
void read_value(bool& value, std::string_view text, std::string_view where);
void read_value(std::string& value, std::string_view text, std::string_view where);
void read_value(std::vector<std::string>& value, std::string_view text, std::string_view where);  // a,b,c
void read_value(OptionalSize& value, std::string_view text, std::string_view where);
void read_value(const FieldPair& value, std::string_view text, std::string_view where);
// The index of `text` in `names`.
std::size_t read_name(const std::vector<std::string>& names, std::string_view text, std::string_view where);

inline void read_value(const NameField& field, std::string_view text, std::string_view where) {
  field.set(field.value, read_name(field.choices, text, where));
}

template <Named E>
void read_value(E& value, std::string_view text, std::string_view where) {
  const auto all = names(E{});
  value = static_cast<E>(read_name({all.begin(), all.end()}, text, where));
}

template <class Text>
void read_value(const PathField<Text>& field, std::string_view text, std::string_view where) {
  read_value(field.value, text, where);
}

// Throws a UsageError that names the setting unless least <= value <= most: "beam is 0; it must be from 1 to 1000."
void require_between(std::string_view key, double value, double least, double most);

// The shortest text that reads back as the same value.
std::string write_value(int value);
std::string write_value(std::int64_t value);
std::string write_value(std::uint64_t value);
std::string write_value(float value);
std::string write_value(double value);
std::string write_value(bool value);
std::string write_value(const std::string& value);
std::string write_value(const std::vector<std::string>& value);
std::string write_value(OptionalSize value);
std::string write_value(const FieldPair& value);

inline std::string write_value(const NameField& field) { return field.choices[field.get(field.value)]; }

template <Named E>
std::string write_value(E value) {
  return std::string(to_string(value));
}

template <class Text>
std::string write_value(const PathField<Text>& field) {
  return write_value(field.value);
}

// Visits the keys that shorthands() lists, if the struct has it, and then those that fields() lists. A shorthand sets
// two fields. It comes first, so that the key of a single field overrides it when values are set in this order.
template <class Config, class Visitor>
void each_key(Config& config, Visitor&& visit) {
  if constexpr (requires { config.shorthands(visit); }) config.shorthands(visit);
  config.fields(visit);
}

template <class Config>
std::vector<std::string> keys_of(Config& config) {
  std::vector<std::string> all;
  each_key(config, [&](std::string_view key, auto&&, std::string_view) { all.emplace_back(key); });
  return all;
}

// Sets the field that `key` names. If the value cannot be parsed, throws a UsageError that starts with `where` (a flag,
// or a file and line; defaults to the key). If the key is unknown, throws a UsageError that suggests the nearest key.
template <class Config>
void set(Config& config, std::string_view key, std::string_view value, std::string_view where = {}) {
  bool found = false;
  each_key(config, [&](std::string_view name, auto&& field, std::string_view) {
    if (name != key) return;
    read_value(field, value, where.empty() ? key : where);
    found = true;
  });
  if (!found) throw UsageError(join("there is no setting '", key, "'.", suggestion(key, keys_of(config))));
}

// One field of a settings struct, for code that does not know the struct's type.
struct ListedField {
  std::string key;
  std::variant<int*, std::int64_t*, std::uint64_t*, float*, double*, bool*, std::string*, std::vector<std::string>*,
               OptionalSize*, NameField, FieldPair>
      value;
  std::string help;
};

// A visitor for fields() and shorthands() that collects the fields they list.
class FieldList {
 public:
  template <class Value>
  void operator()(std::string_view key, Value&& value, std::string_view help) {
    using Type = std::remove_cvref_t<Value>;
    if constexpr (Named<Type>) {
      fields_.push_back({std::string(key), NameField::of(value), std::string(help)});
    } else if constexpr (std::is_same_v<Type, FieldPair>) {
      fields_.push_back({std::string(key), value, std::string(help)});
    } else {
      fields_.push_back({std::string(key), &value, std::string(help)});
    }
  }

  // Calls visit(key, reference, help) for each field, as the struct's own fields() would.
  template <class Visitor>
  void each(Visitor&& visit) const {
    for (const ListedField& field : fields_) {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
              visit(field.key, *value, field.help);
            } else {
              visit(field.key, value, field.help);
            }
          },
          field.value);
    }
  }

 private:
  std::vector<ListedField> fields_;
};

}  // namespace dragoman
