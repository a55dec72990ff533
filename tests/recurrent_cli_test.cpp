// Everything that the program does with a model, it does with recurrent networks: translate, in ensembles and in other
// precisions, inspect, show, serve and describe heads. The weights are random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "tests/matching.h"
#include "tests/small_recurrent.h"

namespace dragoman {
namespace {

using Lines = std::vector<std::string>;

class Recurrent : public RecurrentModelTest {
 protected:
  // "0 ||| text ||| logp=X ||| ..." -> X
  static double log_probability(const std::string& line) { return std::stod(line.substr(line.find("logp=") + 5)); }
};

TEST_F(Recurrent, TranslatesToTheSameBytesHoweverTheWorkIsSharedOut) {
  const Lines lines = random_lines(30, 4);
  for (const std::string& name : kNames) {
    for (const std::string how : {"--search greedy", "--beam 4", "--beam 4 --precision int8", "--search sample"}) {
      expect_the_same_however_shared_out(name, joined(lines), how);
    }
    Lines backwards(lines.rbegin(), lines.rend());
    backwards = lines_of(with(name, joined(backwards), "--scores").out);
    std::ranges::reverse(backwards);
    EXPECT_EQ(joined(backwards), with(name, joined(lines), "--scores").out) << name;
  }
}

TEST_F(Recurrent, ListsTheNBestAndTheFirstIsTheTranslation) {
  for (const std::string& name : kNames) {
    const Lines lines = lines_of(with(name, "three four\n", "--n-best 4 --length-norm none").out);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_TRUE(std::ranges::is_sorted(lines, std::greater<>(), log_probability)) << name;
    EXPECT_TRUE(
        lines[0].starts_with("0 ||| " + lines_of(with(name, "three four\n", "--length-norm none").out)[0] + " ||| "))
        << lines[0];
  }
}

TEST_F(Recurrent, SamplesBySeed) {
  const auto sampled = [&](const std::string& seed) {
    return with("additive", "three four\nfive\n", "--search sample --n-best 20 --seed " + seed).out;
  };
  const std::string once = sampled("1");
  EXPECT_EQ(lines_of(once).size(), 40u);
  EXPECT_EQ(sampled("1"), once);
  EXPECT_NE(sampled("2"), once);
}

TEST_F(Recurrent, BeginsWithThePrefixes) {
  const std::string prefixes = write("prefixes", "nine eight\n\nseven\n");
  for (const std::string& name : kNames) {
    const Lines lines = lines_of(with(name, "one two\nthree\nfour\n", "--prefix " + prefixes).out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].starts_with("nine eight")) << lines[0];
    EXPECT_EQ(lines[1], lines_of(with(name, "three\n").out)[0]);
    EXPECT_TRUE(lines[2].starts_with("seven")) << lines[2];
  }
}

TEST_F(Recurrent, PrintsAnAlignmentIfItHasAttention) {
  const std::string text = joined(random_lines(12, 5)), aligned = "--alignment --scores --min-length 4 ";
  for (const std::string name : {"additive", "luong", "hard"}) {
    const std::string expected = with(name, text, aligned).out;
    for (const std::string& line : lines_of(expected)) {
      EXPECT_FALSE(whole_match(line, "-?\\d+\\.\\d{4}\t.*\t(\\d+-\\d+( \\d+-\\d+)*)?").empty()) << name << ": " << line;
    }
    EXPECT_NE(expected.find("0-"), std::string::npos) << expected;
    EXPECT_EQ(with(name, text, aligned + "--batch-size 1 --threads 1").out, expected) << name;
  }
  expect_one_sentence(shell("echo one | " + kProgram + " translate --alignment --model " + file("fixed")), 2,
                      "this model does not attend to the source, so it has no alignment of words.");
}

TEST_F(Recurrent, FormsEnsemblesWithItselfAndWithOtherArchitectures) {
  const Lines lines = random_lines(12, 5);
  const auto mean = [&](const std::string& one, const std::string& other, const std::string& flags = "") {
    return with(one, joined(lines), "--scores --model " + file(other) + " " + flags).out;
  };
  for (const std::string other : {"model", "fixed", "luong"}) {
    EXPECT_EQ(mean("additive", other), mean(other, "additive")) << other;  // a mean does not depend on the order
    EXPECT_EQ(mean("additive", other), mean("additive", other, "--batch-size 1 --threads 1")) << other;
    EXPECT_NE(mean("additive", other), with("additive", joined(lines), "--scores").out);
    EXPECT_NE(mean("additive", other), with(other, joined(lines), "--scores").out);
  }
  EXPECT_EQ(mean("additive", "additive"), with("additive", joined(lines), "--scores").out);
}

TEST_F(Recurrent, IsExportedToOtherPrecisions) {
  const std::string text = joined(random_lines(12, 6));
  for (const std::string& name : kNames) {
    for (const std::string precision : {"int8", "bf16"}) {
      const std::string copy = name + "-" + precision;
      const Ending ending =
          run("export --model " + file(name) + " --precision " + precision + " --output " + file(copy));
      ASSERT_EQ(ending.status, 0) << ending.err;
      EXPECT_LT(std::filesystem::file_size(file(copy + "/model.safetensors")),
                std::filesystem::file_size(file(name + "/model.safetensors")));
      const std::string translated = with(copy, text, "--scores").out;
      EXPECT_EQ(std::ranges::count(translated, '\n'), 12);
      if (precision != "int8") continue;
      EXPECT_EQ(translated, with(name, text, "--scores --precision int8").out) << name;
    }
  }
}

TEST_F(Recurrent, IsInspected) {
  const Ending ending = run("inspect --model " + file("luong"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(ending.out.starts_with(file("luong") + ": 1 + 2 LSTM layers of width 18, attention general\n\n" +
                                     "architecture rnn\n"))
      << ending.out;
  const Json report = parse_json(run("inspect --json --model " + file("luong")).out, "the report");
  std::int64_t sum = 0;
  for (const Json& tensor : report["tensors"]) {
    std::int64_t count = 1;
    for (const Json& size : tensor["shape"]) count *= size.get<std::int64_t>();
    sum += count;
  }
  EXPECT_EQ(report["parameters"], sum);
  EXPECT_EQ(report["arch"], "rnn");
  EXPECT_GT(report["activation_bytes"], 0);
  expect_one_sentence(run("inspect --cell gru --model " + file("luong")), 2, "cell is lstm in the model");
}

TEST_F(Recurrent, HasPresets) {
  const Lines listed = lines_of(run("inspect --list").out);
  for (const std::string name :
       {"rnn-additive", "rnn-fixed", "rnn-notes", "rnn-align", "rnn-luong", "multi30k-gru", "rnn-symbols"}) {
    EXPECT_EQ(std::ranges::count_if(listed, [&](const std::string& line) { return line.starts_with(name + " "); }), 1);
    const Ending ending = run("inspect --json --tokens 100 --preset " + name);
    ASSERT_EQ(ending.status, 0) << ending.err;
    EXPECT_EQ(parse_json(ending.out, "the report")["preset"], name);
  }
}

TEST_F(Recurrent, ItsGradientsAreChecked) {
  const Ending ending = run("gradcheck --filter 'rnn: context conditional'");
  EXPECT_EQ(ending.status, 0) << ending.err << ending.out;
  EXPECT_NE(ending.out.find("rnn: context conditional, readout deep"), std::string::npos) << ending.out;
}

}  // namespace
}  // namespace dragoman
