// Scores many small corpora, for comparison with another program. Each line of standard input is a JSON object that
// says what to compute; each line of standard output is one with the results, to the last bit. See
// compare_with_sacrebleu.py.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/eval/chrf.h"
#include "dragoman/eval/significance.h"
#include "dragoman/eval/ter.h"

namespace dragoman::eval {
namespace {

using Sentences = std::vector<std::string>;

std::unique_ptr<Metric> metric_of(const Json& set) {
  const std::string name = set["metric"];
  const Json& given = set["settings"];
  if (name == "bleu") {
    BleuSettings settings{.lowercase = given["lowercase"], .effective_order = given["effective_order"]};
    read_value(settings.tokenizer, given["tokenizer"].get<std::string>(), "tokenizer");
    read_value(settings.smoothing, given["smoothing"].get<std::string>(), "smoothing");
    if (!given["smoothing_value"].is_null()) settings.smoothing_value = given["smoothing_value"].get<double>();
    return std::make_unique<BleuMetric>(settings);
  }
  if (name == "chrf") {
    return std::make_unique<Chrf>(ChrfSettings{.character_order = given["character_order"],
                                               .word_order = given["word_order"],
                                               .beta = given["beta"],
                                               .lowercase = given["lowercase"],
                                               .whitespace = given["whitespace"]});
  }
  return std::make_unique<Ter>(TerSettings{.case_sensitive = given["case_sensitive"],
                                           .normalized = given["normalized"],
                                           .no_punctuation = given["no_punctuation"],
                                           .asian_support = given["asian_support"]});
}

SentenceStatistics counted(const Metric& metric, const Sentences& hypotheses,
                           const std::vector<Sentences>& references) {
  SentenceStatistics corpus;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) corpus.add(metric.statistics(hypotheses[i], references[i]));
  return corpus;
}

Json scored(const Json& set) {
  const std::unique_ptr<Metric> metric = metric_of(set);
  const auto references = set["references"].get<std::vector<Sentences>>();
  const SentenceStatistics baseline = counted(*metric, set["baseline"].get<Sentences>(), references);
  const SentenceStatistics system = counted(*metric, set["system"].get<Sentences>(), references);
  const Trials trials{.number = set["trials"], .seed = set["seed"]};
  Json sentences = Json::array();
  for (std::size_t i = 0; i < baseline.size(); ++i) sentences.push_back(metric->score(baseline[i]));
  const Interval interval = confidence_interval(*metric, baseline, trials);
  const PairedBootstrap test = paired_bootstrap(*metric, baseline, system, trials);
  // The signature names the number of references only if all sentences have the same number.
  bool all_equal = true;
  for (const Sentences& line : references) all_equal = all_equal && line.size() == references[0].size();
  const std::optional<std::size_t> number = all_equal ? std::optional(references[0].size()) : std::nullopt;
  return {{"name", metric->name()},
          {"signature", signature(*metric, number)},
          {"score", metric->score(baseline.sums())},
          {"details", metric->details(baseline.sums())},
          {"sentences", sentences},
          {"interval", {interval.mean, interval.half_width}},
          {"bootstrap", {test.baseline.mean, test.baseline.half_width, test.system.mean, test.system.half_width}},
          {"bootstrap_p", test.p_value},
          {"randomisation_p", paired_randomisation(*metric, baseline, system, trials)}};
}

}  // namespace
}  // namespace dragoman::eval

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << dragoman::eval::scored(dragoman::parse_json(line, "standard input")).dump() << '\n';
  }
}
