#include "dragoman/train/settings.h"

#include <algorithm>
#include <filesystem>

#include "dragoman/backend/instructions.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::train {
namespace {

double weight_at(const std::vector<std::string>& weights, std::size_t corpus) {
  if (weights.empty()) return 1;
  double weight = 0;
  read_value(weight, weights[corpus], "train-weights");
  return weight;
}

void resolve_language(std::string& tag, const std::vector<std::string>& files, std::string_view key) {
  if (tag.empty() && !files.empty()) tag = language_of(files.front());
  require<UsageError>(tag.empty() || text::is_language_tag(tag), key, " is '", tag,
                      "', which is not a language tag such as en, de or zh-Hans.");
  tag = text::canonical_tag(tag);
}

constexpr double kMax = 1e9;

constexpr const char* kArch = "arch";

// The default configuration of an architecture.
model::ModelConfig model_of(const std::string& arch, std::string_view where) {
  try {
    return model::architecture(arch).presets.front().model;
  } catch (const UsageError& error) {
    throw OtherVersion(
        join(where, ": ", error.what(), " Another version of dragoman wrote it. Continue with that version."));
  }
}

}  // namespace

std::string language_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* packed : {".gz", ".zst", ".xz"}) {
    if (name.extension() == packed) name = name.stem();
  }
  const std::string ending = name.extension().string();
  for (const char* kind : {".txt", ".tsv", ".csv", ".zip", ".rar"}) {  // these have the form of a tag
    if (ending == kind) return "";
  }
  return ending.size() > 1 && text::is_language_tag(ending.substr(1)) ? text::canonical_tag(ending.substr(1)) : "";
}

std::vector<data::ParallelFiles> TextSettings::training_files() const {
  require<UsageError>(train_source.size() == train_target.size(), "train-source names ",
                      counted(std::ssize(train_source), "file"), " and train-target ", train_target.size(),
                      "; each source file needs its own target file.");
  const std::size_t corpora = train_source.size() + train_pairs.size();
  require<UsageError>(corpora > 0,
                      "there is no text to train on; name it with --train-source and --train-target, or with "
                      "--train-pairs.");
  require<UsageError>(train_weights.empty() || train_weights.size() == corpora, "train-weights has ",
                      counted(std::ssize(train_weights), "number"), " for ",
                      counted(static_cast<std::int64_t>(corpora), "corpus", "corpora"), ".");
  std::vector<data::ParallelFiles> files;
  for (std::size_t i = 0; i < train_source.size(); ++i) {
    files.push_back({train_source[i], train_target[i], weight_at(train_weights, files.size())});
  }
  for (const std::string& pairs : train_pairs) files.push_back({pairs, "", weight_at(train_weights, files.size())});
  for (const data::ParallelFiles& corpus : files) corpus.validate();
  return files;
}

data::ParallelFiles TextSettings::validation_files() const {
  require<UsageError>(valid_pairs.empty() || valid_source.empty(),
                      "the validation text is given twice; use either valid-pairs or valid-source and valid-target.");
  require<UsageError>(valid_source.empty() == valid_target.empty(),
                      "validation needs both valid-source and valid-target.");
  return valid_pairs.empty() ? data::ParallelFiles{valid_source, valid_target} : data::ParallelFiles{valid_pairs, ""};
}

void TextSettings::resolve_languages() {
  resolve_language(source_language, train_source, "source-language");
  resolve_language(target_language, train_target, "target-language");
}

DeviceAndType RunSettings::device_and_type() const {
  const bool bfloat16 =
      precision == TrainingPrecision::kBf16 || (precision == TrainingPrecision::kAuto && device == DeviceChoice::kCuda);
  return {device_of(device), bfloat16 && !bf16_products() ? DType::kBFloat16 : DType::kFloat32};
}

void RunSettings::validate() const {
  const std::string reason = bf16_products() ? why_no_bf16_products() : "";
  require<UsageError>(reason.empty(), "precision is bf16, but ", reason, "; choose fp32, or add --device cuda.");
  require<UsageError>(subword_sampling >= 0 && subword_sampling < 1, "subword-sampling is ", subword_sampling,
                      "; it must be at least 0 and below 1.");
  require_between("save-every", save_every, 1, kMax);
  require_between("valid-every", valid_every, 1, kMax);
  require_between("valid-bleu-sentences", valid_bleu_sentences, 0, kMax);
  require_between("patience", patience, 0, kMax);
  require<UsageError>(best_by == BestBy::kNll || valid_bleu_sentences > 0,
                      "best-by is bleu, but valid-bleu-sentences is 0.");
}

