// The output of average, export and translate appears completely or not at all, and never replaces anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "dragoman/base/files.h"
#include "tests/training.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class Results : public TrainingTest {
 protected:
  // A run with checkpoints at steps 2 and 4.
  void SetUp() override {
    const Ending trained = run(train("run", "--save-every 2 --steps 4"));
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  Ending average(const std::string& output) const {
    return run("average --last 2 --model " + file("run") + " --output " + output);
  }
  Ending export_to(const std::string& output) const {
    return run("export --model " + file("run") + " --output " + output);
  }
  Ending translate(const std::string& flags, const std::string& text = "the cat") const {
    return shell("printf '" + text + "\\n' | " + kProgram + " translate --threads 1 --max-extra 3 --model " +
                 file("run") + " " + flags);
  }
};

TEST_F(Results, AnAverageDoesNotReplaceAnotherModel) {
  ASSERT_EQ(run(train("other", "--save-every 2 --steps 4 --seed 2")).status, 0);
  const auto before = timeless_files(file("other"));
  expect_one_sentence(average(file("other")), 2, "other' already exists; name a directory that is new or empty.");
  EXPECT_TRUE(timeless_files(file("other")) == before);
  // It replaces neither an earlier average nor the run itself.
  ASSERT_EQ(average(file("mean")).status, 0);
  expect_one_sentence(average(file("mean")), 2, "already exists");
  expect_one_sentence(average(file("run") + "/"), 2, "already exists");
  expect_one_sentence(average(file("train.en")), 2, "already exists");
}

TEST_F(Results, ANewModelMayBeAnywhereElse) {
  fs::create_directory(file("empty"));
  fs::create_directory_symlink(file("empty"), file("link"));
  for (const std::string name : {"new", "deep/er/", "run/inside", "link"}) {
    const Ending averaged = average(file(name));
    EXPECT_EQ(averaged.status, 0) << averaged.err;
    EXPECT_EQ(read_file(file(name) + "/model.safetensors"), read_file(file("new/model.safetensors")));
    const Ending exported = export_to(file("int8_of_" + std::string(1, name[0])));
    EXPECT_EQ(exported.status, 0) << exported.err;
  }
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(shell("ls " + file("new")).out, "config.json\nlanguages.json\nmodel.safetensors\ntokenizer.model\n");
  EXPECT_EQ(shell("cd " + directory + " && find . -name '*.unfinished*'").out, "");
}

TEST_F(Results, AreNotWrittenWhereARunOrAnotherExportIsWorking) {
  fs::create_directory(file("busy"));
  const DirectoryLock at_work(file("busy")), also(file("made.unfinished-abc012"));
  expect_one_sentence(average(file("busy")), 1, "another process is working in");
  expect_one_sentence(export_to(file("busy")), 1, "another process is working in");
  expect_one_sentence(average(file("made")), 1, "another process is working in");
  expect_one_sentence(export_to(file("made")), 1, "another process is working in");
  EXPECT_TRUE(fs::is_empty(file("busy")));
}

TEST_F(Results, TwoAtOnceMakeOneWholeModel) {
  // Several small races: the process that comes second is refused.
  const Ending both =
      shell("for i in 1 2 3 4 5; do for j in 1 2; do " + kProgram + " export --precision fp32 --model " + file("run") +
            " --output " + file("race") + "$i >/dev/null & done; wait; done");
  EXPECT_EQ(std::count(both.err.begin(), both.err.end(), '\n'), 5) << both.err;
  for (const char* i : {"1", "2", "3", "4", "5"}) {
    EXPECT_EQ(read_file(file("race") + i + "/model.safetensors"), read_file(file("run/model.safetensors")));
  }
  EXPECT_EQ(shell("cd " + directory + " && find . -name '*.unfinished*'").out, "");
}

TEST_F(Results, AFailureLeavesNothing) {
  replace_file(file("run/tokenizer.model"), "no vocabulary");
  EXPECT_EQ(average(file("mean")).status, 1);
  EXPECT_EQ(export_to(file("int8")).status, 1);
  EXPECT_EQ(shell("cd " + directory + " && find . -name 'mean*' -o -name 'int8*'").out, "");
}

TEST_F(Results, TracesReplaceOldOnesOnceTheFirstIsWritten) {
  const std::string traces = file("traces");
  replace_file(traces, "old\n");
  expect_one_sentence(translate("--attention " + traces, "\\351"), 2, "is not UTF-8");
  EXPECT_EQ(read_file(traces), "old\n");
  expect_one_sentence(translate("--attention " + file("new"), "\\351"), 2, "is not UTF-8");
  EXPECT_FALSE(fs::exists(file("new")));
  EXPECT_EQ(translate("--attention " + traces).status, 0);
  const std::string trace = read_file(traces);
  EXPECT_TRUE(trace.starts_with("{\"line\":1,") && trace.ends_with("}\n")) << trace;
  expect_one_sentence(shell(kProgram + " translate --model " + file("run") + " --attention " + traces + " <" + traces),
                      2, "is the text to translate");
  EXPECT_EQ(read_file(traces), trace);
}

TEST_F(Results, TracesMayGoToADeviceAPipeOrStandardOutput) {
  EXPECT_EQ(translate("--attention /dev/null").status, 0);
  ASSERT_EQ(translate("--attention " + file("traces")).status, 0);
  const std::string trace = read_file(file("traces"));
  const Ending by_pipe = shell("mkfifo " + file("pipe") + "; cat " + file("pipe") + " & printf 'the cat\\n' | " +
                               kProgram + " translate --threads 1 --max-extra 3 --model " + file("run") +
                               " --attention " + file("pipe") + " >/dev/null; wait");
  EXPECT_EQ(by_pipe.out, trace);
  for (const std::string& redirection : {std::string(), " >" + file("out")}) {
    const Ending ending = translate("--attention /dev/stdout" + redirection);
    const std::string text = ending.out.empty() ? read_file(file("out")) : ending.out;
    EXPECT_EQ(text.substr(text.find('\n') + 1), trace) << ending.err;
  }
}

}  // namespace
}  // namespace dragoman
