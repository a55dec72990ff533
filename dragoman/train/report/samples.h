// The part of a report that shows how the translations of a few sentences changed while the model learned.
#pragma once

#include <string>
#include <vector>

#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

// A <section>: each sentence with its reference, then its translation after every validation that changed it; empty
// if there are no samples. Of very many sentences, changes or words it shows a part, and says so.
std::string sample_section(const std::vector<Validation>& validations);

}  // namespace dragoman::train
