#include "dragoman/train/dry_run.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {
namespace {

// A model on a backend that only counts memory.
struct DryModel {
  DryModel(const model::ModelConfig& config, params::Purpose purpose, const DeviceAndType& device_and_type)
      : on(make_backend(device_and_type.device, {.dry = true})),
        model(config.make_model()),
        block(*on, device_and_type.dtype, *model, purpose) {}

  StepMemory measure(const std::function<void()>& step) const {
    on->arena().reset_peak();
    step();
    return {static_cast<std::int64_t>(on->arena().peak()), static_cast<std::int64_t>(on->gradients().peak())};
  }

  std::unique_ptr<Backend> on;
  std::unique_ptr<model::Seq2Seq> model;
  params::ParameterBlock block;
};

}  // namespace

StepMemory training_memory(const model::ModelConfig& config, std::int64_t tokens, std::int64_t sentence_length,
                           const DeviceAndType& device_and_type) {
  DryModel dry(config, params::Purpose::kTraining, device_and_type);
  Trainer trainer(*dry.model, dry.block, {}, {.d_model = config.width()});
  std::vector<data::SentencePair> pairs;
  std::int64_t drawn = 0;
  const auto next_token = [&](std::int64_t V) { return kEos + static_cast<std::int32_t>(drawn % (V - kEos)); };
  for (std::int64_t left = tokens; left > 0; left -= sentence_length) {
    data::SentencePair& pair = pairs.emplace_back();
    for (std::int64_t i = 0; i < std::min(left, sentence_length); ++i, ++drawn) {
      pair.source.push_back(next_token(config.source_vocabulary()));
      pair.target.push_back(next_token(config.target_vocabulary()));
    }
  }
  const data::HostBatch batches[] = {data::make_host_batch(pairs, batch_options(*dry.model))};
  return dry.measure([&] {
    trainer.gradients(batches);
    evaluate(*dry.on, *dry.model, pairs, {});
  });
}

StepMemory decoding_memory(const model::ModelConfig& config, std::int64_t sentences, std::int64_t sentence_length,
                           const DeviceAndType& device_and_type, std::optional<std::int32_t> first) {
  const DryModel dry(config, params::Purpose::kInference, device_and_type);
  const std::vector<data::Sentence> sources(sentences, data::Sentence(sentence_length, kEos));
  return dry.measure([&] { decode::greedy(*dry.on, *dry.model, sources, {.first = first}); });
}

}  // namespace dragoman::train
