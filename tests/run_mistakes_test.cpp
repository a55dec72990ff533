// Mistakes with training runs that have begun or ended: each gets one sentence, and the run loses nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dragoman/base/files.h"
#include "tests/program.h"
#include "tests/terminal.h"
#include "tests/tested_program.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class RunMistakes : public TrainingTest {
 protected:
  RunMistakes() { EXPECT_EQ(run(train("model", "--steps 2 --save-every 1")).status, 0); }
  std::string again(const std::string& more) const { return "train --model " + file("model") + " --steps 4 " + more; }
  Ending fresh(const std::string& source, const std::string& target, const std::string& more = "") const {
    return run("train --model " + file("new") + " --train-source " + file(source) + " --train-target " + file(target) +
               " --layers 1 --d-model 16 --d-ff 32 --heads 2 --vocabulary 60 --max-length 40 --batch-tokens 256"
               " --threads 1 --steps 1 " +
               more);
  }
};

TEST_F(RunMistakes, SizesCannotChange) {
  const std::string sentence = "sizes of the model cannot change in a run that has begun";
  expect_one_sentence(run(again("--layers 2")), 2, sentence);
  expect_one_sentence(run(again("--layers 2 --allow-changes")), 2, sentence);
  expect_one_sentence(run(again("--vocabulary 80 --allow-changes")), 2, sentence);
  expect_one_sentence(run(again("--dropout 0.3")), 2, "or add --allow-changes.");
}

TEST_F(RunMistakes, DemoNamesTheStepsOfTheRunInItsDirectory) {
  expect_one_sentence(run("demo --model " + file("model") + " --steps 3"), 2,
                      "holds a run of 2 steps; choose another directory with --model, or the same --steps.");
  EXPECT_FALSE(std::filesystem::exists(file("model/text")));
}

TEST_F(RunMistakes, AnotherTextIsRefusedBeforeTheTokensAreReplaced) {
  write_text("other", 50, 3);
  const std::string tokens = read_file(file("model/corpus/tokens.cache"));
  expect_last_sentence(run(again("--train-source " + file("other.en") + " --train-target " + file("other.ne"))), 2,
                       "the training text is not that of the run in '" + file("model") + "', which began with '" +
                           file("train.en") + "';");
  EXPECT_TRUE(read_file(file("model/corpus/tokens.cache")) == tokens);
  expect_last_sentence(run(again("--train-weights 2")), 2, "(train-weights) are not those of the run");
}

// The names are in the record of the run, which is JSON.
TEST_F(RunMistakes, NamesNeedNotBeUtf8) {
  for (const char* side : {"en", "ne"}) {
    std::filesystem::copy_file(file(std::string("train.") + side), file(std::string("tr\xFFin.") + side));
  }
  const auto train_odd = [&](int steps) {
    return run("train --model '" + file("m\xFFo") + "' --steps " + std::to_string(steps) +
               (steps > 1 ? ""
                          : " --train-source '" + file("tr\xFFin.en") + "' --train-target '" + file("tr\xFFin.ne") +
                                "' --layers 1 --d-model 16 --d-ff 32 --heads 2 --vocabulary 60 --max-length 40"
                                " --batch-tokens 256 --threads 1"));
  };
  for (const int steps : {1, 2}) {
    const Ending ending = train_odd(steps);
    EXPECT_EQ(ending.status, 0) << ending.err;
  }
  const Ending inspected = run("inspect --json --model '" + file("m\xFFo") + "'");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  expect_one_sentence(fresh("train.en", "train.ne", "--source-language 'e\xFF'"), 2, "source-language");
}

TEST_F(RunMistakes, AConfigOfANewerFormatIsNotReplaced) {
  const std::string config = file("model/config.json");
  ASSERT_EQ(shell("sed -i 's/\"format\": 1/\"format\": 7/' " + config).status, 0);
  expect_one_sentence(run(again("")), 1, "is of format 7, but this program reads format 1;");
  EXPECT_NE(read_file(config).find("\"format\": 7"), std::string::npos);
}

