// dragoman doctor as its user sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/serve/http/listener.h"
#include "tests/child.h"
#include "tests/small_model.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

class Doctor : public SmallModelTest {
 protected:
  // Two threads. The port is not named, so a server that uses it on this machine gives only a warning.
  static Ending doctor(const std::string& flags) { return run("doctor --threads 2 " + flags); }
  static Json report(const Ending& ending) { return parse_json(ending.out, "the report"); }

  // The findings of one check, in all sections.
  static std::vector<Json> findings(const Json& report, const std::string& check) {
    std::vector<Json> found;
    for (const Json& section : report["sections"]) {
      for (const Json& finding : section["findings"]) {
        if (finding["check"] == check) found.push_back(finding);
      }
    }
    return found;
  }
  // 200 pairs of sentences that are all different; `name` makes them differ from those of other texts.
  void write_text(const std::string& name, const std::string& more_source = "",
                  const std::string& more_target = "") const {
    std::string source, target;
    for (int i = 0; i < 200; ++i) {
      const std::string words = data::words(3 + i % 9) + " " + name + " " + std::to_string(i);
      source += "the " + words + "\n";
      target += "das " + words + "\n";
    }
    write(name + ".en", source + more_source);
    write(name + ".de", target + more_target);
  }
  std::string text_flags(const std::string& kind, const std::string& name) const {
    return " --" + kind + "-source " + file(name + ".en") + " --" + kind + "-target " + file(name + ".de");
  }
};

TEST_F(Doctor, DescribesTheMachine) {
  const Ending ending = doctor("");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(ending.err, "");
  for (const char* part : {"Processor\n", "2 threads are used", "float kernels: ", "int8 kernel: ", "GPU\n", "Memory\n",
                           "training the preset 'base'", "Port\n", "no errors, "}) {
    EXPECT_NE(ending.out.find(part), std::string::npos) << part << ending.out;
  }
}

TEST_F(Doctor, PrintsTheSameAsJson) {
  write_text("train", "odd\x01\n", "seltsam\n");
  const std::string flags = "--model " + model + text_flags("train", "train");
  const Ending text = doctor(flags), json = doctor(flags + " --json");
  EXPECT_EQ(text.status, json.status);
  std::set<std::string> names;
  const Json whole = report(json);
  for (const Json& section : whole["sections"]) {
    names.insert(section["name"].get<std::string>());
    for (const Json& finding : section["findings"]) {
      if (section["name"] == "memory" || section["name"] == "cuda") continue;  // what is free changes from call to call
      const std::string words = finding["text"].get<std::string>();
      EXPECT_NE(text.out.find(words), std::string::npos) << words << text.out;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"processor", "cuda", "memory", "port", "model", "training", "repeats"}));
}

TEST_F(Doctor, FindsAPortThatIsInUse) {
  const serve::Listener busy({.port = 0}, [](const auto&...) {});
  const Ending ending = doctor("--json --port " + std::to_string(busy.port()));
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(findings(report(ending), "port").at(0)["level"], "error");
  expect_one_sentence(doctor("--address nowhere"), 2, "nowhere");
  expect_one_sentence(doctor("--port 0"), 2, "port is 0; it must be from 1 to 65535.");
  expect_one_sentence(doctor("--port 70000"), 2, "port is 70000; it must be from 1 to 65535.");
}

TEST_F(Doctor, ChecksAModel) {
  const Ending sound = doctor("--model " + model + " --sentence 'two three'");
  EXPECT_EQ(sound.status, 0) << sound.out << sound.err;
  EXPECT_NE(sound.out.find("translates \"two three\" to \""), std::string::npos) << sound.out;
  std::filesystem::resize_file(model + "/model.safetensors", 100);
  const Ending damaged = doctor("--model " + model);
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.out.find("  ERROR    '" + model + "/model.safetensors'"), std::string::npos) << damaged.out;
  EXPECT_NE(damaged.out.find("1 error, "), std::string::npos) << damaged.out;
  EXPECT_EQ(damaged.err, "doctor: there are errors.\n");
}

