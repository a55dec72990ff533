// The common interface of all scores. Each sentence contributes a few numbers, its statistics, and the score of a
// corpus is a function of their sums. Corpora are scored, resampled and compared through this interface.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/json.h"

namespace dragoman::eval {

// The statistics of one sentence, or their sums over a corpus. Each metric documents what its numbers are.
using Statistics = std::vector<double>;

// The score of a resampled corpus. sacreBLEU sums the statistics of resampled corpora in single precision. is_single is
// true if it also computes the score in single precision; then it rounds means of such scores to single precision too.
// is_single is false for a score that is a constant, such as 0 without a match, because that is a double in sacreBLEU.
struct ResampledScore {
  double score = 0;
  bool is_single = false;
};

class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string key() const = 0;       // its name in JSON, such as "bleu"
  virtual std::string name() const = 0;      // its name in print, such as "BLEU"
  virtual std::string settings() const = 0;  // how it is computed, such as "case:mixed|eff:no|tok:13a|smooth:exp"

  virtual int digits() const { return 2; }  // after the decimal point, in print

  // Requires at least one reference. Sentences may have different numbers of references.
  virtual Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  virtual ResampledScore resampled_score(std::span<const float> sums) const = 0;
  // The score of a corpus in a randomisation test. Differs from score() only where sacreBLEU rounds differently there.
  virtual double shuffled_score(std::span<const double> sums) const { return score(sums); }

  // Further numbers to print with the score: details() as text after it, record() as a JSON object.
  virtual std::string details(std::span<const double>) const { return {}; }
  virtual Json record(std::span<const double>) const;
};

// The statistics of each sentence of a corpus.
class SentenceStatistics {
 public:
  void add(const Statistics& sentence);

  std::size_t size() const { return width_ == 0 ? 0 : numbers_.size() / width_; }
  std::size_t width() const { return width_; }
  std::span<const double> operator[](std::size_t sentence) const {
    return std::span(numbers_).subspan(sentence * width_, width_);
  }
  Statistics sums() const;

 private:
  std::size_t width_ = 0;
  std::vector<double> numbers_;
};

// sums += sentence. Before the first sentence, `sums` may be empty.
void add_statistics(Statistics& sums, std::span<const double> sentence);

// The statistics of hypotheses with one reference each. Throws a ShapeError if their numbers differ.
SentenceStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::string> references);

// How a score was computed, to print with it, such as "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp". The format is
// sacreBLEU's without the version at the end, because sacreBLEU did not compute the score. `references` is the number
// of references of each sentence, or nullopt if it varies ("nrefs:var"). `resampling` is the text of resampling_text().
std::string signature(const Metric& metric, std::optional<std::size_t> references, std::string_view resampling = {});

}  // namespace dragoman::eval
