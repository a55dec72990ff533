#include "dragoman/base/fields_json.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

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
    require<Error>(value.is_array() && word.is_string(), where,
                   ": a setting is not a number, a boolean, null, a string or a list of strings.");
    words.push_back(word.get<std::string>());
  }
  return write_value(words);
}

namespace {

// Far more than any of our files needs. Copying a Json value is recursive, so deeper nesting could overflow the stack.
constexpr int kMaxDepth = 100;

bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// Builds the document from the events of the parser. The library's own builder compares each key with all keys before
// it, so that an object of n keys takes n * n steps.
class DocumentBuilder {
 public:
  Json take() { return std::move(document_); }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON text has no binary values
  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }

  // If a key occurs twice, the last value wins and stands at the position of the first.
  bool key(std::string& name) {
    Open& object = open_.back();
    Entries& entries = object.value->get_ref<Json::object_t&>();
    std::size_t place = entries.size();
    if (place < kFewKeys) {
      const auto same =
          std::ranges::find(entries, name, [](const auto& entry) -> const std::string& { return entry.first; });
      place = static_cast<std::size_t>(same - entries.begin());
    } else {
      if (object.index_of.empty()) {
        for (std::size_t i = 0; i < entries.size(); ++i) object.index_of.emplace(entries[i].first, i);
      }
      place = object.index_of.try_emplace(name, place).first->second;
    }
    if (place == entries.size()) entries.emplace_back(std::move(name), nullptr);
    object.next = place;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

 private:
  using Entries = Json::object_t::Container;   // a plain vector of (key, value), appended to without a search
  static constexpr std::size_t kFewKeys = 16;  // up to this number a linear search is faster than a hash table

  struct Open {
    Json* value;           // an array or object that is not complete yet
    std::size_t next = 0;  // in an object: the index of the entry that gets the next value
    std::unordered_map<std::string, std::size_t> index_of = {};  // key to index; filled from kFewKeys entries on
  };

  bool put(Json value) {
    store(std::move(value));
    return true;
  }
  // Stores the value in the innermost open array or object and returns its address. The address stays valid while the
  // value is open, because the container around it grows only after the value is complete.
  Json* store(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    Json& outer = *open_.back().value;
    if (outer.is_array()) return &outer.get_ref<Json::array_t&>().emplace_back(std::move(value));
    Entries& entries = outer.get_ref<Json::object_t&>();
    Json& entry = entries[open_.back().next].second;
    entry = std::move(value);
    return &entry;
  }
  bool open(Json value) {
    open_.push_back({.value = store(std::move(value))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json document_ = Json::value_t::discarded;
  std::vector<Open> open_;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view where) {
  require<Error>(!is_nested_too_deep(text), where, " is nested more than ", kMaxDepth, " levels deep.");
  Json document = try_parse_json(text);
  require<Error>(!document.is_discarded(), where, " is not JSON; it is damaged, or another kind of file.");
  return document;
}

Json try_parse_json(std::string_view text) {
  if (is_nested_too_deep(text)) return Json::value_t::discarded;
  DocumentBuilder builder;
  if (!Json::sax_parse(text, &builder)) return Json::value_t::discarded;
  return builder.take();
}

}  // namespace dragoman
