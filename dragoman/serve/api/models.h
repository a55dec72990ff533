// The models of a server, found by the languages that they translate between, or by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/lines/service.h"
#include "dragoman/serve/api/checkpoints.h"
#include "dragoman/serve/api/device_budget.h"
#include "dragoman/text/language.h"

namespace dragoman::serve {

inline constexpr std::int64_t kShownPositions = 512;  // position encodings that the page can show

// The film of a model (how its attention developed in training) as JSON. It is read again only when its files have
// changed. Safe to use from any thread.
class Film {
 public:
  std::shared_ptr<const std::string> json(const std::filesystem::path& model_directory);

 private:
  std::mutex mutex_;
  std::string files_;  // the names, sizes and times of the files that it was read from
  std::shared_ptr<const std::string> json_;
};

struct ServedModel {
  // `memory` is what the model takes of the budget; it is given back when the model has been destroyed.
  ServedModel(std::string name_, const std::filesystem::path& directory_, const decode::TranslatorOptions& options,
              std::int64_t max_waiting, decode::Service::OnLost on_lost = {}, DeviceBudget::Part memory_ = {});

  DeviceBudget::Part memory;
  std::string name;
  std::filesystem::path directory;
  decode::Service service;
  std::string source, target;                  // BCP 47 tags; empty if the model does not name them
  std::vector<text::KnownLanguage> languages;  // source and target, with their profiles if the model has them
  std::vector<float> positions;                // position encodings of the first positions, [rows, d_model]
  decode::FilmSummary film_summary;            // as it was when the model was loaded
  std::vector<std::string> words;              // that the model was trained on, if it knows only a few
  Film film;
};

// A language of the server, and the languages that it can be translated to.
struct Language {
  std::string code, name;
  std::vector<std::string> targets;
};

// A model that requests can name, as /v1/models lists it.
struct NamedModel {
  std::shared_ptr<ServedModel> model;  // for a checkpoint the model that it is a checkpoint of
  std::string name;
  bool is_default = false;                // requests that name no model but its languages get it
  std::optional<std::int64_t> step = {};  // of a checkpoint
};

// The settings of the search with the model in a directory. Any thread may call it.
using SearchOf = std::function<decode::SearchSettings(const std::filesystem::path& directory)>;

class Models {
 public:
  // Loads all models. Their names are those of their directories, with as much of the path as tells them apart. With
  // `checkpoints` above 0, the checkpoints in their directories can be asked for too, and at most that many are loaded
  // at a time. `search_of` replaces the search of the options. With `device_memory` above 0, all models together take
  // at most so many bytes of the device (see plan_models). Throws an Error for a directory without a complete model, a
  // UsageError for one that is given twice, and a MemoryError if the models do not fit.
  Models(std::vector<std::filesystem::path> directories, const decode::TranslatorOptions& options,
         std::int64_t max_waiting, std::size_t checkpoints = 0, SearchOf search_of = {},
         std::int64_t device_memory = 0);
  ~Models();

  // The model for these languages. A tag may be shorter than that of the model ("zh" for "zh-Hans"), or empty if only
  // one pair of languages fits. Of several models with the same languages it is the first, or the one with the given
  // name, which may be that of a checkpoint. Throws a Refusal (400) that lists the models if none fits, or if a tag is
  // empty and several pairs fit, and a DeviceLost if lost().
  std::shared_ptr<ServedModel> find(const std::string& source, const std::string& target,
                                    const std::string& name = "") const;
  std::vector<std::shared_ptr<ServedModel>> all() const;
  // All models, and the checkpoints that are loaded.
  std::vector<std::shared_ptr<ServedModel>> loaded() const;
  // All that requests can name, checkpoints after their models.
  std::vector<NamedModel> named() const;
  std::vector<Language> languages() const;

  // The reason why the device of the models cannot be used any more, if that is so. It concerns all models, because a
  // process has one CUDA context for a device, and nothing but a new process helps.
  std::optional<std::string> lost() const;

  // Loads every model again. Requests that have begun keep the model that they began with. If a model cannot be loaded,
  // or there is no room for it beside the old ones, throws its Error, and all models stay as they were. Not to be
  // called by two threads at once.
  void reload();
  // Destroys models that were replaced and that no request uses any more. To be called from time to time.
  void retire();
  // How the models share the memory of the device; empty without a limit.
  std::string memory_text() const;
  // Stops all models: they take no more orders, and orders that are not done fail.
  void end();

 private:
  using Set = std::vector<std::shared_ptr<ServedModel>>;

  Set load();
  std::shared_ptr<ServedModel> load_model(const std::string& name, const std::filesystem::path& directory,
                                          const decode::TranslatorOptions& options, DeviceBudget::Part memory);
  std::shared_ptr<ServedModel> load_checkpoint(const CheckpointEntry& entry);
  DevicePlan make_plan() const;
  void note_loss(const std::string& reason);
  decode::TranslatorOptions options_for(const std::filesystem::path& directory) const;
  std::shared_ptr<ServedModel> find_named(const std::string& name) const;
  // Keeps models that were replaced until nothing uses them.
  void keep_until_unused(Set models);

  std::vector<std::filesystem::path> directories_;
  std::vector<std::string> names_;
  decode::TranslatorOptions options_;
  std::int64_t max_waiting_;
  SearchOf search_of_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::size_t max_checkpoints_;
  DeviceBudget budget_;
  mutable std::mutex mutex_;
  std::optional<std::string> lost_;
  DevicePlan plan_;             // of the models that were loaded last
  DeviceBudget::Part program_;  // what the program takes besides the models
  Set models_, retired_;
};

// Whether the tag of a model is the requested one, or a narrower one. An empty tag fits every other.
bool fits(const std::string& requested, const std::string& tag);

// "German" for "de"; the tag itself for languages whose name is not known.
std::string language_name(const std::string& tag);

}  // namespace dragoman::serve
