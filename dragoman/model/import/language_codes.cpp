#include "dragoman/model/import/language_codes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"

namespace dragoman::model {
namespace {

std::vector<std::string> languages_of(const foreign::VocabularyPlan& words) {
  std::vector<std::string> languages;
  for (const foreign::VocabularyPlan::Row& row : words.rows) {
    const std::string& token = row.token;
    const bool is_code = token.size() > 4 && token.starts_with(">>") && token.ends_with("<<");
    if (is_code) languages.push_back(token.substr(2, token.size() - 4));
  }
  return languages;
}

std::string some_of(const std::vector<std::string>& languages) {
  constexpr std::size_t kShown = 12;
  std::string names;
  for (std::size_t i = 0; i < std::min(languages.size(), kShown); ++i) names += (i == 0 ? "" : ", ") + languages[i];
  return names + (languages.size() > kShown ? ", ..." : "");
}

}  // namespace

void begin_with_language_code(ForeignModel& model, const ImportLanguages& languages, std::string_view where) {
  const std::vector<std::string> known = languages_of(model.source_words);
  if (known.empty()) return;
  require<UsageError>(!languages.target.empty(), where, " translates into ", known.size(),
                      " languages; choose one with --target-language: ", some_of(known), ".");
  require<UsageError>(std::ranges::count(known, languages.target) > 0, where, " does not translate into ",
                      in_quotes(languages.target), "; --target-language may be ", some_of(known), ".");
  model.source_tokenizer =
      text::with_first_piece(std::move(model.source_tokenizer), join(">>", languages.target, "<<"));
}

}  // namespace dragoman::model
