// The program as its user sees it: what it prints to stdout and stderr, and its exit status.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "dragoman/base/fields_json.h"
#include "tests/program.h"

namespace dragoman {
namespace {

TEST(Inspect, CountsTheParametersOfBase) {
  const Ending ending = run("inspect --preset base");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(ending.err, "");
  EXPECT_NE(ending.out.find(" 63,045,632\n"), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("9.517e+12"), std::string::npos) << ending.out;
}

TEST(Inspect, PrintsJsonWhoseTensorsAddUp) {
  const Ending ending = run("inspect --preset big --json");
  ASSERT_EQ(ending.status, 0) << ending.err;
  const Json report = parse_json(ending.out, "the report");
  EXPECT_EQ(report["preset"], "big");
  EXPECT_TRUE(report["parameters"].is_number_integer());
  EXPECT_EQ(report["parameters"], 214'171'648);
  EXPECT_EQ(report["config"]["d-model"], 1024);
  EXPECT_EQ(report["config"]["window"], nullptr);
  EXPECT_NEAR(report["flops_per_step"].get<double>(), 3.22e13, 0.005e13);
  EXPECT_GT(report["activation_bytes"].get<std::int64_t>(), 0);
  std::int64_t parameters = 0;
  for (const auto& tensor : report["tensors"]) {
    std::int64_t count = 1;
    for (const auto& size : tensor["shape"]) count *= size.get<std::int64_t>();
    parameters += count;
  }
  EXPECT_EQ(parameters, 214'171'648);
}

TEST(Inspect, FlagsWinOverTheConfigurationAndItOverThePreset) {
  const std::string file = scratch(".yaml");
  std::ofstream(file) << "preset: C-N2\nd-ff: 4096\nvocabulary: 100\n";
  const Ending ending = run("inspect --json --vocabulary 200 --config '" + file + "'");
  std::filesystem::remove(file);
  ASSERT_EQ(ending.status, 0) << ending.err;
  const Json config = parse_json(ending.out, "the report")["config"];
  EXPECT_EQ(config["encoder-layers"], 2);
  EXPECT_EQ(config["d-ff"], 4096);
  EXPECT_EQ(config["source-vocabulary"], 200);
}

TEST(Inspect, ListsThePresets) {
  const Ending ending = run("inspect --list");
  EXPECT_EQ(ending.status, 0);
  for (const char* name : {"base ", "A-h32 ", "D-ls0.2 ", "t2t-2017 ", "multi30k-tiny ", "demo "}) {
    EXPECT_NE(ending.out.find(name), std::string::npos) << name;
  }
}

TEST(WrongUsage, GetsOneSentenceThatSuggestsTheNearestName) {
  expect_one_sentence(run("inspect --preset bsae"), 2, "Did you mean 'base'?");
  expect_one_sentence(run("inspect --headz 8"), 2, "there is no flag '--headz'. Did you mean '--heads'?");
  expect_one_sentence(run("inspct --preset base"), 2, "there is no command 'inspct'. Did you mean 'inspect'?");
  expect_one_sentence(run("inspect --norm pots"), 2, "Did you mean 'post'?");
}

TEST(WrongUsage, GetsOneSentenceForAnArgumentThatCannotBeParsed) {
  expect_one_sentence(run("inspect --heads 8x"), 2, "--heads: '8x'");
  expect_one_sentence(run("inspect --dropout nan"), 2, "--dropout: 'nan'");
  expect_one_sentence(run("inspect --dropout 1e99"), 2, "--dropout: '1e99'");
  expect_one_sentence(run("inspect --d-model"), 2, "--d-model needs a value");
  expect_one_sentence(run("inspect base"), 2, "'base' is neither a flag nor a flag's value");
  expect_one_sentence(run("inspect --preset \"$(printf 'a\\nb')\""), 2, "there is no preset 'a b'");
  expect_one_sentence(run("inspect --config /no/such/file"), 2, "cannot read the configuration '/no/such/file'");
}

TEST(WrongUsage, GetsOneSentenceForSizesThatMakeNoModel) {
  expect_one_sentence(run("inspect --heads 7"), 2, "heads is 7");
  expect_one_sentence(run("inspect --window 0"), 2, "--window: '0'");
  expect_one_sentence(run("inspect --window -5"), 2, "--window: '-5'");
  expect_one_sentence(run("inspect --d-model 15 --heads 3"), 2, "d-model is 15");
  expect_one_sentence(run("inspect --d-model 1048576 --d-ff 1048576"), 2, "more than 2^40 parameters");
  expect_one_sentence(run("inspect --d-model 99999999999999999999"), 2, "--d-model: '99999999999999999999'");
  expect_one_sentence(run("inspect --layers 2147483647"), 2, "layers is 2147483647");
}

TEST(WrongUsage, WithoutACommandShowsHelpAndFails) {
  const Ending ending = run("");
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.out, "");
  EXPECT_NE(ending.err.find("inspect"), std::string::npos);
}

TEST(Help, IsThereForTheProgramAndItsCommands) {
  EXPECT_NE(run("--help").out.find("inspect"), std::string::npos);
  EXPECT_NE(run("inspect --help").out.find("--d-model"), std::string::npos);
  EXPECT_EQ(run("inspect --help").status, 0);
}

TEST(Version, DescribesTheBuild) {
  const Ending ending = run("--version");
  EXPECT_EQ(ending.status, 0);
  for (const char* part : {"dragoman ", "commit ", "compiler:", "CPU instructions:", "BLAS:", "CUDA:", "MPI:"}) {
    EXPECT_NE(ending.out.find(part), std::string::npos) << part;
  }
}

TEST(Output, AClosedPipeEndsTheProgramQuietly) {
  // The reader has gone before the first byte is written.
  const Ending ending = shell("{ sleep 0.2; " + kProgram + " inspect --preset base --all; echo $? >&2; } | true");
  EXPECT_EQ(ending.err, "0\n");
  EXPECT_EQ(shell(kProgram + " inspect --preset base --all | head -1").err, "");
}

TEST(Output, AFullDiskFailsWithOneSentence) {
  expect_one_sentence(run("inspect >/dev/full"), 1, "cannot write to standard output");
  expect_one_sentence(run("--help >/dev/full"), 1, "cannot write to standard output");
}

// German writes 0,25. The test makes the locale itself, because a minimal system has none.
TEST(Output, IsTheSameInEveryLocale) {
  const std::string arguments = " inspect --preset D-drop0.2 --dropout 0.25 --json";
  const std::string plain = shell("LC_ALL=C " + kProgram + arguments).out;
  EXPECT_NE(plain.find("\"dropout\": 0.25"), std::string::npos);
  const std::string locales = ::testing::TempDir() + "dragoman_locales";
  std::filesystem::create_directories(locales);
  ASSERT_EQ(shell("localedef -i de_DE -f UTF-8 " + locales + "/de_DE.UTF-8 2>&1").status, 0);
  const std::string german = "LOCPATH=" + locales + " LC_ALL=de_DE.UTF-8 ";
  EXPECT_EQ(shell(german + "locale decimal_point").out, ",\n");
  EXPECT_EQ(shell(german + kProgram + arguments).out, plain);
}

TEST(Demo, ShowsItsProgressAsPlainLinesInALog) {
  const Ending ending = run("demo --task copy --steps 20");
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.err.find_first_of("\r\x1b"), std::string::npos) << ending.err;
  EXPECT_NE(ending.err.find("step    20  loss "), std::string::npos) << ending.err;
}