void MachineSettings::validate() const {
  require_between("minutes", minutes, 0, kMax);
  require_between("threads", threads, 0, 1024);
  require_between("report-every", report_every, 1, kMax);
  require_between("keep", keep, 1, kMax);
  require_between("exchange-timeout", exchange_timeout, 1, kMax);
}

void TrainingSettings::validate() const {
  model.validate();
  training.validate();
  tokenizer.validate();
  cleaning.validate();
  run.validate();
  machine.validate();
  require<UsageError>(cleaning.max_length <= training.batch_tokens, "max-length is ", cleaning.max_length,
                      ", but a batch has ", counted(training.batch_tokens, "token"),
                      "; raise batch-tokens or lower max-length.");
  const std::int64_t positions = model.make_model()->max_positions();
  require<UsageError>(cleaning.max_length <= positions, "max-length is ", cleaning.max_length, ", but the model has ",
                      counted(positions, "position"), "; lower max-length or raise max-positions.");
  require<UsageError>(run.patience == 0 || text.has_validation(), "patience is ", run.patience,
                      ", but there is no validation text.");
  require<UsageError>(!run.joint_vocabulary || model.source_vocabulary() == model.target_vocabulary(),
                      "source-vocabulary and target-vocabulary differ, but joint-vocabulary is true.");
}

namespace {

// Changes a text, or the texts of a list.
void change_texts(Json& value, std::string (*changed)(std::string_view)) {
  if (value.is_string()) value = changed(value.get<std::string>());
  if (!value.is_array()) return;
  for (Json& item : value) change_texts(item, changed);
}

}  // namespace

Json to_json(const TrainingSettings& settings) {
  Json object{{kArch, settings.model.arch()}};
  TrainingSettings::each(settings, [&](const auto& part) { object.update(settings_to_json(part)); });
  for (auto& value : object) change_texts(value, to_valid_utf8);  // names of files
  return object;
}

TrainingSettings settings_from_json(const Json& object, std::string_view where) {
  require<Error>(object.is_object(), where, ": the settings are not an object.");
  TrainingSettings settings;
  if (object.contains(kArch)) settings.model = model_of(setting_text(object[kArch], where), where);
  for (const auto& entry : object.items()) {
    const std::string& key = entry.key();
    bool known = key == kArch;
    TrainingSettings::each(settings, [&](auto& part) {
      part.fields([&](std::string_view name, auto&&, std::string_view) { known = known || name == key; });
    });
    require<OtherVersion>(known, where, ": there is no setting '", key,
                          "'; another version of dragoman wrote it. Continue with that version.");
    TrainingSettings::each(settings, [&](auto& part) {
      part.fields([&](std::string_view name, auto&& field, std::string_view) {
        if (name == key) read_value(field, from_valid_utf8(setting_text(entry.value(), where)), join(where, ": ", key));
      });
    });
  }
  return settings;
}

std::vector<std::string> differences(const TrainingSettings& before, const TrainingSettings& now) {
  std::vector<std::string> found;
  const auto compare = [&](const auto& old_part, const auto& new_part) {
    const Json old_values = settings_to_json(old_part), new_values = settings_to_json(new_part);
    for (const auto& [key, value] : new_values.items()) {
      if (key == "steps" || old_values.at(key) == value) continue;
      found.push_back(join(key, " was ", setting_text(old_values.at(key), key), " and is ", setting_text(value, key)));
    }
  };
  if (before.model.arch() == now.model.arch()) {
    compare(before.model, now.model);
  } else {
    found.push_back(join(kArch, " was ", before.model.arch(), " and is ", now.model.arch()));
  }
  compare(before.training, now.training);
  compare(before.tokenizer, now.tokenizer);
  compare(before.cleaning, now.cleaning);
  compare(before.run, now.run);
  return found;
}

}  // namespace dragoman::train
