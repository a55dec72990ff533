// Table 2 of the paper as it was published, and the rule by which the paper finds the cost of training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/architecture.h"

namespace dragoman::study::cost {

inline constexpr std::int64_t kUsualSentence = 25;  // tokens of a sentence, if nothing better is known

// A GPU, and the floating-point operations per second that the paper's footnote assumes it sustains.
struct Gpu {
  std::string_view name;
  double rate = 0;
};

// How long a system was trained, and on what.
struct MachineTime {
  double days = 0;
  int gpus = 0;
  Gpu gpu = {};
  int models = 1;  // of an ensemble, each trained for this long

  // The paper's rule: training time x GPUs x the rate that each sustains.
  double flops() const;
};

// What Table 2 says of a system for one pair of languages. Empty cells are nothing. The paper does not print `machine`:
// those of its own models are in its text, the others in the papers that it cites.
struct PaperResult {
  std::optional<double> bleu = {}, flops = {};
  std::optional<MachineTime> machine = {};
};

struct PaperRow {
  std::string name;
  PaperResult german = {}, french = {};  // English to German, and to French
  std::string preset = {};               // of the paper's own models; else empty

  // By the model, in sentences of kUsualSentence tokens; only for the paper's own models.
  std::optional<double> model_flops() const;
};

// The ten rows, in the paper's order. Table 2 has one number for both languages for each of its own models; here both
// have it.
std::vector<PaperRow> paper_rows();

// What training with these settings costs by the model, in sentences of so many tokens on each side.
double planned_flops(const model::Preset& preset, std::int64_t sentence);

}  // namespace dragoman::study::cost
