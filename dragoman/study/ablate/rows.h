// The rows of Table 3 of the paper, "variations on the Transformer architecture", formed from any configuration.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/train/settings.h"

namespace dragoman::study::ablate {

// What the paper reports for a row, on newstest2013: the perplexity per subword and BLEU.
struct PaperScores {
  double perplexity = 0, bleu = 0;
};

struct Row {
  std::string name;                  // "base" or the group and the value, such as "A-h16"
  std::string change;                // what differs from base, such as "heads 16"; empty for base
  train::TrainingSettings settings;  // of base, with this change
  std::optional<PaperScores> paper;  // nothing for a row that the paper does not have
};

inline constexpr const char *kBaseRow = "base", *kBigRow = "big";  // the first row and, if it is wanted, the last

// The configuration with the sizes and rates of the paper's base model. Rows formed from it have the numbers of the
// paper: all rules below are relative, and give those numbers for that model.
train::TrainingSettings with_paper_numbers(const train::TrainingSettings& settings);

struct ChosenRows {
  std::vector<Row> rows;              // base first, then in the order of the paper
  std::vector<std::string> left_out;  // sentences on rows of a chosen group that equal base or another row
};

// Forms the rows that `wanted` names: groups (A to F, big), single rows (C-N2), or all. These are the rules:
//   A    heads x 1/8 (at least 1), x 1/2, x 2, x 4, while heads times d-k is kept
//   B    d-k / 4, / 2
//   C    layers x 1/3, x 2/3, x 4/3 (rounded, at least 1); d-model x 1/2, x 2 (with d-k); d-ff x 1/2, x 2
//   D    dropout 0, + 0.1; label smoothing 0, + 0.1
//   E    learned positions
//   F    not in the paper: attention-score dot and additive, BatchNorm, no positions, a window of 5
//   big  d-model, d-ff and heads x 2, dropout + 0.2, steps (and minutes) x 3
// Throws a UsageError for a name that is no row of this configuration, and for a wanted row that cannot be formed.
ChosenRows choose_rows(const train::TrainingSettings& base, std::span<const std::string> wanted);

}  // namespace dragoman::study::ablate
