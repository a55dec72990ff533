#include "dragoman/serve/api/detection.h"

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/text/common_words.h"
#include "dragoman/text/language.h"

namespace dragoman::serve {

std::vector<Detected> detect(const Models& models, const std::string& text) {
  // The languages of all models, each once. Its profile comes from the first model that has one; if none has, it is
  // that of the common words.
  std::vector<text::KnownLanguage> known;
  for (const auto& model : models.all()) {
    for (const text::KnownLanguage& language : model->languages) {
      const auto same = std::ranges::find(known, language.tag, &text::KnownLanguage::tag);
      if (same == known.end()) {
        known.push_back(language);
      } else if (!same->profile) {
        same->profile = language.profile;
      }
    }
  }
  for (text::KnownLanguage& language : known) {
    const text::LanguageProfile* common = language.profile ? nullptr : text::common_profile(language.tag);
    if (common != nullptr) language.profile = *common;
  }
  std::vector<Detected> found;
  for (const text::LanguageGuess& guess : text::detect(text, known)) found.push_back({guess.tag, guess.confidence});
  return found;
}

std::vector<Detected> detect_each(const Models& models, const std::vector<std::string>& texts) {
  std::vector<Detected> found;
  for (const std::string& text : texts) found.push_back(detect(models, text).front());
  return found;
}

Json detected_json(const Detected& detected) {
  return {{"confidence", detected.confidence}, {"language", detected.language}};
}

std::string choose_source(const Models& models, const std::vector<Detected>& texts, const std::string& target) {
  const std::string first = texts.empty() ? "" : texts.front().language;
  for (const auto& model : models.all()) {
    if (model->source == first && fits(target, model->target)) return first;
  }
  return "";
}

}  // namespace dragoman::serve