TEST_F(Doctor, ChecksACorpusWithExactNumbers) {
  write_text("train", "the same\nthe same\nthe secret\n", "das selbe\ndas selbe\ndas Geheimnis\n");
  write_text("valid");
  write_text("test", "The secret!\n", "etwas anderes\n");
  const Ending ending =
      doctor("--json" + text_flags("train", "train") + text_flags("valid", "valid") + text_flags("test", "test"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  const Json json = report(ending);
  const Json repeats = findings(json, "duplicates").at(0);
  EXPECT_EQ(repeats["count"], 1);
  EXPECT_EQ(repeats["of"], 203);
  EXPECT_EQ(repeats["examples"][0]["line"], 202);
  const Json leak = findings(json, "leakage-test-training").at(0);
  EXPECT_EQ(leak["level"], "warning");
  EXPECT_EQ(leak["count"], 1);
  EXPECT_EQ(leak["of"], 201);
  EXPECT_EQ(findings(json, "leakage-validation-training").at(0)["count"], 0);
  EXPECT_EQ(findings(json, "leakage-validation-test").at(0)["level"], "ok");
}

TEST_F(Doctor, FailsForErrorsAndIfAskedForWarnings) {
  write_text("train", "odd\x01\n", "seltsam\n");
  EXPECT_EQ(doctor(text_flags("train", "train")).status, 0);
  const Ending strict = doctor(text_flags("train", "train") + " --strict");
  EXPECT_EQ(strict.status, 1);
  EXPECT_EQ(std::count(strict.err.begin(), strict.err.end(), '\n'), 1) << strict.err;
  write_text("train", "caf\xE9\n", "das Café\n");
  const Ending wrong = doctor(text_flags("train", "train"));
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("that are not UTF-8: 1 of 201 (0.50 %)"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("line 201 of '" + file("train.en") + "': \"caf\\xE9\""), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("-> training refuses them"), std::string::npos) << wrong.out;
}

TEST_F(Doctor, TakesTheConfigurationsOfTraining) {
  for (const char* name : {"europarl", "tatoeba-zh"}) {
    const Ending ending =
        doctor(std::string("--config ") + DRAGOMAN_SOURCE_DIR + "/configs/" + name + ".yaml --preset demo");
    EXPECT_EQ(ending.status, 0) << ending.err << ending.out;
  }
  const Ending unknown = doctor("--config " + write("wrong.yaml", "d-modell: 3\n"));
  expect_one_sentence(unknown, 2, "d-modell");
}

TEST_F(Doctor, SaysWhetherATrainingFits) {
  const std::string small = write("small.yaml", "memory-mb: 100\n");
  const Ending by_default = doctor("--json --config " + small);
  EXPECT_EQ(by_default.status, 0);
  EXPECT_EQ(findings(report(by_default), "training-memory").at(0)["level"], "warning");
  const Ending asked = doctor("--json --preset base --config " + small);
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(findings(report(asked), "training-memory").at(0)["level"], "error");
}

TEST_F(Doctor, RefusesHalfATestText) {
  expect_one_sentence(doctor("--test-source a.en"), 2, "test-target");
  expect_one_sentence(doctor("--test-source a --test-target b --test-pairs c"), 2, "given twice");
  expect_one_sentence(doctor("--train-source a.en"), 2, "train-target");
  expect_one_sentence(doctor("--threads -1"), 2, "threads");
  expect_one_sentence(doctor("--preset nothing"), 2, "nothing");
}

TEST_F(Doctor, DoesNotKeepTheTextInMemory) {
  if (tests_with_sanitizers()) GTEST_SKIP() << "sanitizers keep freed memory";
  {
    std::ofstream text(file("large.en"));  // 60 MB, and as much for the other side
    for (int i = 0; i < 30'000; ++i) text << std::string(2000, 'x') << '\n';
  }
  std::filesystem::create_hard_link(file("large.en"), file("large.de"));
  Child small("doctor --threads 2"), large("doctor --threads 2" + text_flags("train", "large"));
  EXPECT_EQ(small.wait().status, 0);
  EXPECT_EQ(large.wait().status, 1);  // source and target are equal
  EXPECT_LT(large.peak_mebibytes(), small.peak_mebibytes() + 60);
}

}  // namespace
}  // namespace dragoman
