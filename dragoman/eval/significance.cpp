#include "dragoman/eval/significance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/eval/numpy_random.h"

namespace dragoman::eval {
namespace {

// The scores of corpora of the same size, whose sentences are drawn with replacement. Sums are in single precision, as
// in sacreBLEU.
Samples bootstrap(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials) {
  const std::size_t sentences = corpus.size(), width = corpus.width();
  std::vector<float> numbers;
  for (std::size_t i = 0; i < sentences; ++i) {
    for (const double number : corpus[i]) numbers.push_back(static_cast<float>(number));
  }
  NumpyRandom random(trials.seed);
  Samples samples;
  std::vector<float> sums(width);
  for (int trial = 0; trial < trials.number; ++trial) {
    std::ranges::fill(sums, 0.0f);
    for (std::size_t i = 0; i < sentences; ++i) {
      const float* row = numbers.data() + width * random.below(static_cast<std::uint32_t>(sentences));
      for (std::size_t j = 0; j < width; ++j) sums[j] += row[j];
    }
    samples.add(metric.resampled_score(sums));
  }
  return samples;
}

// The fraction of trials above the observed difference. The original corpus counts as one such trial, so that the
// p-value is never 0.
double p_value(std::int64_t above, int trials) {
  return static_cast<double>(above + 1) / static_cast<double>(trials + 1);
}

// The differences of the resampled corpora minus their mean estimate the differences that equally good systems would
// have.
template <class Real>
double bootstrap_p_value(const Samples& baseline, const Samples& system, double observed) {
  std::vector<Real> differences = system.as<Real>();
  const std::vector<Real> subtracted = baseline.as<Real>();
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = std::abs(differences[i] - subtracted[i]);
  const Real mean = numpy_mean<Real>(differences), limit = static_cast<Real>(observed);
  const auto above = std::ranges::count_if(differences, [=](Real difference) { return difference - mean > limit; });
  return p_value(above, static_cast<int>(differences.size()));
}

double difference(const Metric& metric, const SentenceStatistics& baseline, const SentenceStatistics& system) {
  require<ShapeError>(baseline.size() == system.size(), "the baseline has ", baseline.size(),
                      " sentences but the system ", system.size(), ".");
  return std::abs(metric.score(baseline.sums()) - metric.score(system.sums()));
}

Statistics added(const Statistics& a, const Statistics& b) {
  Statistics sums = a;
  add_statistics(sums, b);
  return sums;
}

}  // namespace

std::string resampling_text(Resampling kind, const Trials& trials) {
  if (kind == Resampling::kNone) return {};
  return join(kind == Resampling::kBootstrap ? "bs:" : "ar:", trials.number, "|seed:", trials.seed);
}

Interval confidence_interval(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials) {
  const Samples samples = bootstrap(metric, corpus, trials);
  return {samples.exact_mean(), samples.half_width()};
}

Bounds confidence_bounds(const Metric& metric, const SentenceStatistics& corpus, const Trials& trials) {
  return bootstrap(metric, corpus, trials).bounds();
}

PairedBootstrap paired_bootstrap(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const Trials& trials) {
  const double observed = difference(metric, baseline, system);
  const Samples of_baseline = bootstrap(metric, baseline, trials), of_system = bootstrap(metric, system, trials);
  const bool is_single = of_baseline.is_single() && of_system.is_single();
  return {.baseline = {of_baseline.numpy_mean(), of_baseline.half_width()},
          .system = {of_system.numpy_mean(), of_system.half_width()},
          .p_value = is_single ? bootstrap_p_value<float>(of_baseline, of_system, observed)
                               : bootstrap_p_value<double>(of_baseline, of_system, observed)};
}

double paired_randomisation(const Metric& metric, const SentenceStatistics& baseline, const SentenceStatistics& system,
                            const Trials& trials) {
  const double observed = difference(metric, baseline, system);
  NumpyBits coin(trials.seed);
  std::int64_t above = 0;
  for (int trial = 0; trial < trials.number; ++trial) {
    // The sums over the sentences whose translations are kept, and over those whose translations are swapped.
    Statistics kept_baseline(baseline.width()), kept_system(baseline.width());
    Statistics swapped_baseline(baseline.width()), swapped_system(baseline.width());
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      const bool keep = coin.next();
      add_statistics(keep ? kept_baseline : swapped_baseline, baseline[i]);
      add_statistics(keep ? kept_system : swapped_system, system[i]);
    }
    const double a = metric.shuffled_score(added(kept_baseline, swapped_system));
    const double b = metric.shuffled_score(added(swapped_baseline, kept_system));
    if (std::abs(a - b) > observed) ++above;
  }
  return p_value(above, trials.number);
}

}  // namespace dragoman::eval
