#include "dragoman/cli/settings/settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dragoman/model/transformer/config.h"

namespace dragoman::cli {
namespace {

// A configuration file that is removed at the end of the test.
class File {
 public:
  explicit File(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("dragoman_settings_" + std::to_string(::getpid()) + "_" + std::to_string(++count_) + ".yaml"))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

model::TransformerConfig read(const std::vector<std::string>& arguments) {
  const auto command = command_for_tests();
  CommandSettings settings(*command);
  settings.add_flags(model::TransformerConfig{}, "Model");
  settings.allow_in_file(model::TrainingConfig());
  parse(*command, arguments);
  settings.read_file();
  model::TransformerConfig config;
  settings.apply(config);
  return config;
}

struct Lists {
  std::vector<std::string> models;
  std::string other;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(models), "some");
    field("other", other, "another");
  }
};

// The error message for a configuration file, with FILE for its name; empty if there is no error.
std::string error_message(const std::string& text) {
  const File file(text);
  try {
    read({"--config", file.path()});
  } catch (const UsageError& error) {
    std::string message = error.what();
    const std::size_t at = message.find(file.path());
    return at == std::string::npos ? message : message.replace(at, file.path().size(), "FILE");
  }
  return "";
}

TEST(CommandSettings, EveryFieldIsAFlag) {
  const auto config = read({"--d-model", "64", "--norm=pre", "--attention-bias", "--dropout", "0.25"});
  EXPECT_EQ(config.d_model, 64);
  EXPECT_EQ(config.norm, model::transformer::Norm::kPre);
  EXPECT_TRUE(config.attention_bias);
  EXPECT_EQ(config.P_drop, 0.25f);
}

TEST(CommandSettings, EveryFieldIsAKeyOfTheFile) {
  const File file("d-model: 64\nnorm: pre\nattention-bias: true\n");
  const auto config = read({"--config", file.path()});
  EXPECT_EQ(config.d_model, 64);
  EXPECT_EQ(config.norm, model::transformer::Norm::kPre);
  EXPECT_TRUE(config.attention_bias);
}

TEST(CommandSettings, FlagsWinOverTheFile) {
  const File file("d-model: 64\nattention-bias: true\nheads: 2\n");
  const auto config = read({"--d-model", "32", "--attention-bias=false", "--config", file.path()});
  EXPECT_EQ(config.d_model, 32);
  EXPECT_FALSE(config.attention_bias);
  EXPECT_EQ(config.h, 2);
}

TEST(CommandSettings, AFlagForOneStackWinsOverTheFlagForBothInAnyOrder) {
  const auto config = read({"--encoder-layers", "2", "--layers", "4"});
  EXPECT_EQ(config.N_enc, 2);
  EXPECT_EQ(config.N_dec, 4);
}

TEST(CommandSettings, TheLastValueOfARepeatedFlagWins) { EXPECT_EQ(read({"--heads", "2", "--heads", "4"}).h, 4); }

TEST(CommandSettings, AnEmptyFileSetsNothing) {
  EXPECT_EQ(error_message(""), "");
  EXPECT_EQ(error_message("# nothing yet\n"), "");
}

TEST(CommandSettings, KeysWithoutAFlagMayBeInTheFile) { EXPECT_EQ(error_message("label-smoothing: 0.2\n"), ""); }

TEST(CommandSettings, AnUnknownKeyIsReportedWithItsLineAndTheNearestKey) {
  EXPECT_EQ(error_message("heads: 4\nd-modle: 64\n"),
            "'FILE' line 2: there is no setting 'd-modle'. Did you mean 'd-model'?");
}

TEST(CommandSettings, AnInvalidValueIsReportedWithItsLine) {
  EXPECT_EQ(error_message("\nheads: 8x\n"), "'FILE' line 2: heads: '8x' is not a whole number, such as 4.");
}

TEST(CommandSettings, AKeyGivenTwiceIsRefused) {
  EXPECT_EQ(error_message("heads: 4\nheads: 8\n"), "'FILE' line 2: 'heads' is given a second time.");
}

TEST(CommandSettings, AFileThatIsNotAMappingOfValuesIsRefused) {
  EXPECT_EQ(error_message("- heads\n"),
            "'FILE' is no configuration; each line is a setting and its value, as in 'd-model: 512'.");
  EXPECT_EQ(error_message("heads: {a: 1}\n"), "'FILE' line 1: expected a setting and its value, as in 'd-model: 512'.");
  EXPECT_EQ(error_message("heads:\n"), "'FILE' line 1: expected a setting and its value, as in 'd-model: 512'.");
  EXPECT_EQ(error_message("heads: 4\n---\nheads: 8\n"),
            "'FILE' holds several YAML documents; a configuration file has one.");
  // yaml-cpp finds endless documents in this text.
  EXPECT_EQ(error_message(",\n"), "'FILE' holds several YAML documents; a configuration file has one.");
}

TEST(CommandSettings, BrokenYamlIsReportedWithItsLine) {
  EXPECT_TRUE(error_message("heads: 8\nd-model: }\n").starts_with("'FILE' line 2 is not YAML ("));
  EXPECT_NE(error_message(std::string(100000, '[')), "");
}

TEST(CommandSettings, AFileThatCannotBeReadIsNamed) {
  EXPECT_THROW(read({"--config", "/no/such/file.yaml"}), UsageError);
  EXPECT_THROW(read({"--config", "/"}), UsageError);
  EXPECT_EQ(error_message(std::string((1 << 20) + 1, '\n')), "the configuration 'FILE' is larger than 1 MiB.");
}

TEST(CommandSettings, WordsWithoutAFlagAreArguments) {
  const auto command = command_for_tests();
  CommandSettings settings(*command);
  settings.add_flags(Lists{}, "Options");
  settings.add_arguments("FILE", "some more");
  parse(*command, {"a,b", "--model", "m", "c d", "--", "--e"});
  EXPECT_EQ(settings.arguments(), (std::vector<std::string>{"a,b", "c d", "--e"}));
  EXPECT_TRUE(settings.has_flag("model"));
  EXPECT_FALSE(settings.has_flag("input"));
  Lists lists;
  settings.apply(lists);
  EXPECT_EQ(lists.models, std::vector<std::string>{"m"});
}

TEST(CommandSettings, AListMayBeGivenInParts) {
  const auto command = command_for_tests();
  CommandSettings settings(*command);
  settings.add_flags(Lists{}, "Options");
  parse(*command, {"--model", "a,b", "--model", "c"});
  Lists lists;
  settings.apply(lists);
  EXPECT_EQ(lists.models, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(CommandSettings, AListWithAnEmptyItemIsRefused) {
  const File file("model: ['', b]\n");
  const std::vector<std::vector<std::string>> wrong = {{"--model", "a,,b"},
                                                       {"--model", "a,"},
                                                       {"--model=,"},
                                                       {"--model", ",", "--other", "o"},
                                                       {"--model", "", "--model", "b"},
                                                       {"--config", file.path()}};
  for (const std::vector<std::string>& arguments : wrong) {
    const auto command = command_for_tests();
    CommandSettings settings(*command);
    settings.add_flags(Lists{}, "Options");
    parse(*command, arguments);
    settings.read_file();
    Lists lists;
    EXPECT_THROW(settings.apply(lists), UsageError) << arguments.front();
  }
}

}  // namespace
}  // namespace dragoman::cli
