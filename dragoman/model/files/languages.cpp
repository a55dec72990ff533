#include "dragoman/model/files/languages.h"

#include <map>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/model/files/info.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::model {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 1 << 19;  // bytes; the profile of a language takes a few thousand

fs::path languages_file(const fs::path& directory) { return described_in(directory) / "languages.json"; }

void write_languages(const fs::path& directory, const std::vector<text::KnownLanguage>& languages) {
  Json json = Json::object();
  for (const text::KnownLanguage& language : languages) {
    if (language.profile) json[language.tag] = language.profile->digits();
  }
  replace_file(languages_file(directory), json_text(json, 2) + "\n");
}

std::vector<text::KnownLanguage> read_languages(const fs::path& directory, const std::vector<std::string>& tags) {
  const fs::path file = languages_file(directory);
  Json json = Json::object();
  const fs::file_status status = status_of(file);
  require<Error>(!fs::exists(status) || fs::is_regular_file(status), "'", file.string(),
                 "' is not a file; remove it, or train the model again.");
  if (fs::exists(status)) json = parse_json(read_plain_file(file, kLargestFile), "'" + file.string() + "'");
  require<Error>(json.is_object(), "'", file.string(), "' is damaged; remove it, or train the model again.");
  std::map<std::string, Json> profiles;
  for (const auto& [tag, profile] : json.items()) profiles[text::canonical_tag(tag)] = profile;
  std::vector<text::KnownLanguage> languages;
  for (const std::string& tag : tags) {
    text::KnownLanguage& language = languages.emplace_back(text::KnownLanguage{.tag = tag});
    const auto profile = profiles.find(text::canonical_tag(tag));
    if (profile == profiles.end()) continue;
    require<Error>(profile->second.is_string(), "'", file.string(), "': the profile of '", tag, "' is not text.");
    try {
      language.profile = text::LanguageProfile::from_digits(profile->second.get<std::string>());
    } catch (const Error& error) {
      throw Error(join("'", file.string(), "': ", error.what()));
    }
  }
  return languages;
}

void copy_languages(const fs::path& from, const fs::path& to) {
  const fs::path file = languages_file(from);
  if (fs::exists(status_of(file))) replace_file(languages_file(to), read_plain_file(file, kLargestFile));
}

}  // namespace dragoman::model
