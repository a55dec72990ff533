// dragoman import on damaged files: each is read, or refused in one sentence, in little memory. A damaged model that
// was read translates, or says in one sentence why not. Each file of each model in tests/models is cut short at every
// hundredth of its length, and 1,000 times one of its bits is changed. These tests try a sample; all are tried with
//   DRAGOMAN_DAMAGE=all build/release/import_damage_test
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/random.h"
#include "tests/foreign_models.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCuts = 100, kFlips = 1000;
constexpr std::size_t kSample = 14;  // trials of a kind of model, unless all are wanted

// What is done to a file.
struct Trial {
  ForeignFixture fixture;
  ForeignFixture::File file;
  std::size_t number = 0;  // first the cuts, then the flips

  std::string damaged(std::string bytes) const {
    if (number < kCuts) return bytes.substr(0, bytes.size() * number / kCuts);
    RandomStream random(7, 0, number);
    char& byte = bytes[random.below(static_cast<std::uint32_t>(bytes.size()))];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    return bytes;
  }
  std::string name() const { return fixture.name + ", " + file.from + ", trial " + std::to_string(number); }
};

// All trials of the fixtures whose names begin so. A file that several of them share is damaged in the first.
std::vector<Trial> all_trials(const std::string& kind) {
  std::vector<Trial> trials;
  std::set<std::string> seen;
  for (const ForeignFixture& fixture : foreign_fixtures()) {
    if (!fixture.name.starts_with(kind)) continue;
    for (const ForeignFixture::File& file : fixture.files) {
      if (!seen.insert(file.from).second) continue;
      for (std::size_t number = 0; number < kCuts + kFlips; ++number) trials.push_back({fixture, file, number});
    }
  }
  return trials;
}

class ImportDamage : public ::testing::Test {
 protected:
  ImportDamage() {
    fs::create_directory(directory);
    replace_file(directory + "/text", "the old man sees the house today\n");
  }
  ~ImportDamage() override { fs::remove_all(directory); }

  // Runs the program with little memory. (Sanitizers need much address space, but can limit allocations.)
  Ending run_limited(const std::string& arguments) const {
    const std::string limits =
        tests_with_sanitizers()
            ? "ASAN_OPTIONS=\"$ASAN_OPTIONS:max_allocation_size_mb=256:hard_rss_limit_mb=1024\" timeout 60 "
            : "ulimit -v 1048576 && timeout 20 ";
    return shell(limits + kProgram + " " + arguments);
  }
  // Returns whether the command succeeded. If not, it must have said why; if memory was scarce, it wanted too much.
  bool succeeds(const Ending& ending) {
    if (ending.status == 0) return true;
    EXPECT_TRUE(ending.status == 1 || ending.status == 2) << "status " << ending.status;
    expect_one_sentence(ending, ending.status, "");
    EXPECT_EQ(ending.err.find("out of memory"), std::string::npos) << ending.err;
    ++refused;
    return false;
  }
  void run_trial(const Trial& trial) {
    SCOPED_TRACE(trial.name());
    const std::string theirs = directory + "/theirs", ours = directory + "/ours";
    const std::string given = trial.fixture.write_to(theirs);
    std::ofstream(theirs + "/" + trial.file.name, std::ios::binary)
        << trial.damaged(read_file(kForeignModels / trial.file.from));
    const std::string languages = " --source-language en --target-language de";
    if (succeeds(run_limited("import '" + given + "' --model '" + ours + "'" + languages))) {
      succeeds(run_limited("translate --threads 1 --max-extra 5 --model '" + ours + "' '" + directory + "/text'"));
    } else {
      EXPECT_FALSE(fs::exists(ours));
    }
    fs::remove_all(theirs);
    fs::remove_all(ours);
  }
  void run_trials(const std::string& kind) {
    const std::vector<Trial> trials = all_trials(kind);
    const char* wanted = std::getenv("DRAGOMAN_DAMAGE");
    const bool all = wanted != nullptr && std::string(wanted) == "all";
    const std::size_t count = all ? trials.size() : kSample;
    for (std::size_t i = 0; i < count; ++i) run_trial(trials[i * trials.size() / count]);
    EXPECT_GT(refused, 0u);
    if (all) std::cout << kind << ": " << count << " damaged models, " << refused << " refused\n";
  }

  const std::string directory = scratch("_import_damage");
  std::size_t refused = 0;
};

TEST_F(ImportDamage, OfMarianIsRefusedOrDoesNoHarm) { run_trials("marian"); }
TEST_F(ImportDamage, OfM2M100IsRefusedOrDoesNoHarm) { run_trials("m2m100"); }
TEST_F(ImportDamage, OfCTranslate2IsRefusedOrDoesNoHarm) { run_trials("ctranslate2"); }
TEST_F(ImportDamage, OfArgosIsRefusedOrDoesNoHarm) { run_trials("argos"); }
TEST_F(ImportDamage, OfFairseqIsRefusedOrDoesNoHarm) { run_trials("fairseq"); }

}  // namespace
}  // namespace dragoman
