#include "dragoman/train/dry_run.h"

#include <algorithm>
#include <vector>

#include "dragoman/model/transformer.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {

std::int64_t activation_bytes(const model::TransformerConfig& config, std::int64_t tokens,
                              std::int64_t sentence_length) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.dry = true});
  model::Transformer model(config);
  nn::ParameterBlock block(*on, DType::kFloat32, model, nn::Purpose::kTraining);
  Trainer trainer(model, block, {}, {.d_model = config.d_model});
  std::vector<data::SentencePair> pairs;
  for (std::int64_t left = tokens; left > 0; left -= sentence_length) {
    const data::Sentence sentence(std::min(left, sentence_length), data::kEos);
    pairs.push_back({sentence, sentence});
  }
  on->arena().forget_peak();
  const std::span<const data::SentencePair> batches[] = {pairs};
  trainer.gradients(batches);
  return static_cast<std::int64_t>(on->arena().peak() + on->gradients().peak());
}

}  // namespace dragoman::train
