// The section of a report that shows how the translations of a few sentences changed during training.
#pragma once

#include <string>
#include <vector>

#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

// A <section> with each sentence, its reference, and its translation after every validation that changed it. Empty if
// there are no samples. If there are very many sentences, changes or words, only a part is shown, and the page says so.
std::string sample_section(const std::vector<Validation>& validations);

// The validations of a run, with its name.
struct NamedValidations {
  std::string run;
  const std::vector<Validation>* validations;
};

// A <section> with each sentence that several runs translated, its reference, and the last translation of each run.
// Empty if there is none.
std::string sample_comparison(const std::vector<NamedValidations>& runs);

}  // namespace dragoman::train
