#include "dragoman/cli/settings/prompt_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::cli {
namespace {

// The fields of both structs, as one.
struct PromptFields {
  TranslateOptions& options;
  decode::SearchSettings& search;

  template <class Visitor>
  void fields(Visitor&& field) {
    search.fields(field);
    options.printed(field);
  }
};

struct Shown {
  std::string key, value, help;
  bool is_switch = false;
};

std::vector<Shown> shown(PromptFields fields) {
  std::vector<Shown> all;
  fields.fields([&](std::string_view key, const auto& value, std::string_view help) {
    all.push_back({.key = std::string(key),
                   .value = write_value(value),
                   .help = std::string(help),
                   .is_switch = std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>});
  });
  return all;
}

// nbest, n-best and n_best are the same name.
std::string without_hyphens(std::string_view name) {
  std::string letters;
  std::ranges::copy_if(name, std::back_inserter(letters), [](char c) { return c != '-' && c != '_'; });
  return letters;
}

Shown named(const std::vector<Shown>& all, std::string_view name) {
  const std::string letters = without_hyphens(name);
  const auto found = std::ranges::find(all, letters, [](const Shown& one) { return without_hyphens(one.key); });
  if (found != all.end()) return *found;
  std::vector<std::string> keys;
  for (const Shown& one : all) keys.push_back(one.key);
  throw UsageError(join("there is no setting '", name, "'.", suggestion(name, keys), " :help lists them all."));
}

}  // namespace

std::string PromptSettings::change(std::string_view text) {
  text = eval::trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t="), text.size());
  const Shown setting = named(shown({options_, search_}), text.substr(0, end));
  std::string value(eval::trimmed(text.substr(std::min(end + 1, text.size()))));
  if (value.empty() && !setting.is_switch) return join(setting.key, " is ", setting.value);
  if (value.empty()) value = "true";

  TranslateOptions options = options_;
  decode::SearchSettings search = search_;
  PromptFields fields{options, search};
  set(fields, setting.key, value, ":" + setting.key);
  search.validate(":");
  options_ = options;
  search_ = search;
  return join(setting.key, " is ", named(shown(fields), setting.key).value);
}

std::string PromptSettings::list() {
  std::string lines;
  for (const Shown& one : shown({options_, search_})) {
    lines += fmt::format("{}  :{:<16} {:<9} {}", lines.empty() ? "" : "\n", one.key, one.value, one.help);
  }
  return lines;
}

}  // namespace dragoman::cli
