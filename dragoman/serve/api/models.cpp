#include "dragoman/serve/api/models.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/path_names.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/model/files/words.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::serve {
namespace {

// Uses a backend of its own, because the workers of the model use the others.
std::vector<float> encodings_of(const model::LoadedModel& model, Device device) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::unique_ptr<Backend> on = make_backend(device, {.threads = 1, .memory = kBytes, .gradient_memory = kBytes});
  return model.model->position_encodings(*on, kShownPositions);
}

// A description of the files of the training film. When it changes, the film is read again.
std::string film_files(const std::filesystem::path& model_directory) {
  std::set<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(model_directory / "probe", ignored)) {
    files.insert(join(entry.path().filename().string(), " ", entry.file_size(ignored), " ",
                      entry.last_write_time(ignored).time_since_epoch().count(), "\n"));
  }
  std::string list;
  for (const std::string& file : files) list += file;
  return list;
}

bool same_languages(const ServedModel& a, const ServedModel& b) { return a.source == b.source && a.target == b.target; }

// " from 'en' to 'de'", without a language that was not requested.
std::string requested_pair(const std::string& source, const std::string& target) {
  return (source.empty() ? "" : " from '" + source + "'") + (target.empty() ? "" : " to '" + target + "'");
}

// "en to de, de to en", each once.
std::string pairs_of(const std::vector<std::shared_ptr<ServedModel>>& models) {
  std::string pairs;
  for (auto model = models.begin(); model != models.end(); ++model) {
    const auto is_same = [&](const auto& other) { return same_languages(*other, **model); };
    if (std::any_of(models.begin(), model, is_same)) continue;
    pairs += (pairs.empty() ? "" : ", ") + (*model)->source + " to " + (*model)->target;
  }
  return pairs;
}

}  // namespace

bool fits(const std::string& requested, const std::string& tag) {
  const std::string wanted = text::canonical_tag(requested);
  return wanted.empty() || tag.empty() || tag == wanted || tag.starts_with(wanted + "-");
}

std::shared_ptr<const std::string> Film::json(const std::filesystem::path& model_directory) {
  const std::string files = film_files(model_directory);
  const std::lock_guard lock(mutex_);
  if (!json_ || files != files_) {
    json_ = std::make_shared<const std::string>(decode::film_json(model_directory));
    files_ = files;
  }
  return json_;
}

ServedModel::ServedModel(std::string name_, const std::filesystem::path& directory_,
                         const decode::TranslatorOptions& options, std::int64_t max_waiting,
                         decode::Service::OnLost on_lost, DeviceBudget::Part memory_)
    : memory(std::move(memory_)),
      name(std::move(name_)),
      directory(directory_),
      service(directory, options, max_waiting, std::move(on_lost)),
      source(service.model().info.source_language),
      target(service.model().info.target_language),
      languages(model::read_languages(directory, {source, target})),
      positions(encodings_of(service.model(), options.device)),
      film_summary(decode::summarise_film(directory)),
      words(model::read_words(directory)) {}

Models::Models(std::vector<std::filesystem::path> directories, const decode::TranslatorOptions& options,
               std::int64_t max_waiting, std::size_t checkpoints, SearchOf search_of, std::int64_t device_memory)
    : directories_(std::move(directories)),
      names_(distinct_names(directories_)),
      options_(options),
      max_waiting_(max_waiting),
      search_of_(std::move(search_of)),
      checkpoints_(std::make_unique<Checkpoints>(
          checkpoints,
          [this](const CheckpointEntry& entry) { return with_own_files([&] { return load_checkpoint(entry); }); },
          [this](Set leaving) { keep_until_unused(std::move(leaving)); })),
      max_checkpoints_(checkpoints),
      budget_(device_memory),
      models_(load()) {}

Models::~Models() { end(); }

std::shared_ptr<ServedModel> Models::load_model(const std::string& name, const std::filesystem::path& directory,
                                                const decode::TranslatorOptions& options, DeviceBudget::Part memory) {
  const auto on_lost = [this](const std::string& reason) { note_loss(reason); };
  try {
    return std::make_shared<ServedModel>(name, directory, options, max_waiting_, on_lost, std::move(memory));
  } catch (const DeviceLost& error) {
    note_loss(error.what());
    throw;
  }
}

void Models::note_loss(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!lost_) lost_ = reason;
}

