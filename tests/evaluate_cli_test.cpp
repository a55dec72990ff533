// Tests `dragoman evaluate` from the command line.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/exchange/alone.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/validation.h"
#include "tests/matching.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

using Lines = std::vector<std::string>;

class EvaluateCommand : public SmallModelTest {
 protected:
  EvaluateCommand() {
    write("source", joined(random_lines(40, 1)));
    write("reference", joined(random_lines(40, 2)));
  }
  Ending evaluate(const std::string& flags = "") const {
    return shell(command("evaluate", "--source " + file("source") + " --reference " + file("reference") + " " + flags));
  }
  Json evaluate_json(const std::string& flags = "") const {
    const Ending ending = evaluate("--json " + flags);
    EXPECT_EQ(ending.status, 0) << ending.err;
    return try_parse_json(ending.out);
  }
};

TEST_F(EvaluateCommand, GivesTheScoresOfTranslateFollowedByScore) {
  const std::string output = file("output");
  const Ending ending = evaluate("--beam 3 --ter --output " + output);
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(read_file(output), translate(read_file(file("source")), "--beam 3").out);
  const std::string scores = run("score --ter --reference " + file("reference") + " --hypothesis " + output).out;
  EXPECT_TRUE(ending.out.starts_with(scores)) << ending.out << scores;
  const std::string rest =
      R"(references: NLL \d+\.\d{4} per subword, perplexity [\d.]+ \(\d+ subwords, ends of sentences included\)\n)"
      R"(  without \d+ of the pairs, which are empty on a side or longer than --longest\n)"
      R"(40 sentences in [\d.]+ s: [\d.]+ sentences/s, \d+ tokens/s \(beam 3, gnmt:0\.6\)\n)"
      R"((  \d+ of the translations ran into the length limit\n)?)";
  EXPECT_FALSE(whole_match(ending.out.substr(scores.size()), rest).empty()) << ending.out;
}

TEST_F(EvaluateCommand, SaysWhyThereIsNoLikelihood) {
  write("source", "one two three four\n\n");
  write("reference", "one\ntwo\n");
  const Ending ending = evaluate("--longest 2");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_FALSE(first_match(ending.out,
                           R"(\nreferences: no likelihood, because each pair is empty on a side or longer than )"
                           R"(--longest\n2 sentences in )")
                   .empty())
      << ending.out;
}

