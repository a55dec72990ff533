#include "dragoman/study/ablate/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/utf8.h"

namespace dragoman::study::ablate {
namespace {

namespace fs = std::filesystem;

class RunFilesTest : public ::testing::Test {
 protected:
  RunFilesTest() { fs::create_directories(files.model() / "checkpoints"); }
  ~RunFilesTest() override { fs::remove_all(files.folder); }

  RunFiles files{fs::path(testing::TempDir()) / ("dragoman_run_files_" + std::to_string(::getpid()))};
};

TEST_F(RunFilesTest, AFinishedRunKeepsItsResultAndItsTranslations) {
  for (const fs::path& file : {files.settings(), files.evaluation(), files.messages(), files.hypotheses()}) {
    replace_file(file, "text\n");
  }
  EXPECT_FALSE(read_result(files));
  finish_run(files, {.steps = 850, .nll = 0.1, .training_seconds = 1.5, .evaluation_seconds = 0.25});
  EXPECT_EQ(list_directory(files.folder), (std::vector<fs::path>{files.hypotheses(), files.result()}));
  const RunResult result = read_result(files).value();
  EXPECT_EQ(result.steps, 850);
  EXPECT_EQ(result.nll, 0.1);
  EXPECT_EQ(result.training_seconds, 1.5);
  EXPECT_EQ(result.evaluation_seconds, 0.25);
}

TEST_F(RunFilesTest, ADamagedResultIsNamed) {
  replace_file(files.result(), "{\"steps\": tr");
  try {
    read_result(files);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("result.json"), std::string::npos) << error.what();
  }
}

TEST_F(RunFilesTest, AConfigurationHoldsEverySettingThatIsGiven) {
  train::TrainingSettings settings;
  settings.training.warmup = 123;
  settings.text.train_source = {"a \"b\".en", "c.en"};
  write_config_file(files.settings(), settings);
  const std::string text = read_file(files.settings());
  EXPECT_NE(text.find("warmup: \"123\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("d-k: \"none\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("train-source: \"a \\\"b\\\".en,c.en\"\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("valid-source"), std::string::npos) << text;
}

// The runs read the names back from the configuration.
TEST_F(RunFilesTest, AConfigurationHoldsNamesThatAreNotUtf8) {
  train::TrainingSettings settings;
  settings.text.train_source = {"a\xFF.en", "ü.en"};
  write_config_file(files.settings(), settings);
  const std::string text = read_file(files.settings());
  EXPECT_FALSE(first_invalid_utf8(text));
  EXPECT_NE(from_valid_utf8(text).find("train-source: \"a\xFF.en,ü.en\"\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dragoman::study::ablate
