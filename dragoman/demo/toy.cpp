#include "dragoman/demo/toy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/inside/forced.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::demo {

namespace {

constexpr std::uint32_t kToyPurpose = 0x746F79;  // purpose of the random streams: "toy" in ASCII

}  // namespace

void ToySettings::validate() const {
  const auto within = [](const char* key, int value, int low, int high) {
    require<UsageError>(value >= low && value <= high, key, " is ", value, ", but must be ", low, " to ", high, ".");
  };
  within("symbols", symbols, 1, 100000);
  within("longest", longest, 1, 1000);
  within("steps", steps, 1, 10000000);
  within("batch", batch, 1, 100000);
  within("threads", threads, 0, 1024);
}

std::int32_t first_symbol() { return kUnk + 1; }

const model::Preset& toy_preset(const std::string& architecture, ToyTask task) {
  const std::vector<model::Preset>& presets = model::architecture(architecture).presets;
  const auto find = [&presets](std::string_view ending) {
    return std::ranges::find_if(presets, [&](const auto& preset) { return preset.name.ends_with(ending); });
  };
  auto found = task == ToyTask::kChase ? find("pointers") : presets.end();
  if (found == presets.end()) found = find("symbols");
  return found != presets.end() ? *found : presets.front();
}

model::ModelConfig toy_config(const ToySettings& settings) {
  model::ModelConfig config = settings.preset ? settings.preset->model : toy_preset("").model;
  config.set_vocabularies(first_symbol() + settings.symbols, first_symbol() + settings.symbols);
  return config;
}

int hops_of(const data::SentencePair& pair) { return pair.source[1] - first_symbol() - kChasePairs + 1; }

namespace {

std::vector<ChaseLesson> make_lessons() {
  constexpr int kFewest = 2, kShort = 3, kLonger = 3;
  std::vector<ChaseLesson> lessons;
  for (int hops = 1; hops <= kChaseHops; ++hops) {
    for (int pairs = std::max(kShort, hops + 1); pairs < kChasePairs; pairs += kLonger) {
      lessons.push_back({.fewest_pairs = kFewest, .pairs = pairs, .hops = hops});
    }
    lessons.push_back({.fewest_pairs = kFewest, .pairs = kChasePairs, .hops = hops});
  }
  lessons.push_back({});
  return lessons;
}

const std::vector<ChaseLesson>& lessons() {
  static const std::vector<ChaseLesson> all = make_lessons();
  return all;
}

}  // namespace

const ChaseLesson& ChaseCourse::lesson() const { return lessons()[number_]; }

void ChaseCourse::add(double loss) {
  constexpr double kKept = 0.98;  // of the running mean
  mean_ = kKept * mean_ + (1 - kKept) * loss;
  if (mean_ > kLearned || number_ + 1 == lessons().size()) return;
  ++number_;
  mean_ = kUnknown;
}

namespace {

void shuffle(std::vector<int>& list, RandomStream& random) {
  for (std::size_t i = list.size() - 1; i > 0; --i) {
    std::swap(list[i], list[random.below(static_cast<std::uint32_t>(i) + 1)]);
  }
}

// The pairs say who follows whom in one random cycle, so that no hop leads back before all pairs were visited. Of the
// symbols the first kChasePairs are in the pairs; those after them are the numbers of hops.
data::SentencePair chase_pair(RandomStream& random, const ChaseLesson& lesson) {
  const auto between = [&random](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
  };
  std::vector<int> cycle(kChasePairs);
  std::iota(cycle.begin(), cycle.end(), 0);
  shuffle(cycle, random);
  cycle.resize(between(lesson.fewest_pairs, lesson.pairs));
  std::vector<int> successor(kChasePairs);
  for (std::size_t i = 0; i < cycle.size(); ++i) successor[cycle[i]] = cycle[(i + 1) % cycle.size()];
  shuffle(cycle, random);
  int at = cycle[random.below(static_cast<std::uint32_t>(cycle.size()))];
  const int k = between(1, lesson.hops);
  data::SentencePair pair;
  pair.source = {first_symbol() + at, first_symbol() + kChasePairs + k - 1};
  for (const int a : cycle) pair.source.insert(pair.source.end(), {first_symbol() + a, first_symbol() + successor[a]});
  pair.source.push_back(kEos);
  for (int hop = 0; hop < k; ++hop) at = successor[at];
  pair.target = {first_symbol() + at, kEos};
  return pair;
}

}  // namespace

std::vector<data::SentencePair> toy_pairs(const ToySettings& settings, int count, std::uint64_t stream,
                                          const ChaseLesson& lesson) {
  RandomStream random(settings.seed, kToyPurpose, stream);
  if (settings.task == ToyTask::kChase) {
    std::vector<data::SentencePair> chases;
    for (int i = 0; i < count; ++i) chases.push_back(chase_pair(random, lesson));
    return chases;
  }
  std::vector<data::SentencePair> pairs(count);
  for (data::SentencePair& pair : pairs) {
    const std::uint32_t length = 1 + random.below(settings.longest);
    for (std::uint32_t i = 0; i < length; ++i) {
      pair.source.push_back(first_symbol() + static_cast<std::int32_t>(random.below(settings.symbols)));
    }
    pair.target = pair.source;
    if (settings.task == ToyTask::kReverse) std::ranges::reverse(pair.target);
    pair.source.push_back(kEos);
    pair.target.push_back(kEos);
  }
  return pairs;
}

