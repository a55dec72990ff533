#include "dragoman/data/batch.h"

#include "dragoman/base/error.h"

namespace dragoman::data {

std::span<const SentencePair> take_batch(std::span<const SentencePair>& pairs, std::int64_t max_tokens) {
  std::int64_t source = 0, target = 0;
  std::size_t count = 0;
  for (; count < pairs.size(); ++count) {
    source += std::ssize(pairs[count].source);
    target += std::ssize(pairs[count].target);
    if (count > 0 && (source > max_tokens || target > max_tokens)) break;
  }
  const std::span<const SentencePair> batch = pairs.first(count);
  pairs = pairs.subspan(count);
  return batch;
}

HostBatch make_host_batch(std::span<const SentencePair> pairs, const BatchOptions& options) {
  HostBatch batch;
  std::vector<Sentence> sources, shifted;
  sources.reserve(pairs.size());
  shifted.reserve(pairs.size());
  for (const SentencePair& pair : pairs) {
    require<UsageError>(!pair.target.empty(), "sentence ", shifted.size() + 1, " of the batch has no target tokens.");
    sources.push_back(pair.source);
    Sentence& input = shifted.emplace_back();
    input.reserve(pair.target.size());
    input.push_back(options.start_token);
    input.insert(input.end(), pair.target.begin(), pair.target.end() - 1);
    batch.targets.insert(batch.targets.end(), pair.target.begin(), pair.target.end());
  }
  for (const std::int32_t id : batch.targets) {
    require<UsageError>(id > kPad && id < options.V_target, "the batch has the target id ", id,
                        ", but the vocabulary's tokens are 1 to ", options.V_target - 1, ".");
  }
  batch.source = make_host_tokens(sources, {.V = options.V_source, .first_sentence = options.first_sentence});
  batch.target = make_host_tokens(
      shifted,
      {.V = options.V_target, .first_sentence = options.first_sentence, .zero_start = options.start_token == kPad});
  return batch;
}

Batch to_device(Backend& on, const HostBatch& batch) {
  Upload upload;
  add(batch.source, upload);
  add(batch.target, upload);
  upload.add(batch.targets);
  upload.send(on);
  Batch sent;
  sent.source = received(on, batch.source, upload);
  sent.target = received(on, batch.target, upload);
  sent.targets = upload.next();
  sent.target_tokens = static_cast<std::int64_t>(batch.targets.size());
  return sent;
}

Batch make_batch(Backend& on, std::span<const SentencePair> pairs, const BatchOptions& options) {
  return to_device(on, make_host_batch(pairs, options));
}

}  // namespace dragoman::data