std::optional<std::string> Models::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

// Makes sure that there is memory for all models before it loads the first.
Models::Set Models::load() {
  DevicePlan plan = make_plan();
  if (!program_ && plan.program > 0) program_ = budget_.take("the program", plan.program);
  std::vector<DeviceBudget::Part> parts;
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    parts.push_back(budget_.take("the model '" + names_[i] + "'", plan.models[i].bytes));
  }
  Set models;
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    models.push_back(load_model(names_[i], directories_[i], plan.models[i].options, std::move(parts[i])));
  }
  const std::lock_guard lock(mutex_);
  plan_ = std::move(plan);
  return models;
}

DevicePlan Models::make_plan() const {
  DevicePlan plan;
  std::vector<WantedModel> wanted;
  for (const std::filesystem::path& directory : directories_) {
    plan.models.push_back({.options = options_for(directory)});
    if (budget_.bytes() > 0) wanted.push_back({model::read_info(directory).config, plan.models.back().options});
  }
  return budget_.bytes() > 0 ? plan_models(wanted, max_checkpoints_, budget_.bytes()) : plan;
}

std::string Models::memory_text() const {
  const std::lock_guard lock(mutex_);
  return budget_.bytes() > 0 ? describe(plan_, budget_.bytes()) : "";
}

// A checkpoint takes as much memory as its model.
std::shared_ptr<ServedModel> Models::load_checkpoint(const CheckpointEntry& entry) {
  ModelShare share;
  {
    const std::lock_guard lock(mutex_);
    share = plan_.models[static_cast<std::size_t>(std::ranges::find(names_, entry.of) - names_.begin())];
  }
  share.options.search = options_for(entry.directory).search;
  DeviceBudget::Part memory;
  try {
    memory = budget_.take("the checkpoint '" + entry.name + "'", share.bytes);
  } catch (const MemoryError&) {  // models that are still in use have left no room
    throw Refusal(503, join("there is no memory for the checkpoint '", entry.name, "' now; try again in a moment."));
  }
  return load_model(entry.name, entry.directory, share.options, std::move(memory));
}

decode::TranslatorOptions Models::options_for(const std::filesystem::path& directory) const {
  decode::TranslatorOptions options = options_;
  if (search_of_) options.search = search_of_(directory);
  return options;
}

std::shared_ptr<ServedModel> Models::find(const std::string& source, const std::string& target,
                                          const std::string& name) const {
  if (const std::optional<std::string> reason = lost()) throw DeviceLost(*reason);
  if (!name.empty()) {
    const std::shared_ptr<ServedModel> model = find_named(name);
    require_or(400, fits(source, model->source) && fits(target, model->target), "the model '", name,
               "' translates from '", model->source, "' to '", model->target, "', not", requested_pair(source, target),
               ".");
    return model;
  }
  const Set models = all();
  Set fitting;
  for (const auto& model : models) {
    if (fits(source, model->source) && fits(target, model->target)) fitting.push_back(model);
  }
  require_or(400, !fitting.empty(), "there is no model", requested_pair(source, target), "; the ",
             models.size() == 1 ? "only model translates " : "models are ", pairs_of(models), ".");
  const bool is_one_pair =
      std::ranges::all_of(fitting, [&](const auto& model) { return same_languages(*model, *fitting.front()); });
  require_or(400, is_one_pair || (!source.empty() && !target.empty()), "name source and target; the models are ",
             pairs_of(models), ".");
  return fitting.front();
}

std::shared_ptr<ServedModel> Models::find_named(const std::string& name) const {
  const Set models = all();
  const auto found = std::ranges::find(models, name, &ServedModel::name);
  if (found != models.end()) return *found;
  std::vector<std::string> names;
  for (const auto& model : models) {
    names.push_back(model->name);
    for (const CheckpointEntry& entry : checkpoints_->list(model->name, model->directory)) {
      if (entry.name == name) return checkpoints_->get(entry);
      names.push_back(entry.name);
    }
  }
  constexpr std::size_t kMaxListed = 20;
  const bool has_more = names.size() > kMaxListed;
  if (has_more) names.resize(kMaxListed);
  throw Refusal(400, join("there is no model '", name, "'; there ", names.size() == 1 ? "is " : "are ", listed(names),
                          has_more ? ", and more, which /v1/models lists." : "."));
}

