// The scores of one system by length, with what is needed to compare them with those of others, as a JSON record.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/eval/by_length.h"

namespace dragoman::eval {

struct LengthReport {
  std::string name;            // of the system; not part of the record
  int join = 1;                // lines of the test set that make one pair
  std::string bleu_signature;  // with the resampling of the intervals
  std::string chrf_name = "chrF2", chrf_signature = {};
  LengthScores scores = {};
};

// "1-10", or "7" for a bucket of a single length.
std::string words_text(const LengthBucket& bucket);

// The rows of a table of several systems with buckets of the same width: for each bucket those of all systems that have
// it, and then the rows for all lengths. Their pointers point into `systems`.
struct LengthRow {
  std::string words;  // "1-10" or "all"
  const LengthReport* system;
  const LengthBucket* bucket;
};
std::vector<LengthRow> length_rows(std::span<const LengthReport> systems);

// {"by_length": 10, "join": 1, "bleu": {"signature": ...}, "chrf": {"name": ..., "signature": ...},
//  "buckets": [{"words": [1, 10], "sentences": 12, "bleu": ..., "bleu_interval": [..., ...], "chrf": ...,
//               "length_ratio": ...}, ...], "all": {...}}
Json length_record(const LengthReport& report);

// Reads such a record. Throws a UsageError that starts with `where` if it is not one.
LengthReport read_length_record(const Json& record, std::string_view where);

}  // namespace dragoman::eval
