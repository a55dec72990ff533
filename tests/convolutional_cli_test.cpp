// Everything that the program does with a model, it does with convolutional networks. The weights are random.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/convolutional/testing.h"
#include "tests/matching.h"
#include "tests/random_model.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

using Lines = std::vector<std::string>;

// `model` is a Transformer with the same words.
class Convolutional : public SmallModelTest {
 protected:
  Convolutional() {
    model::ConvolutionalConfig config = model::convolutional::small_convolutional();
    config.N_dec = 3;
    config.decoder_kernels = {"3", "1", "2"};
    config.decoder_dilations = {"2", "1", "1"};
    config.max_positions = 40;
    write_random_model<model::convolutional::SmallConvolutional>(file("conv"), config, 6);
    config.tie = model::Tie::kThreeWay;
    config.E_output = 0;
    write_random_model<model::convolutional::SmallConvolutional>(file("tied"), config, 6);
  }

  static inline const std::vector<std::string> kNames{"conv", "tied"};
};

TEST_F(Convolutional, TranslatesToTheSameBytesHoweverTheWorkIsSharedOut) {
  const std::string text = joined(random_lines(30, 4));
  for (const std::string& name : kNames) {
    for (const std::string how : {"--beam 4", "--beam 4 --precision int8", "--search sample"}) {
      expect_the_same_however_shared_out(name, text, how);
    }
  }
}

TEST_F(Convolutional, ListsTheNBestAndBeginsWithThePrefixes) {
  EXPECT_EQ(lines_of(with("conv", "three four\n", "--n-best 4").out).size(), 4u);
  const std::string prefixes = write("prefixes", "nine eight\n\n");
  const Lines lines = lines_of(with("conv", "one two\nthree\n", "--prefix " + prefixes).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("nine eight")) << lines[0];
  EXPECT_EQ(lines[1], lines_of(with("conv", "three\n").out)[0]);
}

TEST_F(Convolutional, PrintsAnAlignment) {
  const std::string text = joined(random_lines(12, 5)), aligned = "--alignment --scores --min-length 4 ";
  const std::string expected = with("conv", text, aligned).out;
  for (const std::string& line : lines_of(expected)) {
    EXPECT_FALSE(whole_match(line, "-?\\d+\\.\\d{4}\t.*\t(\\d+-\\d+( \\d+-\\d+)*)?").empty()) << line;
  }
  EXPECT_EQ(with("conv", text, aligned + "--batch-size 1 --threads 1").out, expected);
}

TEST_F(Convolutional, TracesHaveAttentionToTheSourceInEveryLayer) {
  const std::string text = "three four five\n";
  const Ending traced = with("conv", text, "--scores --attention " + file("traces"));
  EXPECT_EQ(traced.out, with("conv", text, "--scores").out);  // looking changes nothing
  const Json trace = parse_json(lines_of(read_file(file("traces"))).at(0), "a trace");
  ASSERT_EQ(trace["attention"].size(), 1u);
  const Json& cross = trace["attention"]["cross"];
  ASSERT_EQ(cross.size(), 3u);
  for (const Json& layer : cross) {
    ASSERT_EQ(layer.size(), 1u);
    EXPECT_EQ(layer[0].size(), trace["tgt"].size() - (trace["finished"] ? 0 : 1));
    for (const Json& row : layer[0]) EXPECT_EQ(row.size(), 4u);
  }
  const Ending shown = run("show --model " + file("conv") + " --threads 1 --input " + write("text", text) +
                           " --output " + file("page.html"));
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(read_file(file("page.html")).find(R"("arch":"conv")"), std::string::npos);
}

TEST_F(Convolutional, FormsEnsemblesWithOtherArchitectures) {
  const std::string text = joined(random_lines(12, 5));
  const auto mean = [&](const std::string& one, const std::string& other) {
    return with(one, text, "--scores --model " + file(other)).out;
  };
  EXPECT_EQ(mean("conv", "model"), mean("model", "conv"));
  EXPECT_NE(mean("conv", "model"), with("conv", text, "--scores").out);
  EXPECT_EQ(mean("conv", "conv"), with("conv", text, "--scores").out);
}

TEST_F(Convolutional, IsExportedToOtherPrecisions) {
  const std::string text = joined(random_lines(12, 6));
  for (const std::string& name : kNames) {
    for (const std::string precision : {"fp32", "int8", "bf16"}) {
      const std::string copy = name + "-" + precision;
      const Ending ending =
          run("export --model " + file(name) + " --precision " + precision + " --output " + file(copy));
      ASSERT_EQ(ending.status, 0) << ending.err;
      const std::string translated = with(copy, text, "--scores").out;
      EXPECT_EQ(std::ranges::count(translated, '\n'), 12);
      if (precision == "bf16") continue;
      EXPECT_EQ(translated, with(name, text, "--scores --precision " + precision).out) << name;
      EXPECT_EQ(run("doctor --model " + file(copy)).status, 0);
    }
  }
}

TEST_F(Convolutional, TooLongSentencesAreTranslatedInPieces) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "one ";
  const Ending ending = with("conv", line + "\n");
  EXPECT_EQ(std::ranges::count(ending.out, '\n'), 1);
}

TEST_F(Convolutional, IsInspected) {
  const Ending ending = run("inspect --model " + file("conv"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(ending.out.starts_with(file("conv") + ": 2 + 3 convolutional layers of width 9, kernel 1 to 3\n\n" +
                                     "architecture conv\n"))
      << ending.out;
  const Json report = parse_json(run("inspect --json --model " + file("conv")).out, "the report");
  EXPECT_GT(report["activation_bytes"], 0);
  for (const std::string name : {"conv-tiny", "conv-iwslt", "conv-wmt", "conv-symbols"}) {
    EXPECT_EQ(run("inspect --json --tokens 100 --preset " + name).status, 0) << name;
  }
}

TEST_F(Convolutional, ItsGradientsAreChecked) {
  const Ending ending = run("gradcheck --filter 'conv: dilations'");
  EXPECT_EQ(ending.status, 0) << ending.err << ending.out;
  EXPECT_NE(ending.out.find("conv: dilations 1 and 2, kernel 2 in the decoder"), std::string::npos) << ending.out;
}

}  // namespace
}  // namespace dragoman
