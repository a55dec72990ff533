// The help of the program: for every command the same from `help` and --help, with examples that work.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "dragoman/base/files.h"
#include "tests/command_help.h"
#include "tests/program.h"
#include "tests/tested_program.h"
#include "tests/training.h"

namespace dragoman {
namespace {

TEST(Help, IsTheSameFromTheCommandAndFromTheFlag) {
  for (const HelpedCommand& command : commands_from_help()) {
    const Ending by_command = run("help " + command.name), by_flag = run(command.name + " --help");
    EXPECT_EQ(by_command.status, 0) << by_command.err;
    EXPECT_EQ(by_command.out, by_flag.out);
    EXPECT_EQ(run(command.name + " -h").out, by_flag.out);
  }
}

TEST(Help, OfACommandThatDoesNotExistIsRefused) {
  expect_one_sentence(run("help trian"), 2, "help: there is no command 'trian'. Did you mean 'train'?");
  expect_one_sentence(run("help tokenizer tarin"), 2, "there is no command 'tokenizer tarin'. Did you mean 'train'?");
  expect_one_sentence(run("help train now"), 2, "there is no command 'train now', because 'train' has none inside it;");
  expect_one_sentence(run("trian --help"), 2, "there is no command 'trian'. Did you mean 'train'?");
}

TEST(Help, ShowsDefaultsAndRequiredFlags) {
  const std::string help = run("help translate").out;
  EXPECT_NE(help.find("Usage: dragoman translate --model DIR [FLAG]... [FILE]...\n"), std::string::npos) << help;
  EXPECT_NE(help.find("(required)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  --device cpu|cuda "), std::string::npos) << help;
  EXPECT_NE(help.find("NVIDIA GPU (default: cpu)\n"), std::string::npos) << help;
  EXPECT_NE(run("help train").out.find("(default: true)\n"), std::string::npos);  // a switch that is on
}

TEST(Help, NamesEveryFlagThatIsRequired) {
  int required = 0;
  for (const HelpedCommand& command : commands_from_help()) {
    if (command.required.empty()) continue;
    const Ending ending = run(command.name + " < /dev/null");
    for (const std::string& flag : command.required) {
      expect_one_sentence(ending, 2, flag);
      ++required;
    }
  }
  EXPECT_GE(required, 14);
}

TEST(Help, HasLinesThatFitExceptExamples) {
  for (const HelpedCommand& command : commands_from_help()) {
    const std::string help = run("help " + command.name).out;
    std::istringstream lines(help.substr(0, help.find("\nExamples:\n")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Help, HasTwoExamplesForEveryCommand) {
  for (const HelpedCommand& command : commands_from_help()) EXPECT_GE(command.examples.size(), 2u) << command.name;
}

// A directory as it is after `dragoman demo`, with a tiny model on tiny texts, where examples are run.
class Examples : public TrainingTest {
 protected:
  Examples() {
    namespace fs = std::filesystem;
    write_text("test", 5, 3);
    make_directory(file("dragoman-demo/text"));
    for (const std::string name : {"train", "valid", "test"}) {
      fs::copy(file(name + ".en"), file("dragoman-demo/text/" + name + ".en"));
      fs::copy(file(name + ".ne"), file("dragoman-demo/text/" + name + ".de"));
    }
    replace_file(file("dragoman-demo/text/probe.en"), "the cat sees a dog\n");
    for (const char* place :
         {"bin", ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"}) {
      make_directory(file(place));
    }
    add_models_of_others();
    fs::create_symlink(tested_program(), file("bin/dragoman"));
    replace_file(file("bin/man"), "#!/bin/sh\nexec grep -q EXAMPLES\n");
    fs::permissions(file("bin/man"), fs::perms::owner_all);
    const Ending made = bash("dragoman train --model dragoman-demo --steps 4" + kText + kTiny);
    EXPECT_EQ(made.status, 0) << made.err;
  }

  // Models that `dragoman import` is shown with.
  void add_models_of_others() const {
    namespace fs = std::filesystem;
    const fs::path models = fs::path(DRAGOMAN_SOURCE_DIR) / "tests/models";
    fs::copy(models / "marian", file("opus-mt-en-de"));
    fs::copy(models / "marian/mostly.bin", file("opus-mt-en-de/pytorch_model.bin"));
    fs::copy(models / "ctranslate2", file("ct2-en-de"));
    fs::copy(models / "ctranslate2/int8.bin", file("ct2-en-de/model.bin"));
    for (const std::string name : {"source.spm", "target.spm"}) {
      fs::copy(models / "marian" / name, file("ct2-en-de/" + name));
    }
    fs::copy(models / "fairseq/new", file("wmt14"));
  }

  Ending bash(const std::string& line) const {
    replace_file(file("line.sh"), "set -e -o pipefail\n" + line + "\n");
    return shell("cd " + directory + " && HOME=$PWD PATH=$PWD/bin:$PATH timeout 100 bash line.sh < /dev/null");
  }

  // The example, changed so that it ends soon, and needs neither a free port nor another shell.
  std::string quick(const std::string& example) const {
    const auto begins = [&](const std::string& words) { return (example + " ").starts_with(words + " "); };
    if (begins("dragoman train")) {
      return example + kTiny + (std::filesystem::exists(file("english-german")) ? " --steps 8" : " --steps 6");
    }
    if (begins("dragoman demo --task")) return example + " --steps 10";
    if (begins("dragoman ablate")) return example + kTinyModel + " --layers 3 --steps 2";
    if (begins("dragoman gradcheck")) return example + " --filter softmax";
    if (begins("dragoman serve")) {
      return example +
             " --address 127.0.0.1 --port 0 2> log & for i in {1..100}; do sleep 0.1; "
             "if grep -q listening log; then kill $!; wait $!; exit; fi; done; cat log >&2; exit 1";
    }
    if (example == "source <(dragoman completion zsh)") return "dragoman completion zsh";
    if (example == "dragoman completion fish | source") return "dragoman completion fish";
    return example;
  }

  inline static const std::string kText =
      " --train-source dragoman-demo/text/train.en --train-target dragoman-demo/text/train.de"
      " --valid-source dragoman-demo/text/valid.en --valid-target dragoman-demo/text/valid.de";
  inline static const std::string kTinyModel =
      " --layers 1 --d-model 16 --d-ff 32 --heads 2 --vocabulary 60 --max-length 40 --batch-tokens 256 --threads 1"
      " --save-every 2";
  inline static const std::string kTiny = kTinyModel + " --valid-every 4 --valid-bleu-sentences 2";
};

TEST_F(Examples, AllWork) {
  std::set<std::string> seen;
  for (const HelpedCommand& command : commands_from_help()) {
    for (const std::string& example : command.examples) {
      if (!seen.insert(example).second) continue;  // a group and its command share it
      if (example == "dragoman demo") {            // takes minutes: checked as far as its flags
        expect_one_sentence(bash(example + " --no-such-flag"), 2, "there is no flag '--no-such-flag'");
        continue;
      }
      const Ending ending = bash(quick(example));
      EXPECT_EQ(ending.status, 0) << quick(example) << "\n" << ending.err;
    }
  }
  EXPECT_GE(seen.size(), 30u);
  for (const char* result :
       {"best.txt", "attention.html", "test.de", "english-german-mean/model.safetensors", "demo-int8/model.safetensors",
        "english-german-opus/model.safetensors", "english.model", "test.ids", "dragoman.1"}) {
    EXPECT_TRUE(std::filesystem::exists(file(result))) << result;
  }
}

}  // namespace
}  // namespace dragoman
