#include "dragoman/demo/toy.h"

#include <algorithm>

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

const model::Preset& toy_preset(const std::string& architecture) {
  const std::vector<model::Preset>& presets = model::architecture(architecture).presets;
  const auto found = std::ranges::find_if(presets, [](const auto& preset) { return preset.name.ends_with("symbols"); });
  return found != presets.end() ? *found : presets.front();
}

model::ModelConfig toy_config(const ToySettings& settings) {
  model::ModelConfig config = settings.preset ? settings.preset->model : toy_preset("").model;
  config.set_vocabularies(first_symbol() + settings.symbols, first_symbol() + settings.symbols);
  return config;
}

std::vector<data::SentencePair> toy_pairs(const ToySettings& settings, int count, std::uint64_t stream) {
  RandomStream random(settings.seed, kToyPurpose, stream);
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
      on(make_backend(Device{}, {.threads = settings_.threads})),
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
    report(step, trainer.update(toy_pairs(settings, settings.batch, static_cast<std::uint64_t>(step))));
  }
}

std::optional<double> ToyModel::right_attention(const std::vector<data::SentencePair>& pairs) const {
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

double ToyModel::exact_match(const std::vector<data::SentencePair>& pairs) const {
  std::vector<data::Sentence> sources;
  for (const data::SentencePair& pair : pairs) sources.push_back(pair.source);
  const std::vector<decode::Hypothesis> answers = decode::greedy(*on, *model, sources);
  std::int64_t right = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    data::Sentence given = answers[i].tokens;
    if (answers[i].finished) given.push_back(kEos);
    if (given == pairs[i].target) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(pairs.size());
}

}  // namespace dragoman::demo
