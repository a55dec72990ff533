// Damaged files, full disks and wrong input: the program prints one sentence or recovers, and never crashes.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/random.h"
#include "dragoman/data/token_cache.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run.h"
#include "tests/training.h"

namespace dragoman {
namespace {

// The message of an Error; nullopt if none was thrown. Any other exception fails the test.
std::optional<std::string> error_message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

void expect_sentence(const std::string& text) {
  EXPECT_TRUE(text.size() > 10 && (text.ends_with(".") || text.ends_with("?"))) << text;
}

// Damages a file in 250 ways, one after the other, and calls `look` each time: 50 times the file is cut short, and 200
// times one byte is changed. Restores the file at the end.
void damage(const std::string& path, const std::function<void()>& look) {
  const std::string whole = read_file(path);
  const auto try_out = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    look();
  };
  RandomStream random(7);
  const auto somewhere = [&] { return random.below(static_cast<std::uint32_t>(whole.size())); };
  for (int i = 0; i < 50; ++i) try_out(whole.substr(0, i == 0 ? 0 : somewhere()));
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole;
    char& byte = bytes[somewhere()];
    byte = static_cast<char>(byte ^ (1 + random.below(255)));
    try_out(bytes);
  }
  std::ofstream(path, std::ios::binary) << whole;
}

class Damage : public TrainingTest {
 protected:
  // A run with checkpoints at steps 2, 4 and 6.
  Damage() { trained = run(train("model", kShort + "--steps 6")); }
  void SetUp() override { ASSERT_EQ(trained.status, 0) << trained.err; }

  Ending translate(const std::string& which) const {
    return shell("echo the cat | " + kProgram + " translate --threads 1 --model " + which);
  }

  const std::string kShort = "--save-every 2 --valid-every 4 --report-every 1 ";
  std::string model = file("model");
  Ending trained;
};

TEST_F(Damage, OfACheckpointIsFoundAndTheOneBeforeIsUsed) {
  for (const char* name : {"state.json", "model.safetensors", "optimiser.safetensors", "checksums.json"}) {
    damage(checkpoint(model, 6) + "/" + name, [&] {
      std::string said;
      const auto state = train::resumable_state(model, [&](const std::string& sentence) { said = sentence; });
      ASSERT_TRUE(state);
      // A change in checksums.json may be harmless, for example a tab in place of a space.
      EXPECT_TRUE(state->step == 4 || (state->step == 6 && std::string(name) == "checksums.json")) << name;
      if (state->step == 4) expect_sentence(said);
    });
    EXPECT_EQ(train::resumable_state(model, [](const std::string&) {})->step, 6);
  }
}

// The same without checksums to detect the damage first.
TEST_F(Damage, OfAStateIsFoundWhenItIsRead) {
  const train::Checkpoint newest{checkpoint(model, 6), 6};
  damage(checkpoint(model, 6) + "/state.json", [&] {
    const auto said =
        error_message([&] { train::run_state_from_json(train::read_unchecked_state(newest), "the state"); });
    if (said) expect_sentence(*said);
  });
}

TEST_F(Damage, OfAModelIsFoundOrDoesNoHarm) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.model"}) {
    damage(model + "/" + name, [&] {
      const auto said = error_message([&] {
        const std::vector<std::string> lines{"the cat sees", ""};
        decode::Translator translator(model, {.search = {.max_extra = 3}, .threads = 1});
        EXPECT_EQ(translator.translate(lines).size(), 2u);
      });
      if (said) expect_sentence(*said);
    });
    EXPECT_EQ(translate(model).status, 0);
  }
}

TEST_F(Damage, OfTheTokenCacheIsMendedOrFound) {
  const model::Tokenizers tokenizers = model::read_tokenizers(model);
  const data::CacheRequest request{.files = {{file("train.en"), file("train.ne")}},
                                   .source = tokenizers.source,
                                   .target = tokenizers.target,
                                   .cleaning = {.max_length = 40},
                                   .directory = model + "/corpus",
                                   .threads = 1};
  damage(model + "/corpus/tokens.cache", [&] {
    const auto said = error_message([&] {
      const data::TokenCache cache = data::TokenCache::open(request);
      EXPECT_EQ(cache.pairs(), 400);
      for (std::int64_t pair = 0; pair < cache.pairs(); ++pair) cache.pair(pair);
    });
    if (said) expect_sentence(*said);
  });
}

