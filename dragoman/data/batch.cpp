#include "dragoman/data/batch.h"

#include <vector>

#include "dragoman/base/error.h"

namespace dragoman::data {

Batch make_batch(Backend& on, std::span<const SentencePair> pairs, const BatchOptions& options) {
  std::vector<Sentence> sources, shifted;
  std::vector<std::int32_t> targets;
  for (const SentencePair& pair : pairs) {
    require<UsageError>(!pair.target.empty(), "sentence ", shifted.size() + 1, " of the batch has no target tokens.");
    sources.push_back(pair.source);
    Sentence& input = shifted.emplace_back();
    input.push_back(options.start_token);
    input.insert(input.end(), pair.target.begin(), pair.target.end() - 1);
    targets.insert(targets.end(), pair.target.begin(), pair.target.end());
  }
  for (const std::int32_t id : targets) {
    require<UsageError>(id > kPad && id < options.V_target, "the batch has the target id ", id,
                        ", but the vocabulary's tokens are 1 to ", options.V_target - 1, ".");
  }
  Batch batch;
  batch.source = make_tokens(on, sources, {.V = options.V_source, .first_sentence = options.first_sentence});
  batch.target = make_tokens(
      on, shifted,
      {.V = options.V_target, .first_sentence = options.first_sentence, .zero_start = options.start_token == kPad});
  batch.targets = make_ids(on, targets);
  batch.target_tokens = static_cast<std::int64_t>(targets.size());
  return batch;
}

}  // namespace dragoman::data