TEST_F(RunMistakes, ARunThatCannotStartLeavesNothingBehind) {
  write_text("empty", 0, 4);
  replace_file(file("blank.en"), std::string(400, '\n'));
  const auto refused = [&](const Ending& ending, int status, const std::string& part) {
    expect_last_sentence(ending, status, part);
    EXPECT_FALSE(std::filesystem::exists(file("new"))) << part;
  };
  refused(fresh("train.en", "train.ne", "--max-length 2"), 2, "all 400 are longer than 2 tokens; raise --max-length.");
  refused(fresh("blank.en", "train.ne"), 2, "no pair is left to train on: all 400 have an empty side.");
  refused(fresh("train.en", "train.ne", "--probe none.txt"), 1, "cannot read 'none.txt'");
  refused(fresh("train.en", "train.ne", "--memory-mb 1"), 1, "but 1 MiB is allowed; raise --memory-mb");
  const std::string empty = "--valid-source " + file("empty.en") + " --valid-target " + file("empty.ne");
  refused(fresh("train.en", "train.ne", empty), 2, "empty.en' is empty.");
  expect_one_sentence(run("train --model a,b" + text_flags()), 2, "'a,b' has a comma, which separates models");
  EXPECT_FALSE(std::filesystem::exists("a,b"));
}

TEST_F(RunMistakes, ARunIsNotDeniedIfAFlagStartsAgain) {
  EXPECT_EQ(run("train --model " + file("other") + flags() + " --steps 1").status, 0);
  for (const std::string& flag : {std::string("--preset demo"), "--init " + file("other")}) {
    expect_one_sentence(run(again(flag)), 2, "is not resumed with its own settings and text; leave the flag out");
  }
  expect_one_sentence(run("train --model " + file("none") + " --preset demo"), 2, "holds no run to resume");
}

TEST_F(RunMistakes, AMeanOfCheckpointsStaysIfNothingIsTrained) {
  ASSERT_EQ(run("average --last 2 --model " + file("model")).status, 0);
  const std::string mean = read_file(file("model/model.safetensors")), heads = file("model/heads.json");
  ASSERT_EQ(run("train --model " + file("model")).status, 0);  // finds the roles of the mean's heads
  std::string roles = read_file(heads);
  roles.replace(roles.find("\"sentences\": 30"), 15, "\"sentences\": 29");  // as if found by 'dragoman heads'
  replace_file(heads, roles);
  const Ending again = run("train --model " + file("model"));
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("(the mean of the checkpoints of steps 1, 2)"), std::string::npos) << again.err;
  EXPECT_TRUE(read_file(file("model/model.safetensors")) == mean);
  EXPECT_EQ(read_file(heads), roles);
  std::filesystem::remove(file("model/model.safetensors"));
  EXPECT_EQ(run("train --model " + file("model")).status, 0);
  EXPECT_TRUE(std::filesystem::exists(file("model/model.safetensors")));
}

TEST_F(RunMistakes, ANewRunHasTheSizesOfTheModelThatItStartsFrom) {
  const std::string init = "--init " + file("model") + " ";
  expect_one_sentence(run("train --model " + file("model") + " " + init), 2,
                      "--init and --model name the same directory; leave out --init to go on with the run in it");
  const Ending other = fresh("train.en", "train.ne", init + "--layers 3");
  expect_last_sentence(other, 2, "encoder-layers was 1 and is 3");
  expect_last_sentence(other, 2, "; leave these settings out.");
  EXPECT_FALSE(std::filesystem::exists(file("new")));
}

TEST_F(RunMistakes, AReportIsRefusedWithTheNameOfTheRun) {
  const std::string report = "report --output " + file("x.html") + " --model " + file("model");
  const std::string hint = "Did you mean '" + file("model") + "'?";
  expect_one_sentence(run(report + "/metrics.jsonl"), 1, "is not a directory, but a training run is one. " + hint);
  expect_one_sentence(run(report + "/checkpoints/step-2"), 1, "it has no metrics.jsonl. " + hint);
  const std::string records = read_file(file("model/metrics.jsonl"));
  expect_one_sentence(run("report --model " + file("model") + " --output " + file("model/metrics.jsonl")), 2,
                      "is a file of a model; name another file to write.");
  EXPECT_EQ(read_file(file("model/metrics.jsonl")), records);
  replace_file(file("model/metrics.jsonl"), "");
  const Ending empty = run(report);
  EXPECT_EQ(empty.status, 0);
  EXPECT_NE(empty.err.find("the run 'model' has no records yet, so its curves are empty."), std::string::npos);
  Terminal page(tested_program() + " report --model " + file("model"));
  EXPECT_TRUE(page.shows("the page would go to the terminal; name a file, such as --output report.html."));
}

