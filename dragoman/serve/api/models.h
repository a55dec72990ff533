// The models that a server has, by the languages that they translate between.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/lines/service.h"
#include "dragoman/text/language.h"

namespace dragoman::serve {

// The film of a model's directory, read again only when its files have changed. Safe to use from any thread.
class Film {
 public:
  std::shared_ptr<const std::string> json(const std::filesystem::path& model_directory);

 private:
  std::mutex mutex_;
  std::string files_;  // that it was read from: their names, sizes and times
  std::shared_ptr<const std::string> json_;
};

struct ServedModel {
  ServedModel(const std::filesystem::path& directory_, const decode::TranslatorOptions& options,
              std::int64_t most_waiting);

  std::filesystem::path directory;
  decode::Service service;
  std::string source, target;                  // BCP 47 tags, or empty where the model does not say
  std::vector<text::KnownLanguage> languages;  // both, with what the model's directory knows of them
  std::vector<float> positions;                // encodings of the first, [rows, d_model]
  decode::FilmSummary filmed;                  // when the model was loaded
  Film film;
};

// A language that can be translated from, with those that it can be translated to.
struct Language {
  std::string code, name;
  std::vector<std::string> targets;
};

class Models {
 public:
  // Loads all of them. Throws an Error for a directory that holds no whole model, and a UsageError for two models for
  // the same languages.
  Models(std::vector<std::filesystem::path> directories, const decode::TranslatorOptions& options,
         std::int64_t most_waiting);
  ~Models();

  // The model for these languages. A tag may leave out what the model's goes on with ("zh" for "zh-Hans"), or be empty
  // where one model fits only. Throws a Refusal (400) that says which there are.
  std::shared_ptr<ServedModel> find(const std::string& source, const std::string& target) const;
  std::vector<std::shared_ptr<ServedModel>> all() const;
  std::vector<Language> languages() const;

  // Loads every model again. Requests that have begun go on with what they began with. If one cannot be loaded, throws
  // its Error, and all stays as it was. One call at a time.
  void reload();
  // Lets go of models that were replaced and that no request uses any more. To be called now and then.
  void retire();
  // No order is taken any more, and those that are not done fail.
  void end();

 private:
  using Set = std::vector<std::shared_ptr<ServedModel>>;

  Set load() const;

  std::vector<std::filesystem::path> directories_;
  decode::TranslatorOptions options_;
  std::int64_t most_waiting_;
  mutable std::mutex mutex_;
  Set models_, retired_;
};

// "German" for "de"; the tag itself for languages that we have no name of.
std::string language_name(const std::string& tag);

}  // namespace dragoman::serve
