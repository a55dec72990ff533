// What every score has in common: each sentence adds a few numbers, and the score is a function of their sums. Corpora
// are scored, resampled and compared through this.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/json.h"

namespace dragoman::eval {

// What one sentence adds, or the sums over a corpus. Each metric says what its numbers are.
using Statistics = std::vector<double>;

// The score of a resampled corpus. sacreBLEU adds those up in single precision, and where it goes on in single
// precision its means are rounded too; a score that is set rather than computed, such as 0 without a match, is a double
// there.
struct ResampledScore {
  double score = 0;
  bool is_single = false;
};

class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string key() const = 0;       // "bleu": its name in JSON
  virtual std::string name() const = 0;      // "BLEU"
  virtual std::string settings() const = 0;  // "case:mixed|eff:no|tok:13a|smooth:exp": how it is computed

  virtual int digits() const { return 2; }  // after the point, in print

  // There must be a reference; sentences may have different numbers of them.
  virtual Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  virtual ResampledScore resampled_score(std::span<const float> sums) const = 0;
  // In a randomisation test.
  virtual double shuffled_score(std::span<const double> sums) const { return score(sums); }

  // What is worth knowing beside the score: as text that follows it, and as an object.
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

// sums += sentence; the sums of no sentence may be empty.
void add_statistics(Statistics& sums, std::span<const double> sentence);

// The statistics of hypotheses with one reference each. Throws a ShapeError if there are more of one than of the other.
SentenceStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::string> references);

// How a score was computed, to print beside it: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp". It is sacreBLEU's but
// for the version at its end, since sacreBLEU did not compute it. Without a number of references it differs from
// sentence to sentence ("nrefs:var"). `resampling` is what resampling_text() says.
std::string signature(const Metric& metric, std::optional<std::size_t> references, std::string_view resampling = {});

}  // namespace dragoman::eval
