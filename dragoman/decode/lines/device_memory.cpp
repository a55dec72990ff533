#include "dragoman/decode/lines/device_memory.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "dragoman/backend/cuda_costs.h"
#include "dragoman/base/shares.h"
#include "dragoman/base/threads.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/line_worker.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::decode {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// The least memory of a worker, which also loads the weights, piece by piece.
constexpr std::int64_t kMinWorker = 16 * kMiB;
constexpr std::int64_t kNumber = 4;  // bytes of a float or an id
constexpr int kSteps = 3;            // of a search until it has all its hypotheses

WeightForm form_of(const TranslatorOptions& options) {
  if (options.weights) return *options.weights;
  return options.device.kind == Device::Kind::kCuda ? WeightForm::kBFloat16 : WeightForm::kFloat32;
}

// The most tokens of a translation.
std::int64_t longest_translation(const TranslatorOptions& options) {
  return options.longest + options.search.max_extra;
}

// An upper bound: gaps between tensors are counted generously, and memory comes in pages of 2 MiB.
std::int64_t weight_bytes(model::Seq2Seq& model, const params::ParameterBlock& block, WeightForm form) {
  constexpr std::int64_t kGap = 256;
  const std::int64_t element = form == WeightForm::kFloat32 ? kNumber : 2;
  std::int64_t bytes = params::ParameterBlock::elements(model) * element + 2 * 2 * kMiB;
  for (const params::NamedTensor& tensor : block.saved()) {
    const bool exact = tensor.values && tensor.values.dtype() == DType::kFloat32;
    bytes += kGap + (exact && form != WeightForm::kFloat32 ? tensor.shape.count() * kNumber : 0);
  }
  return (bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
}

// The limits of an engine that has the same room for one client as that of a fair engine for all of them.
EngineLimits limits_for_all(const TranslatorOptions& options) {
  EngineLimits limits = engine_limits(options);
  if (options.fair) {
    limits.sentences = Shares::capacity_for(limits.sentences);
    limits.source_tokens = Shares::capacity_for(limits.source_tokens);
  }
  limits.fair = false;
  return limits;
}

// Sentences that fill an engine: one of the greatest length, and the others of equal length.
std::vector<data::Sentence> full_batch(const EngineLimits& limits, std::int64_t longest) {
  const auto sentence = [](std::int64_t tokens) { return data::Sentence(static_cast<std::size_t>(tokens), kEos); };
  const std::int64_t first = std::min(longest, limits.source_tokens), others = limits.sentences - 1;
  std::vector<data::Sentence> sources{sentence(first)};
  const std::int64_t each = others > 0 ? (limits.source_tokens - first) / others : 0;
  if (each > 0) sources.resize(static_cast<std::size_t>(limits.sentences), sentence(std::min(each, longest)));
  return sources;
}

// Searches for these sentences, on the host and, if that is possible, on the device too.
void begin_steps(Dispatcher& engine, const std::vector<data::Sentence>& sources) {
  std::uint64_t number = 0;
  for (const data::Sentence& source : sources) {
    engine.add({.source = source, .prefix = {}, .number = number++, .options = {.follow = true}});
    if (engine.on_device() != nullptr) engine.add({.source = source, .prefix = {}, .number = number++});
  }
  for (int step = 0; step < kSteps && !engine.idle(); ++step) engine.step();
}

}  // namespace

DeviceMemory device_memory(const model::ModelConfig& config, const TranslatorOptions& given) {
  TranslatorOptions options = given;
  const std::unique_ptr<model::Seq2Seq> model = config.make_model();
  options.longest = std::clamp<std::int64_t>(model->max_positions() - 1, 1, options.longest);
  const int threads = std::max(1, threads_for(options.threads) / options.workers);
  const std::unique_ptr<Backend> on = make_backend(options.device, {.threads = threads, .dry = true});
  const WeightForm form = form_of(options);
  const params::ParameterBlock block(*on, form, *model);
  const EngineLimits limits = limits_for_all(options);
  for (const std::int64_t longest : {options.longest + 1, std::int64_t{1}}) {
    Dispatcher engine(*on, {model.get()}, options.search, limits, options.traces ? Place::kHost : Place::kAutomatic);
    begin_steps(engine, full_batch(limits, longest));
  }
  // What this run did not see of a search on the host: the cells that each row reads in its last step, and, for a row
  // with a forced prefix, the scores of all words, which are computed for all rows then.
  const std::int64_t rows = limits.sentences * max_rows(options.search);
  const std::int64_t row_bytes = (longest_translation(options) + model->target_vocabulary()) * kNumber;
  const std::int64_t peak = static_cast<std::int64_t>(on->arena().peak()) + rows * row_bytes;
  // There are tables for both sides, and a table is made anew when it has to grow to twice its size.
  const std::int64_t positions = next_power_of_two(longest_translation(options));
  return {.weights = weight_bytes(*model, block, form) + 4 * positions * config.width() * kNumber,
          .worker = std::max(kMinWorker, peak + peak / 64),
          .products = options.device.kind == Device::Kind::kCuda ? kCudaBackendBytes : 0};
}

std::int64_t program_memory(Device device) { return device.kind == Device::Kind::kCuda ? kCudaBytes : 0; }

}  // namespace dragoman::decode
