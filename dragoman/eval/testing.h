// Sentences and scores that several tests share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/eval/bleu.h"
#include "dragoman/eval/metric.h"

namespace dragoman::eval {

using Sentences = std::vector<std::string>;
using Orders = std::array<std::int64_t, kBleuOrder>;

inline double corpus_score(const Metric& metric, const Sentences& hypotheses, const Sentences& references) {
  return metric.score(corpus_statistics(metric, hypotheses, references).sums());
}

inline double sentence_score(const Metric& metric, std::string_view hypothesis, const Sentences& references) {
  return metric.score(metric.statistics(hypothesis, references));
}

struct WorkedExample {
  Sentences hypotheses, references;
  Orders correct, total;  // matching n-grams and all n-grams of the hypotheses, for n = 1 to 4
  std::int64_t hypothesis_length, reference_length;
  double bleu_exp, bleu_none;  // smoothed, and without smoothing
  double bleu_effective;       // smoothed, with effective_order
  double chrf2;
};

// An independent implementation and sacreBLEU both give these scores.
inline const std::vector<WorkedExample> kWorkedExamples{
    {{"the the the the the the the"},
     {"the cat is on the mat"},
     {2, 0, 0, 0},
     {7, 6, 5, 4},
     7,
     6,
     7.809850,
     0,
     7.809850,
     14.232427},
    {{"The quick fox jumped over the dog."},
     {"The quick brown fox jumped over the lazy dog."},
     {8, 5, 2, 1},
     {8, 7, 6, 5},
     8,
     10,
     36.380742,
     36.380742,
     36.380742,
     62.595069},
    {{"the cat sat on the mat", "there is a cat on the mat ."},
     {"the cat is on the mat", "there is a cat on the mat ."},
     {13, 10, 7, 5},
     {14, 12, 10, 8},
     14,
     14,
     76.278656,
     76.278656,
     76.278656,
     84.600102},
    {{"A B B C D"}, {"A B C D E F"}, {4, 3, 1, 0}, {5, 4, 3, 2}, 5, 6, 38.715387, 0, 38.715387, 31.562308},
    {{"hello world"}, {"hello world"}, {2, 1, 0, 0}, {2, 1, 0, 0}, 2, 2, 0, 0, 100, 100},
    {{"It costs $1,234.50 (about 10-20% more), e.g. in the U.S."},
     {"It costs $1,234.50 (around 10-20% more), e.g. in the U.S."},
     {22, 20, 18, 16},
     {23, 22, 21, 20},
     23,
     23,
     87.874191,
     87.874191,
     87.874191,
     84.773252},
    {{"Die Katze sa\xC3\x9F auf der Matte.", "Hallo Welt!"},
     {"Die Katze sitzt auf der Matte.", "Hallo, Welt!"},
     {9, 5, 2, 1},
     {10, 8, 6, 4},
     10,
     11,
     42.102305,
     42.102305,
     42.102305,
     67.390471}};

}  // namespace dragoman::eval
