// Examines parallel texts: reads training, validation and test text once, and counts everything that may be wrong with
// them. The texts may be larger than memory: of each training pair sixteen bytes are kept. All counts are exact and do
// not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dragoman/data/parallel_text.h"
#include "dragoman/health/repeats.h"
#include "dragoman/health/text_report.h"

namespace dragoman::health {

struct CorpusRequest {
  std::vector<data::ParallelFiles> training = {};
  std::optional<data::ParallelFiles> validation = std::nullopt, test = std::nullopt;
  int threads = 0;                                        // 0 for all
  std::function<void(std::int64_t pairs)> progress = {};  // gets the number of pairs read so far
};

struct Leak {
  LeakCounts counts;
  std::vector<Example> examples;
};

struct CorpusReport {
  std::vector<TextReport> training = {};
  std::optional<TextReport> validation = std::nullopt, test = std::nullopt;
  RepeatCounts repeats = {};  // in all of the training text
  std::vector<Example> repeat_examples = {};
  // Present if both texts are.
  std::optional<Leak> validation_in_training = std::nullopt, test_in_training = std::nullopt;
  std::optional<Leak> validation_in_test = std::nullopt;
};

// Throws no error about the texts: what cannot be read is in the report.
CorpusReport examine_corpus(const CorpusRequest& request);

}  // namespace dragoman::health
