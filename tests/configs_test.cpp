// The files in configs/: `train` accepts each of them, and they agree with the presets.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/settings.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> config_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(DRAGOMAN_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

struct PresetName {
  std::string preset;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("preset", preset, "settings to start from");
  }
};

// What `train` reads from the file: the preset that it names, and the resulting settings.
struct Config {
  model::Preset preset;
  train::TrainingSettings settings;
};

Config read_config(const fs::path& file) {
  const auto command = cli::command_for_tests();
  cli::CommandSettings given(*command);
  given.add_flags(PresetName{}, "Options");
  train::TrainingSettings settings;
  train::TrainingSettings::each(settings, [&](const auto& part) { given.add_flags(part, "Options"); });
  cli::parse(*command, {"--config", file.string()});
  given.read_file();
  PresetName name;
  given.apply(name);
  const model::Preset preset = model::preset(name.preset);
  settings.model = preset.model;
  settings.training = preset.training;
  train::TrainingSettings::each(settings, [&](auto& part) { given.apply(part); });
  return {preset, settings};
}

// The keys whose values differ.
template <class Part>
std::set<std::string> differing(const Part& one, const Part& other) {
  std::set<std::string> keys;
  const Json first = settings_to_json(one), second = settings_to_json(other);
  for (const auto& [key, value] : first.items()) {
    if (second.at(key) != value) keys.insert(key);
  }
  return keys;
}

// The keys in which a file deliberately differs from its preset.
struct Own {
  std::set<std::string> model, training;
};

Own own_keys(const std::string& name) {
  // A short recipe for a CPU, from the preset multi30k-tiny.
  if (name == "multi30k-cpu") {
    return {{"dropout", "norm", "source-vocabulary", "target-vocabulary"},
            {"accumulate", "average", "batch-tokens", "rate-constant", "steps", "warmup"}};
  }
  // Both start from the preset iwslt: europarl has its own recipe, tatoeba-zh its own model and recipe.
  if (name == "europarl") {
    return {{}, {"average", "batch-tokens", "cooldown", "peak-rate", "schedule", "steps", "warmup"}};
  }
  if (name == "tatoeba-zh") {
    return {{"attention-dropout", "d-model", "decoder-layers", "encoder-layers", "relu-dropout", "source-vocabulary",
             "target-vocabulary", "tie"},
            {"batch-tokens", "cooldown", "peak-rate", "schedule", "steps", "warmup"}};
  }
  return {};
}

TEST(Configs, AreThere) { EXPECT_GE(config_files().size(), 7u); }

TEST(Configs, AgreeWithTheirPresets) {
  for (const fs::path& file : config_files()) {
    const Config config = read_config(file);
    const Own own = own_keys(file.stem());
    EXPECT_EQ(differing(config.settings.model, config.preset.model), own.model) << file;
    EXPECT_EQ(differing(config.settings.training, config.preset.training), own.training) << file;
    EXPECT_NO_THROW(config.settings.validate()) << file;
  }
}

// The program must get as far as opening the text, which does not exist: then it has accepted every key and value.
TEST(Configs, AreAcceptedByTrain) {
  const std::string model = scratch("_configs"), missing = scratch("_missing.en");
  for (const fs::path& file : config_files()) {
    const Ending ending = run("train --config '" + file.string() + "' --model " + model + " --train-source " + missing +
                              " --train-target " + missing);
    EXPECT_EQ(ending.status, 1) << file << ": " << ending.err;
    EXPECT_NE(ending.err.find("cannot read '" + missing + "'"), std::string::npos) << file << ": " << ending.err;
    fs::remove_all(model);
  }
}

}  // namespace
}  // namespace dragoman
