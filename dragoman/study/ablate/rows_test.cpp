#include "dragoman/study/ablate/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::study::ablate {
namespace {

using model::TransformerConfig;
using Names = std::vector<std::string>;

// The settings of the paper's base model: those are the defaults.
train::TrainingSettings paper_base() { return {}; }

// N 4, d 128, d_ff 256, h 4, p 0.3, label smoothing 0.1.
train::TrainingSettings tiny() {
  train::TrainingSettings settings;
  settings.model = model::preset("multi30k-tiny").model;
  settings.training = model::preset("multi30k-tiny").training;
  return settings;
}

train::TrainingSettings changed(train::TrainingSettings settings, void (*change)(TransformerConfig&)) {
  change(settings.model.as<TransformerConfig>());
  return settings;
}

Names names_of(const std::vector<Row>& rows) {
  Names names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

std::map<std::string, Row> all_rows(const train::TrainingSettings& base) {
  std::map<std::string, Row> rows;
  for (const Row& row : choose_rows(base, Names{"all"}).rows) rows.emplace(row.name, row);
  return rows;
}

const TransformerConfig& model_of(const Row& row) { return row.settings.model.as<TransformerConfig>(); }

std::string problem_with(const train::TrainingSettings& base, const Names& wanted) {
  try {
    choose_rows(base, wanted);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Rows, OfThePapersBaseModelAreThoseOfThePaper) {
  EXPECT_EQ(names_of(choose_rows(paper_base(), Names{"all"}).rows),
            (Names{"base",    "A-h1",           "A-h4",      "A-h16",   "A-h32",     "B-dk16",    "B-dk32",
                   "C-N2",    "C-N4",           "C-N8",      "C-d256",  "C-d1024",   "C-dff1024", "C-dff4096",
                   "D-drop0", "D-drop0.2",      "D-ls0",     "D-ls0.2", "E-learned", "F-dot",     "F-additive",
                   "F-batch", "F-no-positions", "F-window5", "big"}));
}

// Every row that has a preset of the same name equals it, except that the preset for big averages.
TEST(Rows, EqualThePresetsOfTheSameNames) {
  int compared = 0;
  for (const auto& [name, row] : all_rows(paper_base())) {
    if (name.starts_with("F")) continue;
    train::TrainingSettings preset;
    preset.model = model::preset(name).model;
    preset.training = model::preset(name).training;
    preset.training.average = row.settings.training.average;
    EXPECT_EQ(train::differences(preset, row.settings), Names{}) << name;
    EXPECT_EQ(preset.training.steps, row.settings.training.steps) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 20);
}

TEST(Rows, AreRelativeToTheConfiguration) {
  EXPECT_EQ(names_of(choose_rows(tiny(), Names{"all"}).rows),
            (Names{"base",    "A-h1",           "A-h2",      "A-h8",    "A-h16",     "B-dk8",    "B-dk16",
                   "C-N1",    "C-N3",           "C-N5",      "C-d64",   "C-d256",    "C-dff128", "C-dff512",
                   "D-drop0", "D-drop0.4",      "D-ls0",     "D-ls0.2", "E-learned", "F-dot",    "F-additive",
                   "F-batch", "F-no-positions", "F-window5", "big"}));
  const auto rows = all_rows(tiny());
  EXPECT_EQ(model_of(rows.at("A-h16")).encoder_sizes().d_k, 8);
  EXPECT_EQ(model_of(rows.at("B-dk8")).encoder_sizes().d_k, 8);
  EXPECT_EQ(model_of(rows.at("B-dk8")).encoder_sizes().d_v, 32);
  EXPECT_EQ(model_of(rows.at("C-N3")).N_enc, 3);
  EXPECT_EQ(model_of(rows.at("C-N3")).N_dec, 3);
  EXPECT_EQ(model_of(rows.at("C-d64")).encoder_sizes().d_k, 16);
  EXPECT_EQ(model_of(rows.at("D-drop0.4")).P_drop, 0.4f);
  EXPECT_EQ(rows.at("D-ls0.2").settings.training.eps_ls, 0.2);
  EXPECT_EQ(model_of(rows.at("F-window5")).window, 5);
  const Row& big = rows.at("big");
  EXPECT_EQ(model_of(big).d_model, 256);
  EXPECT_EQ(model_of(big).d_ff, 512);
  EXPECT_EQ(model_of(big).h, 8);
  EXPECT_EQ(model_of(big).P_drop, 0.5f);
  EXPECT_EQ(big.settings.training.steps, 24000);
}

TEST(Rows, SayWhatChanged) {
  const auto rows = all_rows(tiny());
  EXPECT_EQ(rows.at("base").change, "");
  EXPECT_EQ(rows.at("A-h2").change, "heads 2");
  EXPECT_EQ(rows.at("B-dk16").change, "d-k 16");
  EXPECT_EQ(rows.at("C-N1").change, "layers 1");
  EXPECT_EQ(rows.at("D-ls0").change, "label-smoothing 0");
  EXPECT_EQ(rows.at("F-no-positions").change, "positions none");
  EXPECT_EQ(rows.at("big").change, "d-model 256, d-ff 512, heads 8, dropout 0.5, steps 24000");
}

TEST(Rows, HaveTheScoresOfThePaper) {
  const auto rows = all_rows(paper_base());
  // The differences of BLEU from base that the paper's text and table give.
  const std::map<std::string, double> published{
      {"A-h1", -0.9},   {"A-h32", -0.4},    {"B-dk16", -0.7},  {"C-N2", -2.1},  {"C-d256", -1.3},
      {"C-d1024", 0.2}, {"C-dff4096", 0.4}, {"D-drop0", -1.2}, {"D-ls0", -0.5}, {"E-learned", -0.1}};
  for (const auto& [name, difference] : published) {
    EXPECT_NEAR(rows.at(name).paper->bleu - rows.at("base").paper->bleu, difference, 1e-9) << name;
  }
  EXPECT_EQ(rows.at("big").paper->perplexity, 4.33);
  EXPECT_FALSE(rows.at("F-dot").paper);
}

TEST(Rows, WithPaperNumbersAreThoseOfThePaperForAnyConfiguration) {
  const train::TrainingSettings absolute = with_paper_numbers(tiny());
  const auto rows = all_rows(absolute), expected = all_rows(paper_base());
  for (const auto& [name, row] : expected) {
    const TransformerConfig &ours = model_of(rows.at(name)), &paper = model_of(row);
    EXPECT_EQ(ours.N_enc, paper.N_enc) << name;
    EXPECT_EQ(ours.N_dec, paper.N_dec) << name;
    EXPECT_EQ(ours.d_model, paper.d_model) << name;
    EXPECT_EQ(ours.d_ff, paper.d_ff) << name;
    EXPECT_EQ(ours.h, paper.h) << name;
    EXPECT_EQ(ours.encoder_sizes().d_k, paper.encoder_sizes().d_k) << name;
    EXPECT_EQ(ours.encoder_sizes().d_v, paper.encoder_sizes().d_v) << name;
    EXPECT_EQ(ours.P_drop, paper.P_drop) << name;
    EXPECT_EQ(rows.at(name).settings.training.eps_ls, row.settings.training.eps_ls) << name;
  }
  EXPECT_EQ(absolute.training.batch_tokens, tiny().training.batch_tokens);  // all else stays
}

TEST(Rows, KeepHeadsTimesWidthWhereTheWidthsAreSet) {
  const auto base = changed(tiny(), [](TransformerConfig& model) { model.d_k = model.d_v = 24; });
  const auto rows = all_rows(base);
  EXPECT_EQ(model_of(rows.at("A-h2")).d_k, 48);
  EXPECT_EQ(model_of(rows.at("A-h16")).d_v, 6);
  EXPECT_EQ(model_of(rows.at("C-d256")).d_k, 48);
  EXPECT_EQ(model_of(rows.at("B-dk6")).d_v, 24);
}

TEST(Rows, AreChosenByGroupAndByName) {
  EXPECT_EQ(names_of(choose_rows(tiny(), Names{"E", "C-N5", "B"}).rows),
            (Names{"base", "B-dk8", "B-dk16", "C-N5", "E-learned"}));
  EXPECT_EQ(names_of(choose_rows(tiny(), Names{"base"}).rows), Names{"base"});
}

TEST(Rows, ThatEqualBaseOrAnotherRowAreLeftOut) {
  const auto base = changed(tiny(), [](TransformerConfig& model) {
    model.h = 2;
    model.P_drop = 0;
  });
  const ChosenRows chosen = choose_rows(base, Names{"A", "D"});
  EXPECT_EQ(names_of(chosen.rows), (Names{"base", "A-h1", "A-h4", "A-h8", "D-drop0.1", "D-ls0", "D-ls0.2"}));
  EXPECT_EQ(chosen.left_out, (Names{"a second row A-h1 is left out: two rules give the same value",
                                    "the row D-drop0 is left out: it equals base"}));
  EXPECT_EQ(problem_with(base, {"D-drop0"}),
            "the row D-drop0 equals base: this configuration has these values already.");
}

TEST(Rows, ThatDoNotExistOrCannotBeFormedAreRefused) {
  EXPECT_TRUE(problem_with(tiny(), {"C-N2"})
                  .starts_with("there is no row 'C-N2'; with this configuration there are "
                               "A-h1, A-h2, "))
      << problem_with(tiny(), {"C-N2"});
  const auto narrow = changed(tiny(), [](TransformerConfig& model) { model.d_model = 24; });
  EXPECT_EQ(
      problem_with(narrow, {"A"}),
      "the row A-h16 cannot be formed: heads is 16, which does not divide d-model 24 evenly; choose another number "
      "of heads, or give both d-k and d-v. To leave it out, name the others with --rows.");
  EXPECT_EQ(problem_with(narrow, {"A-h1", "A-h8"}), "");
  EXPECT_EQ(
      problem_with(narrow, {"B"}),
      "the row B-dk cannot be formed: d-k is 6, and 1/4 of it is no whole number. To leave it out, name the others "
      "with --rows.");
  const auto dropped = changed(tiny(), [](TransformerConfig& model) { model.P_drop = 0.85f; });
  EXPECT_TRUE(problem_with(dropped, {"big"}).starts_with("the row big cannot be formed: dropout is 1.05"))
      << problem_with(dropped, {"big"});
}

TEST(Rows, NeedTheSettingsThatTheyVary) {
  train::TrainingSettings recurrent;
  recurrent.model = model::architecture("rnn").presets.front().model;
  EXPECT_TRUE(problem_with(recurrent, {"A"})
                  .starts_with("the row A-h cannot be formed: the architecture rnn has no "
                               "setting 'heads'."))
      << problem_with(recurrent, {"A"});
}

}  // namespace
}  // namespace dragoman::study::ablate
