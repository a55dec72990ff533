#include "dragoman/train/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "dragoman/array/arena.h"
#include "dragoman/backend/cuda_costs.h"
#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/dry_run.h"
#include "dragoman/train/gradient_tree.h"
#include "dragoman/train/rank_shares.h"
#include "dragoman/train/snapshot.h"

namespace dragoman::train {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// The program with its libraries, stacks and file buffers was measured at 40 MiB; this is rounded up. A vocabulary
// takes about ten times the size of its file.
constexpr std::int64_t kProgramBytes = 64 * kMiB;
constexpr std::int64_t kVocabularyFactor = 10;
// The least memory for the values of a step. It is also used to save and load tensors, piece by piece.
constexpr std::int64_t kMinValues = 16 * kMiB;
constexpr std::int64_t kMaxDecoded = 64;  // sentences that validation translates at a time
// The size of micro-batches is searched in steps of this many tokens.
constexpr std::int64_t kGrain = 64;

bool is_on_cuda(const TrainingSettings& settings) { return settings.run.device == DeviceChoice::kCuda; }

std::int64_t mebibytes(std::int64_t bytes) { return (bytes + kMiB - 1) / kMiB; }

// The size of a parameter block, including padding rows and gaps.
std::int64_t block_elements(const TrainingSettings& settings) {
  const std::unique_ptr<model::Seq2Seq> model = settings.model.make_model();
  return params::ParameterBlock::elements(*model);
}

// Memory comes in pages of 2 MiB.
std::int64_t block_bytes(const TrainingSettings& settings) {
  return block_elements(settings) * static_cast<std::int64_t>(sizeof(float)) + 2 * kMiB;
}

// How many blocks a checkpoint holds: weights, one or two moments, and perhaps a moving average.
std::int64_t saved_blocks(const TrainingSettings& settings) {
  const std::int64_t moments = settings.training.optimiser == model::OptimiserName::kAdam ? 2 : 1;
  return 1 + moments + (settings.training.ema > 0 ? 1 : 0);
}

// What is saved, gradients, this many sums of a tree, and perhaps bfloat16 weights, which take half the size but are
// counted in full.
std::int64_t parameter_bytes(const TrainingSettings& settings, int sums) {
  const bool bfloat16 = settings.run.device_and_type().dtype == DType::kBFloat16;
  return (saved_blocks(settings) + 1 + sums + (bfloat16 ? 1 : 0)) * block_bytes(settings);
}

std::int64_t exchange_bytes(const TrainingSettings& settings, std::int64_t buckets) {
  const std::vector<Share> exchanged = buckets_of(block_elements(settings), buckets);
  return static_cast<std::int64_t>(RankShares::received_bytes(exchanged, DType::kFloat32)) + 2 * kMiB +
         (is_on_cuda(settings) ? kCudaBackendBytes : 0);
}

// The parameters in a plan for any number of processes. Several of them need no sum for the top level of the tree, but
// memory for an exchange, which may be larger if a small model is on CUDA.
std::int64_t undivided_bytes(const TrainingSettings& settings, std::int64_t buckets) {
  const int levels = tree_levels(settings.training.accumulate);
  if (levels == 0) return parameter_bytes(settings, 0);
  return parameter_bytes(settings, levels - 1) + std::max(block_bytes(settings), exchange_bytes(settings, buckets));
}

// The most memory that a step with this many tokens can take. Sentences of one token have the most segments, the
// longest sentences need the most of everything else. Sentences in between may need a little of both, hence the margin
// of 1/64.
StepMemory worst_step(const TrainingSettings& settings, std::int64_t tokens) {
  const DeviceAndType device_and_type = settings.run.device_and_type();
  const StepMemory shortest = training_memory(settings.model, tokens, 1, device_and_type);
  const StepMemory longest = training_memory(
      settings.model, tokens, std::min<std::int64_t>(tokens, settings.cleaning.max_length), device_and_type);
  const auto with_margin = [](std::int64_t bytes) { return bytes + bytes / 64; };
  return {with_margin(std::max(shortest.values, longest.values)),
          with_margin(std::max(shortest.gradients, longest.gradients))};
}

std::int64_t decoding_bytes(const TrainingSettings& settings, const PlanInputs& inputs, std::int64_t sentences) {
  return decoding_memory(settings.model, sentences, settings.cleaning.max_length, settings.run.device_and_type(),
                         inputs.first)
      .values;
}

MemoryPlan plan_for(const TrainingSettings& settings, const PlanInputs& inputs, std::int64_t micro_tokens) {
  const StepMemory step = worst_step(settings, micro_tokens);
  const std::int64_t buckets = bucket_count(block_elements(settings));
  MemoryPlan plan{.micro_tokens = micro_tokens,
                  .parameters = undivided_bytes(settings, buckets),
                  .values = std::max({step.values, decoding_bytes(settings, inputs, 1), kMinValues}),
                  .gradients = step.gradients,
                  .loader = inputs.loader_bytes,
                  .program = kProgramBytes + kVocabularyFactor * inputs.vocabulary_bytes,
                  .decode_sentences = 1,
                  .tree_levels = tree_levels(settings.training.accumulate),
                  .buckets = buckets};
  if (is_on_cuda(settings)) {  // the plan then covers the device's memory only
    plan.loader = 0;
    plan.program = kCudaBytes;
  }
  while (plan.decode_sentences < kMaxDecoded &&
         decoding_bytes(settings, inputs, 2 * plan.decode_sentences) <= plan.values) {
    plan.decode_sentences *= 2;
  }
  return plan;
}

}  // namespace