TEST_F(Damage, OfTheRecordsIsFoundOrDoesNoHarm) {
  damage(model + "/metrics.jsonl", [&] {
    const auto said = error_message([&] { train::read_metrics(model + "/metrics.jsonl"); });
    if (said) expect_sentence(*said);
  });
}

TEST_F(Damage, OfTheNewestCheckpointCostsNothingButTime) {
  ASSERT_EQ(run(train("straight", kShort + "--steps 8")).status, 0);
  std::filesystem::resize_file(checkpoint(model, 6) + "/optimiser.safetensors", 1000);
  const Ending ending = run(train("model", kShort + "--steps 8"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(ending.err.find("optimiser.safetensors' is damaged: its checksum is wrong. The run resumes"),
            std::string::npos);
  EXPECT_EQ(resumed_step(ending), 4);
  expect_same_weights(file("straight"), model, 8);
}

TEST_F(Damage, OfTheNewestCheckpointLeavesAnotherEvenIfFewAreKept) {
  const std::string few = kShort + "--average 0 --ema 0 --keep 1 --steps ";
  ASSERT_EQ(run(train("few", few + "6")).status, 0);
  EXPECT_EQ(checkpoint_steps(file("few")), (std::vector<int>{4, 6}));
  std::filesystem::remove(checkpoint(file("few"), 6) + "/model.safetensors");
  const Ending ending = run(train("few", few + "8"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(ending.err.find("model.safetensors' is missing. The run resumes"), std::string::npos) << ending.err;
  EXPECT_EQ(resumed_step(ending), 4);
}

// A symbolic link to itself cannot be read even by root. Such a failure says nothing about the checkpoint's bytes.
TEST_F(Damage, IsNotAssumedForAnUnreadableFile) {
  for (const int step : {4, 6}) {
    for (const char* name : {"state.json", "model.safetensors", "optimiser.safetensors", "checksums.json"}) {
      const std::string path = checkpoint(model, step) + "/" + name, whole = read_file(path);
      std::filesystem::remove(path);
      std::filesystem::create_symlink(name, path);
      std::filesystem::create_directory(model + "/checkpoints/step-8.unfinished");
      const std::string before = shell("find " + model + " | sort").out;
      expect_one_sentence(run(train("model", kShort + "--steps 8")), 1,
                          "cannot read '" + path + "' (too many levels of symbolic links).");
      EXPECT_EQ(shell("find " + model + " | sort").out, before);
      std::filesystem::remove(path);
      replace_file(path, whole);
    }
  }
  EXPECT_EQ(resumed_step(run(train("model", kShort + "--steps 8"))), 6);
}

TEST_F(Damage, IsNotAssumedForACheckpointOfAnotherVersion) {
  for (const char* change : {"s/\"format\": 1/\"format\": 2/", "s/\"dropout\"/\"dripout\"/"}) {
    const std::string state = checkpoint(model, 6) + "/state.json", list = checkpoint(model, 6) + "/checksums.json";
    const std::string whole = read_file(state), checksums = read_file(list);
    ASSERT_EQ(shell("sed -i '" + std::string(change) + "' " + state).status, 0);
    Json changed = parse_json(checksums, "checksums");
    changed["state.json"] = Hash().add(read_file(state)).hex();
    replace_file(list, changed.dump());
    expect_one_sentence(run(train("model", kShort + "--steps 8")), 1, "version");
    EXPECT_EQ(checkpoint_steps(model), (std::vector<int>{2, 4, 6}));
    replace_file(state, whole);
    replace_file(list, checksums);
  }
}

TEST_F(Damage, OfAllCheckpointsIsReportedInOneSentence) {
  for (const int step : {2, 4, 6}) std::filesystem::remove(checkpoint(model, step) + "/state.json");
  expect_one_sentence(run(train("model", kShort + "--steps 8")), 1, "start a new one from its model with --init");
  std::filesystem::remove(model + "/model.safetensors");
  expect_one_sentence(run(train("model", kShort + "--steps 8")), 1, "remove the directory to start again.");
}

TEST_F(Damage, OfAModelIsReportedInOneSentence) {
  const std::string copy = file("copy");
  const auto damaged = [&](const std::string& change) {
    std::filesystem::remove_all(copy);
    std::filesystem::copy(model, copy, std::filesystem::copy_options::recursive);
    EXPECT_EQ(shell("cd " + copy + " && " + change).status, 0);
    return translate(copy);
  };
  expect_one_sentence(damaged("sed -i s/d-model/d-modle/ config.json"), 1, "Did you mean 'd-model'?");
  expect_one_sentence(damaged("sed -i 's/\"format\": 1/\"format\": 9/' config.json"), 1, "is of format 9");
  expect_one_sentence(damaged("truncate -s 100 config.json"), 1, "is not JSON");
  expect_one_sentence(damaged("truncate -s 1000 model.safetensors"), 1, "model.safetensors");
  expect_one_sentence(damaged("truncate -s -4 model.safetensors"), 1, "cut short");
  expect_one_sentence(damaged("rm model.safetensors"), 1, "there is no model.safetensors in");
  expect_one_sentence(damaged("rm model.safetensors && mkdir model.safetensors"), 1, "is not a file");
  expect_one_sentence(damaged("rm tokenizer.model"), 1, "there is no tokenizer.model in");
  expect_one_sentence(damaged("truncate -s 50 tokenizer.model"), 1, "is not a SentencePiece model");
  expect_one_sentence(damaged("cp metrics.jsonl tokenizer.model"), 1, "is not a SentencePiece model");
  const std::string other = " tokenizer train --vocabulary 40 --input " + file("train.en") + " --output ";
  expect_one_sentence(damaged(kProgram + other + "other >/dev/null && mv other tokenizer.model"), 1,
                      "has 40 tokens, but the model has 60 rows for it");
}

TEST_F(Damage, AForeignVocabularyOrCheckpointIsDetected) {
  const std::string longer = train("model", kShort + "--steps 8");
  const std::string tokenizer = read_file(model + "/tokenizer.model");
  ASSERT_EQ(run("tokenizer train --vocabulary 40 --input " + file("train.en") + " --output " + file("other")).status,
            0);
  std::filesystem::rename(file("other"), model + "/tokenizer.model");
  expect_last_sentence(run(longer), 2, "the training text or the vocabulary is not that of the run in");
  replace_file(model + "/tokenizer.model", tokenizer);

  ASSERT_EQ(run(train("foreign", kShort + "--steps 6 --d-ff 24")).status, 0);
  for (const char* name : {"model.safetensors", "optimiser.safetensors"}) {
    std::filesystem::copy(checkpoint(file("foreign"), 6) + "/" + name, checkpoint(model, 6) + "/" + name,
                          std::filesystem::copy_options::overwrite_existing);
  }
  EXPECT_EQ(resumed_step(run(longer)), 4);
  std::filesystem::remove_all(model + "/checkpoints");
  std::filesystem::copy(file("foreign/checkpoints"), model + "/checkpoints", std::filesystem::copy_options::recursive);
  expect_one_sentence(run(longer), 2, "d-ff was 24 and is 32");
}

TEST_F(Damage, ARunThatDivergesStopsAndKeepsItsCheckpoint) {
  const auto before = bytes_of(model, 6);
  expect_last_sentence(run(train("model", kShort + "--steps 20 --rate-constant 1e30 --allow-changes")), 1,
                       "training diverged: the loss of step 8 is not a finite number, at epoch 1, batch ");
  EXPECT_TRUE(bytes_of(model, 6) == before);
  EXPECT_EQ(resumed_step(run(train("model", kShort + "--steps 8"))), 6);
}

// A file system of limited size.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) { std::filesystem::create_directories(path); }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Sets its size; returns false if this user is not allowed to.
  bool resize(std::int64_t bytes) {
    const std::string options = "size=" + std::to_string(bytes);
    const bool done = ::mount("tmpfs", path_.c_str(), "tmpfs", mounted_ ? MS_REMOUNT : 0, options.c_str()) == 0;
    mounted_ = mounted_ || done;
    return done;
  }

 private:
  std::string path_;
  bool mounted_ = false;
};

std::int64_t bytes_in(const std::string& directory) {
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  }
  return bytes;
}

TEST_F(Damage, AFullDiskStopsTheRunWhichResumesWhenThereIsSpace) {
  const std::int64_t needed = bytes_in(model);
  for (const int percent : {10, 30, 45, 60, 75, 90}) {
    const std::string name = "disk" + std::to_string(percent), command = train(name + "/model", kShort + "--steps 6");
    SmallDisk disk(file(name));
    if (!disk.resize(needed * percent / 100)) GTEST_SKIP() << "only root may mount a small file system";
    const Ending full = run(command);
    expect_last_sentence(full, 1, "(no space left on device)");
    const bool saved = !checkpoint_steps(file(name) + "/model").empty();
    expect_last_sentence(run(command), 1, "(no space left on device)");
    ASSERT_TRUE(disk.resize(10 * needed));
    const Ending again = run(command);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(resumed_step(again) > 0, saved);
    expect_same_run(model, file(name) + "/model", 6);
  }
}

TEST_F(Damage, AnUnwritablePathIsNamed) {
  expect_one_sentence(run("train --model /proc/nothing" + flags()), 1, "cannot make the directory '/proc/nothing'");
  expect_one_sentence(run("train --model " + file("train.en") + flags()), 2, "train.en' is a file; name a directory");
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::permissions(model, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expect_last_sentence(run(train("model", kShort + "--steps 8")), 1, "(permission denied)");
  std::filesystem::permissions(model, std::filesystem::perms::owner_all);
}

class WrongInput : public TrainingTest {
 protected:
  // Trains on these files of the test's directory.
  Ending train_on(const std::string& source, const std::string& target, const std::string& more = "") const {
    return run("train --model " + file("model") +
               " --layers 1 --d-model 8 --d-ff 8 --heads 1 --vocabulary 60 --steps 2" +
               " --batch-tokens 256 --max-length 40 --train-source " + file(source) + " --train-target " +
               file(target) + " " + more);
  }
};

TEST_F(WrongInput, TextIsRefusedWithItsFileAndLine) {
  ASSERT_EQ(
      shell("cd " + directory + " && head -399 train.ne >short && : >empty && mkdir folder && cp train.en bad &&" +
            " printf 'caf\\351\\n' >>bad && (cat train.ne; echo x) >longer")
          .status,
      0);
  expect_last_sentence(train_on("train.en", "short"), 2, "train.en' has 400 lines but ");
  expect_last_sentence(train_on("bad", "longer"), 2, "bad' line 401 is not UTF-8 text (byte 0xE9 at column 4)");
  expect_last_sentence(train_on("empty", "empty"), 2, "there is no text to learn a vocabulary from");
  expect_last_sentence(train_on("missing", "train.ne"), 1, "missing' (no such file or directory)");
  expect_last_sentence(train_on("folder", "train.ne"), 2, "folder' is not a regular file");
  expect_last_sentence(
      train_on("train.en", "train.ne", "--valid-source " + file("empty") + " --valid-target " + file("empty")), 2,
      "empty' is empty.");
}

TEST_F(WrongInput, AMissingDeviceIsReportedBeforeAnyTextIsRead) {
  if (cuda_devices() > 0) GTEST_SKIP() << "this machine has a CUDA device";
  expect_one_sentence(train_on("train.en", "train.ne", "--device cuda"), 1, "use --device cpu");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST_F(WrongInput, SettingsThatDoNotFitAreNamed) {
  const auto with = [&](const std::string& more) { return train_on("train.en", "train.ne", more); };
  std::ofstream(file("config.yaml")) << "d-modle: 32\n";
  expect_one_sentence(with("--config " + file("config.yaml")), 2, "no setting 'd-modle'. Did you mean 'd-model'?");
  expect_one_sentence(with("--train-weights 1,2"), 2, "train-weights has 2 numbers for 1 corpus");
  expect_one_sentence(with("--source-language english"), 2, "'english', which is not a language tag");
  expect_last_sentence(with("--max-length 300"), 2, "max-length is 300, but a batch has 256 tokens");
  expect_last_sentence(with("--patience 3"), 2, "patience is 3, but there is no validation text");
  expect_last_sentence(with("--valid-source x"), 2, "validation needs both valid-source and valid-target");
  expect_last_sentence(with("--init " + file("nowhere")), 1, "nowhere");
  expect_one_sentence(run("train --model " + file("nowhere")), 2, "there is no text to train on");
  expect_one_sentence(run("train"), 2, "--model DIR");
}

}  // namespace
}  // namespace dragoman