TEST_F(RunMistakes, AModelWithFewPositionsIsRefusedBeforeTheTextIsRead) {
  const std::string positions = "--positions learned --max-positions ";
  expect_one_sentence(fresh("train.en", "train.ne", positions + "39"), 2,
                      "max-length is 40, but the model has 39 positions; lower max-length or raise max-positions.");
  EXPECT_FALSE(std::filesystem::exists(file("new")));
  EXPECT_EQ(fresh("train.en", "train.ne", positions + "40").status, 0);
}

TEST_F(RunMistakes, AFileOfARunIsNotReplacedByAnOutput) {
  const std::string part = "' is a file of a model; name another file to write.";
  make_directory(file("model/probe"));
  for (const char* made : {"model/corpus/contents", "model/probe/step-1.jsonl", "model/metrics.csv", "report.html"}) {
    replace_file(file(made), "");
  }
  for (const char* name : {"checkpoints/step-2/state.json", "checkpoints/step-2/checksums.json", "corpus/contents",
                           "corpus/tokens.cache", "probe/step-1.jsonl", "metrics.csv", "report.html"}) {
    const std::string path = file("model/") + name, before = read_file(path);
    expect_one_sentence(run("cost --output " + path), 2, part);
    EXPECT_TRUE(read_file(path) == before) << name;
  }
  const std::string step = "cd " + file("model/checkpoints/step-2") + " && " + kProgram;
  expect_one_sentence(shell(step + " cost --output state.json"), 2, part);
  EXPECT_EQ(run("cost --output " + file("report.html")).status, 0);  // not in a run
  const std::string report = "report --model " + file("model") + " --output " + file("model/report.html");
  EXPECT_EQ(run(report).status, 0);
}

TEST_F(RunMistakes, SmallTextsAreReadBeforeTheLargeOne) {
  replace_file(file("tabs"), "a\tb\tc\n");
  replace_file(file("u16"), "\xFF\xFEo");
  expect_one_sentence(fresh("train.en", "train.ne", "--valid-pairs " + file("tabs")), 2, "has 2 tabs;");
  expect_one_sentence(fresh("train.en", "train.ne", "--probe " + file("u16")), 2, "is in UTF-16;");
  replace_file(file("blank"), "\n");
  expect_one_sentence(fresh("train.en", "train.ne", "--probe " + file("blank")), 2, "has no sentence;");
  const auto valid = [&](const std::string& source, const std::string& target) {
    return fresh("train.en", "train.ne", "--valid-source " + file(source) + " --valid-target " + file(target));
  };
  expect_one_sentence(valid("valid.en", "train.ne"), 2, "has 30 lines but");
  expect_one_sentence(valid("blank", "blank"), 2, "blank' has no pair with words on both sides.");
  replace_file(file("t.zip"), "PK\x03\x04\n");
  expect_one_sentence(
      fresh("t.zip", "train.ne", "--valid-source " + file("valid.en") + " --valid-target " + file("valid.ne")), 2,
      "is a zip archive; unpack it first.");
}

TEST_F(RunMistakes, FilesThatAreProbablyWrongAreMentioned) {
  const auto said = [&](const Ending& ending, const std::string& part) {
    EXPECT_EQ(ending.status, 0);
    EXPECT_NE(ending.err.find(part), std::string::npos) << ending.err;
    std::filesystem::remove_all(file("new"));
  };
  const auto valid = [&](const std::string& source, const std::string& target) {
    return fresh("train.en", "train.ne", "--valid-source " + file(source) + " --valid-target " + file(target));
  };
  said(fresh("train.en", "train.en"), "--train-source and --train-target name the same file");
  said(valid("train.en", "train.ne"), "is also training text");
  said(valid("valid.ne", "valid.en"), "did you swap source and target?");
  const std::string right = valid("valid.en", "valid.ne").err;
  EXPECT_EQ(right.find("train: "), std::string::npos) << right;
}

}  // namespace
}  // namespace dragoman
