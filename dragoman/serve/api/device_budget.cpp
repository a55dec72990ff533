#include "dragoman/serve/api/device_budget.h"

#include <algorithm>
#include <optional>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/lines/device_memory.h"

namespace dragoman::serve {
namespace {

std::string mib_text(std::int64_t bytes) {
  constexpr std::int64_t kMiB = 1 << 20;
  return with_thousands((bytes + kMiB - 1) / kMiB) + " MiB";
}

// The plan if batches have this share of their greatest size: scale / kScales. At least one sentence, and the longest
// line, are always in a batch.
constexpr std::int64_t kScales = 64;

DevicePlan plan_at(std::int64_t scale, std::span<const WantedModel> wanted) {
  DevicePlan plan;
  for (const WantedModel& model : wanted) {
    ModelShare& share = plan.models.emplace_back();
    share.options = model.options;
    share.options.fair = true;  // a service divides its batches among its clients
    share.options.batch_size = std::max<std::int64_t>(1, model.options.batch_size * scale / kScales);
    share.options.batch_tokens = std::max<std::int64_t>(1, model.options.batch_tokens * scale / kScales);
    const decode::DeviceMemory memory = decode::device_memory(model.config, share.options);
    share.options.worker_memory = memory.worker;
    share.bytes = memory.total(share.options.workers);
    plan.total += share.bytes;
    plan.largest = std::max(plan.largest, share.bytes);
  }
  if (!wanted.empty()) plan.program = decode::program_memory(wanted.front().options.device);
  return plan;
}

std::int64_t total_of(const DevicePlan& plan, int generations, std::size_t checkpoints) {
  std::int64_t models = 0;
  for (const ModelShare& share : plan.models) models += share.bytes;
  return plan.program + generations * models + static_cast<std::int64_t>(checkpoints) * plan.largest;
}

}  // namespace

DeviceBudget::DeviceBudget(std::int64_t bytes) : bytes_(bytes) {}

DeviceBudget::Part DeviceBudget::take(const std::string& what, std::int64_t bytes) {
  const std::lock_guard lock(counter_->mutex);
  require<MemoryError>(
      bytes_ == 0 || bytes <= bytes_ - counter_->used, what, " needs ", mib_text(bytes),
      " of the GPU's memory beside the ", mib_text(counter_->used), " that are in use, but only ", mib_text(bytes_),
      " are allowed; raise --gpu-memory-mb, or try again when requests to models that were replaced have ended.");
  counter_->used += bytes;
  return {counter_.get(), [counter = counter_, bytes](const void*) {
            const std::lock_guard returning(counter->mutex);
            counter->used -= bytes;
          }};
}

DevicePlan plan_models(std::span<const WantedModel> wanted, std::size_t checkpoints, std::int64_t budget) {
  const DevicePlan smallest = plan_at(0, wanted);
  const std::int64_t least = total_of(smallest, 1, checkpoints);
  require<MemoryError>(least <= budget, "serving ", wanted.size() == 1 ? "this model" : "these models",
                       " takes at least ", mib_text(least), " of the GPU's memory, but ", mib_text(budget),
                       " are allowed; raise --gpu-memory-mb, or choose fewer workers, models or checkpoints, a smaller "
                       "--beam, or a smaller --longest.");
  const int generations = total_of(smallest, 2, checkpoints) <= budget ? 2 : 1;
  // Binary search for the largest scale that fits.
  DevicePlan plan = smallest;
  for (std::int64_t fits = 0, too_many = kScales + 1; fits + 1 < too_many;) {
    const std::int64_t middle = (fits + too_many) / 2;
    DevicePlan larger = plan_at(middle, wanted);
    const bool ok = total_of(larger, generations, checkpoints) <= budget;
    (ok ? fits : too_many) = middle;
    if (ok) plan = std::move(larger);
  }
  plan.can_reload = generations == 2;
  plan.total = total_of(plan, generations, checkpoints);
  return plan;
}

std::string describe(const DevicePlan& plan, std::int64_t budget) {
  const decode::TranslatorOptions& options = plan.models.front().options;
  return join("the GPU's memory: at most ", mib_text(plan.total), " of ", mib_text(budget),
              plan.can_reload ? ", the old and the new models of a reload included" : "", "; batches of at most ",
              counted(options.batch_size, "sentence"), " and ", counted(options.batch_tokens, "token"), ".",
              plan.can_reload ? "" : " A reload does not fit and will be refused.");
}

}  // namespace dragoman::serve
