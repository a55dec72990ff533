#include "dragoman/eval/metric.h"

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"

namespace dragoman::eval {

Json Metric::record(std::span<const double>) const { return Json::object(); }

void SentenceStatistics::add(const Statistics& sentence) {
  require<ShapeError>(width_ == 0 || width_ == sentence.size(), "the corpus has ", width_,
                      " statistics per sentence, but this sentence has ", sentence.size(), ".");
  width_ = sentence.size();
  numbers_.insert(numbers_.end(), sentence.begin(), sentence.end());
}

Statistics SentenceStatistics::sums() const {
  Statistics sums;
  for (std::size_t i = 0; i < size(); ++i) add_statistics(sums, (*this)[i]);
  return sums;
}

void add_statistics(Statistics& sums, std::span<const double> sentence) {
  sums.resize(sentence.size());
  for (std::size_t i = 0; i < sentence.size(); ++i) sums[i] += sentence[i];
}

SentenceStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::string> references) {
  require<ShapeError>(hypotheses.size() == references.size(), metric.name(), ": there are ", hypotheses.size(),
                      " hypotheses but ", references.size(), " references.");
  SentenceStatistics corpus;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    corpus.add(metric.statistics(hypotheses[i], references.subspan(i, 1)));
  }
  return corpus;
}

std::string signature(const Metric& metric, std::optional<std::size_t> references, std::string_view resampling) {
  const std::string number = references ? std::to_string(*references) : "var";
  return join("nrefs:", number, resampling.empty() ? "" : "|", resampling, "|", metric.settings());
}

}  // namespace dragoman::eval