TEST_F(EvaluateCommand, PrintsJson) {
  const Json found = evaluate_json("--search greedy");
  EXPECT_EQ(found["bleu"]["signature"], "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_TRUE(found["chrf"]["score"].is_number());
  EXPECT_NEAR(found["references"]["perplexity"].get<double>(),
              std::exp(found["references"]["nll_per_subword"].get<double>()), 1e-9);
  EXPECT_EQ(found["translation"]["sentences"], 40);
  EXPECT_GT(found["translation"]["tokens_per_second"].get<double>(), 0);
  EXPECT_EQ(found["translation"]["search"]["search"], "greedy");
}

TEST_F(EvaluateCommand, GivesReferencesTheNllOfValidation) {
  const Json found = evaluate_json()["references"];
  const train::Validator validator(
      {.source = file("source"), .target = file("reference")}, {data::word_tokenizer(), data::word_tokenizer()},
      {.batch_tokens = 100, .decode_sentences = 1, .bleu_sentences = 0, .max_length = 100});
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const std::unique_ptr<model::Seq2Seq> network = model::read_info(model).config.make_model();
  params::ParameterBlock block(*on, DType::kFloat32, *network, params::Purpose::kInference);
  model::read_tensors(model::SafetensorsFile(model::weights_file(model)), *on, block.tensors());
  exchange::Alone alone;
  EXPECT_NEAR(found["nll_per_subword"].get<double>(), validator.run(*on, *network, alone).scores["nll"], 1e-5);
  EXPECT_EQ(found["left_out"], validator.left_out());
}

TEST_F(EvaluateCommand, DoesNotDependOnHowTheWorkIsSharedOut) {
  Json expected = evaluate_json("--scores " + file("expected"));
  for (const char* flags : {"--threads 1", "--workers 2", "--batch-size 1 --batch-tokens 1"}) {
    Json found = evaluate_json(std::string(flags) + " --scores " + file("scores"));
    EXPECT_EQ(found["bleu"], expected["bleu"]) << flags;
    EXPECT_EQ(found["references"], expected["references"]) << flags;
    EXPECT_EQ(read_file(file("scores")), read_file(file("expected"))) << flags;
  }
}

TEST_F(EvaluateCommand, PrintsScoresOfEachSentence) {
  // The model's own translations as references: their NLL must equal the log-probability from the search.
  write("source", "one two\n\nthree\n");
  ASSERT_EQ(evaluate("--output " + file("own") + " --reference " + file("source")).status, 0);
  const Ending ending = evaluate("--scores - --reference " + file("own"));
  const Lines lines = lines_of(ending.out);
  ASSERT_GE(lines.size(), 6u) << ending.out;
  EXPECT_EQ(lines[0],
            "logp\treference NLL\tsubwords\tBLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp\t"
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no");
  EXPECT_EQ(lines[2], "0.0000\t-\t-\t0.00\t0.00");
  EXPECT_EQ(lines[4], "");
  EXPECT_TRUE(lines[5].starts_with("BLEU|")) << lines[5];
  for (const int i : {1, 3}) {
    EXPECT_FALSE(whole_match(lines[i], "-(\\d+\\.\\d{4})\t\\1\t\\d+\t100.00\t100.00").empty()) << lines[i];
  }
}

TEST_F(EvaluateCommand, PrintsAndWritesWhatItCanIfAFileCannotBeWritten) {
  for (const auto& [full, other] : {std::pair("--output", "--scores"), std::pair("--scores", "--output")}) {
    Ending ending = evaluate(join(full, " /dev/full ", other, " ", file(other)));
    EXPECT_TRUE(ending.out.starts_with("BLEU|")) << ending.out;
    EXPECT_TRUE(std::filesystem::exists(file(other)));
    ending.out.clear();
    expect_last_sentence(ending, 1, "cannot write '/dev/full' (no space left on device).");
  }
}

TEST_F(EvaluateCommand, RefusesFilesThatDoNotFit) {
  const auto with = [&](const std::string& flags, const std::string& text) {
    write("reference", text);
    return evaluate(flags);
  };
  expect_one_sentence(with("", "one\n"), 2, "has 40 lines but '" + file("reference") + "' has 1;");
  expect_one_sentence(with("", ""), 2, "is empty, but '" + file("source") + "' has 40 lines;");
  expect_one_sentence(with("", "one\n\xFF\n"), 2, "line 2 is not UTF-8 text");
  expect_one_sentence(evaluate("--reference /no/such/file"), 1, "cannot read '/no/such/file'");
  write("source", "");
  expect_one_sentence(with("", ""), 2, "is empty: there is nothing to translate.");
  EXPECT_FALSE(std::filesystem::exists(file("output")));
}

TEST_F(EvaluateCommand, RefusesWrongUsage) {
  expect_one_sentence(shell(command("evaluate", "--source x")), 2, "evaluate: --reference FILE is missing");
  expect_one_sentence(shell(command("evaluate", "--reference x")), 2, "evaluate: --source FILE is missing");
  expect_one_sentence(evaluate("--source - --reference -"), 2, "only one file can be standard input");
  expect_one_sentence(evaluate("--json --scores -"), 2, "name a file");
  expect_one_sentence(evaluate("--smoothing-value 2"), 2, "--smoothing-value is for");
  expect_one_sentence(run("evaluate --source " + file("source") + " --reference " + file("reference")), 2,
                      "evaluate: --model DIR is missing; 'dragoman evaluate --help' shows examples.");
  expect_one_sentence(run("evaluate"), 2, "--source FILE, --reference FILE and --model DIR are missing");
  expect_one_sentence(evaluate("--output /no/such/directory/file"), 2, "there is no directory '/no/such/directory'");
}

}  // namespace
}  // namespace dragoman