Models::Set Models::all() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

Models::Set Models::loaded() const {
  Set models = all();
  std::ranges::copy(checkpoints_->loaded(), std::back_inserter(models));
  return models;
}

std::vector<NamedModel> Models::named() const {
  std::vector<NamedModel> list;
  const Set models = all();
  for (const auto& model : models) {
    const auto first = std::ranges::find_if(models, [&](const auto& other) { return same_languages(*other, *model); });
    list.push_back({.model = model, .name = model->name, .is_default = *first == model});
    for (const CheckpointEntry& entry : checkpoints_->list(model->name, model->directory)) {
      list.push_back({.model = model, .name = entry.name, .step = entry.step});
    }
  }
  return list;
}

std::vector<Language> Models::languages() const {
  std::map<std::string, Language> found;
  for (const auto& model : all()) {
    for (const std::string& tag : {model->source, model->target}) {
      found.try_emplace(tag, Language{.code = tag, .name = language_name(tag), .targets = {}});
    }
    std::vector<std::string>& targets = found[model->source].targets;
    if (std::ranges::find(targets, model->target) == targets.end()) targets.push_back(model->target);
  }
  std::vector<Language> languages;
  for (auto& [tag, language] : found) languages.push_back(std::move(language));
  return languages;
}

void Models::reload() {
  Set models = load();
  {
    const std::lock_guard lock(mutex_);
    models_.swap(models);
  }
  keep_until_unused(std::move(models));
  checkpoints_->reduce_to(0);  // they are loaded again when they are asked for
}

void Models::keep_until_unused(Set models) {
  {
    const std::lock_guard lock(mutex_);
    std::ranges::move(models, std::back_inserter(retired_));
  }
  models.clear();
  retire();
}

// A model that was replaced is kept until nothing uses it: the last user may be one of its own workers, which could not
// wait for itself to end.
void Models::retire() {
  Set leaving;
  {
    const std::lock_guard lock(mutex_);
    const auto unused = std::ranges::partition(retired_, [](const auto& model) { return model.use_count() > 1; });
    std::ranges::move(unused, std::back_inserter(leaving));
    retired_.erase(unused.begin(), unused.end());
  }
  leaving.clear();
}

void Models::end() {
  Set models;
  {
    const std::lock_guard lock(mutex_);
    models = models_;
    std::ranges::copy(retired_, std::back_inserter(models));
  }
  std::ranges::copy(checkpoints_->loaded(), std::back_inserter(models));
  for (const auto& model : models) model->service.end();
}

std::string language_name(const std::string& tag) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"ar", "Arabic"},   {"bg", "Bulgarian"},  {"bn", "Bengali"},    {"ca", "Catalan"},    {"cs", "Czech"},
      {"da", "Danish"},   {"de", "German"},     {"el", "Greek"},      {"en", "English"},    {"eo", "Esperanto"},
      {"es", "Spanish"},  {"et", "Estonian"},   {"eu", "Basque"},     {"fa", "Persian"},    {"fi", "Finnish"},
      {"fr", "French"},   {"ga", "Irish"},      {"gl", "Galician"},   {"he", "Hebrew"},     {"hi", "Hindi"},
      {"hr", "Croatian"}, {"hu", "Hungarian"},  {"id", "Indonesian"}, {"it", "Italian"},    {"ja", "Japanese"},
      {"ko", "Korean"},   {"lt", "Lithuanian"}, {"lv", "Latvian"},    {"ms", "Malay"},      {"nb", "Norwegian"},
      {"nl", "Dutch"},    {"no", "Norwegian"},  {"pl", "Polish"},     {"pt", "Portuguese"}, {"ro", "Romanian"},
      {"ru", "Russian"},  {"sk", "Slovak"},     {"sl", "Slovenian"},  {"sq", "Albanian"},   {"sr", "Serbian"},
      {"sv", "Swedish"},  {"th", "Thai"},       {"tl", "Tagalog"},    {"tr", "Turkish"},    {"uk", "Ukrainian"},
      {"ur", "Urdu"},     {"vi", "Vietnamese"}, {"zh", "Chinese"}};
  const auto found = kNames.find(std::string_view(tag).substr(0, tag.find('-')));
  return found == kNames.end() ? tag : std::string(found->second);
}

}  // namespace dragoman::serve