// A pipe can be read only once, but the file is needed twice: for the architecture, and then for the flags.
TEST(Config, MayBeAPipe) {
  const Ending piped = shell("echo 'd-model: 64' | " + kProgram + " inspect --json --config /dev/stdin");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(parse_json(piped.out, "the report")["config"]["d-model"], 64);
  expect_one_sentence(shell("echo 'd-modle: 64' | " + kProgram + " inspect --config /dev/stdin"), 2, "line 1");
  expect_one_sentence(shell("echo '[' | " + kProgram + " inspect --config /dev/stdin"), 2, "is not YAML");
}

TEST(Arch, ThatIsUnknownIsReportedWithItsPlace) {
  expect_one_sentence(
      run("inspect --arch transfomer"), 2,
      "inspect: --arch: 'transfomer' is not one of transformer, rnn, conv, universal. Did you mean 'transformer'?");
  expect_one_sentence(
      shell("echo 'arch: rnm' | " + kProgram + " inspect --config /dev/stdin"), 2,
      "inspect: '/dev/stdin' line 1: arch: 'rnm' is not one of transformer, rnn, conv, universal. Did you mean 'rnn'?");
  expect_one_sentence(run("inspect --arch"), 2, "--arch needs a value");
}

}  // namespace
}  // namespace dragoman