ToyModel::ToyModel(const ToySettings& settings_)
    : settings(settings_),
      on(make_backend(device_of(settings_.device), {.threads = settings_.threads})),
      config(toy_config(settings_)),
      model(config.make_model()),
      block(*on, DType::kFloat32, *model, params::Purpose::kTraining) {
  block.initialise(settings.seed);
}

void ToyModel::train(const std::function<void(int, const train::Losses&)>& report) {
  model::TrainingConfig training = settings.preset ? settings.preset->training : toy_preset("").training;
  training.eps_ls = 0;
  training.seed = settings.seed;
  training.steps = settings.steps;
  optim::Schedule schedule = training.rates(config.width());
  schedule.cooldown_steps = settings.steps / 3;
  train::Trainer trainer(*model, block, training, schedule);
  for (int step = 1; step <= settings.steps; ++step) {
    const train::Losses losses =
        trainer.update(toy_pairs(settings, settings.batch, static_cast<std::uint64_t>(step), course.lesson()));
    report(step, losses);
    course.add(losses.nll());
  }
}

std::optional<double> ToyModel::right_attention(const std::vector<data::SentencePair>& pairs) const {
  if (settings.task == ToyTask::kChase) return std::nullopt;
  const nn::AttentionSites sites = model->sites();
  const int cross = nn::cross_site(sites);
  if (cross < 0 || sites[cross].layers * sites[cross].heads != 1) return std::nullopt;
  std::int64_t right = 0, all = 0;
  for (const data::SentencePair& pair : pairs) {
    const decode::Attention attention = decode::run_forced(*on, *model, pair).attention[cross];
    const std::int64_t n = std::ssize(pair.source) - 1;  // without EOS
    for (std::int64_t t = 0; t < n; ++t) {
      const auto weights = std::span(attention.weights).subspan(t * attention.keys, attention.keys);
      const std::int64_t chosen = std::ranges::max_element(weights) - weights.begin();
      right += chosen == (settings.task == ToyTask::kReverse ? n - 1 - t : t) ? 1 : 0;
    }
    all += n;
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

data::Sentence ToyModel::answer(const data::Sentence& source) const {
  return decode::greedy(*on, *model, std::span(&source, 1)).front().tokens;
}

namespace {

// For each pair, whether greedy decoding answers it without a mistake.
std::vector<bool> right_answers(Backend& on, const model::Seq2Seq& model,
                                const std::vector<data::SentencePair>& pairs) {
  std::vector<data::Sentence> sources;
  for (const data::SentencePair& pair : pairs) sources.push_back(pair.source);
  const std::vector<decode::Hypothesis> answers = decode::greedy(on, model, sources);
  std::vector<bool> right;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    data::Sentence given = answers[i].tokens;
    if (answers[i].finished) given.push_back(kEos);
    right.push_back(given == pairs[i].target);
  }
  return right;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// Pearson's correlation; absent if one of the two is constant.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double x_mean = mean(x), y_mean = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace

double ToyModel::exact_match(const std::vector<data::SentencePair>& pairs) const {
  const std::vector<bool> right = right_answers(*on, *model, pairs);
  return static_cast<double>(std::ranges::count(right, true)) / static_cast<double>(pairs.size());
}

ToyModel::Chase ToyModel::chase(const std::vector<data::SentencePair>& pairs) const {
  const std::vector<bool> right = right_answers(*on, *model, pairs);
  Chase chase;
  std::vector<std::vector<double>> answer_steps(kChaseHops), source_steps(kChaseHops);
  std::vector<double> all_k, all_answer, all_source;
  for (int k = 1; k <= kChaseHops; ++k) chase.hops.push_back({.k = k});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto row = static_cast<std::size_t>(hops_of(pairs[i]) - 1);
    ++chase.hops[row].pairs;
    chase.hops[row].right += right[i] ? 1 : 0;
    if (!model->halts()) continue;
    const decode::Pondering steps = decode::run_forced(*on, *model, pairs[i]).pondering;
    answer_steps[row].push_back(steps.target.steps.front());
    source_steps[row].push_back(mean({steps.source.steps.begin(), steps.source.steps.end()}));
    all_k.push_back(static_cast<double>(row) + 1);
    all_answer.push_back(answer_steps[row].back());
    all_source.push_back(source_steps[row].back());
  }
  if (!model->halts()) return chase;
  for (std::size_t row = 0; row < chase.hops.size(); ++row) {
    if (answer_steps[row].empty()) continue;
    chase.hops[row].answer_steps = mean(answer_steps[row]);
    chase.hops[row].source_steps = mean(source_steps[row]);
  }
  chase.answer_correlation = correlation(all_k, all_answer);
  chase.source_correlation = correlation(all_k, all_source);
  return chase;
}

}  // namespace dragoman::demo