void MemoryPlan::divide_among(int ranks, const TrainingSettings& settings) {
  if (ranks == 1) return;
  const int sums = train::tree_levels(settings.training.accumulate) - train::tree_levels(ranks);
  rank = {.parameters = parameter_bytes(settings, sums), .exchange = exchange_bytes(settings, bucket_ranges())};
}

void MemoryPlan::add_snapshot(const TrainingSettings& settings, std::int64_t limit) {
  const std::int64_t needed = saved_blocks(settings) * block_bytes(settings) +
                              static_cast<std::int64_t>(Snapshot::kReaderBytes) +
                              (is_on_cuda(settings) ? kCudaBackendBytes : 0);
  if (total() + needed <= limit) snapshot = needed;
}

std::string MemoryPlan::describe(std::int64_t limit) const {
  return fmt::format(
      "{} MiB of {} allowed: parameters {}, values {} and gradients {} of a step (up to {} tokens a side at once), "
      "loader {}, program {}, {}{}",
      with_thousands(mebibytes(total())), with_thousands(mebibytes(limit)),
      with_thousands(mebibytes(rank ? rank->parameters : parameters)), with_thousands(mebibytes(values)),
      with_thousands(mebibytes(gradients)), with_thousands(micro_tokens), mebibytes(loader), mebibytes(program),
      rank ? join("exchange ", with_thousands(mebibytes(rank->exchange)), ", ") : "",
      snapshot > 0 ? join("snapshot ", with_thousands(mebibytes(snapshot)))
                   : "no snapshot: training waits while a checkpoint is written");
}

MemoryPlan smallest_plan(const TrainingSettings& settings, const PlanInputs& inputs) {
  return plan_for(settings, inputs, settings.cleaning.max_length);
}

MemoryPlan make_plan(const TrainingSettings& settings, const PlanInputs& inputs, std::int64_t limit) {
  const std::int64_t most = settings.training.batch_tokens, least = settings.cleaning.max_length;
  MemoryPlan plan = plan_for(settings, inputs, most);
  if (plan.total() <= limit) return plan;
  plan = smallest_plan(settings, inputs);
  require<MemoryError>(plan.total() <= limit, "training this model needs at least ", mebibytes(plan.total()),
                       " MiB, but ", mebibytes(limit), mebibytes(limit) == 1 ? " MiB is" : " MiB are",
                       " allowed; raise --memory-mb, or choose a smaller model, vocabulary or "
                       "max-length.");
  // Binary search; both bounds count multiples of kGrain above `least`.
  std::int64_t fits = 0, too_many = (most - least) / kGrain + 1;
  while (fits + 1 < too_many) {
    const std::int64_t middle = (fits + too_many) / 2;
    const MemoryPlan larger = plan_for(settings, inputs, least + middle * kGrain);
    (larger.total() <= limit ? fits : too_many) = middle;
    if (larger.total() <= limit) plan = larger;
  }
  return plan;
}

std::int64_t memory_limit(const TrainingSettings& settings) {
  if (settings.machine.memory_mb > 0) return settings.machine.memory_mb * kMiB;
  return static_cast<std::int64_t>(available_memory(settings.run.device_and_type().device) / 10 * 9);
}

}  // namespace dragoman::train
