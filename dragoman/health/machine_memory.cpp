#include <limits>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/health/machine.h"

namespace dragoman::health {
namespace {

std::string size_text(std::size_t bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); }

Fact::Value bytes_or_null(const std::optional<std::size_t>& bytes) {
  return bytes ? Fact::Value(static_cast<std::int64_t>(*bytes)) : Fact::Value();
}

Finding training_finding(const TrainingNeed& need, Asked asked) {
  const std::string model = join("training the preset '", need.name, "'", need.on_gpu ? " on the GPU" : "");
  const std::string allowed = bytes_text(need.allowed);
  if (need.allowed >= need.whole) {
    return {.check = "training-memory",
            .text = join(model, " with batches of ", with_thousands(need.batch_tokens), " tokens takes ",
                         bytes_text(need.whole), "; ", allowed, " may be used")};
  }
  if (need.allowed >= need.least) {
    return {.check = "training-memory",
            .text = join(model, " takes ", bytes_text(need.whole), " for whole batches of ",
                         with_thousands(need.batch_tokens), " tokens, but ", allowed,
                         " may be used: it will compute them in parts, which is slower but gives the same gradients")};
  }
  return {.check = "training-memory",
          .level = failure(asked),
          .text = join(model, " takes at least ", bytes_text(need.least), ", but ", allowed, " may be used"),
          .advice =
              "choose a smaller preset ('dragoman inspect --list' shows them), a smaller vocabulary or a smaller "
              "--max-length, or free some memory."};
}

}  // namespace

MemoryState this_memory() {
  return {.system = system_memory(), .container = container_memory(), .addresses = address_limit()};
}

Section memory_section(const MemoryState& state) {
  Section section{.name = "memory", .title = "Memory"};
  std::optional<std::size_t> limit, used;
  if (state.container) {
    limit = state.container->limit;
    used = state.container->used;
  }
  section.facts = {{"physical_bytes", static_cast<std::int64_t>(state.system.physical)},
                   {"available_bytes", static_cast<std::int64_t>(state.system.available)},
                   {"container_limit_bytes", bytes_or_null(limit)},
                   {"container_used_bytes", bytes_or_null(used)},
                   {"address_limit_bytes", bytes_or_null(state.addresses)}};
  section.findings.push_back({.check = "memory",
                              .text = join("the machine has ", size_text(state.system.physical), ", of which ",
                                           size_text(state.system.available), " are available")});
  if (limit && *limit < state.system.physical) {
    section.findings.push_back(
        {.check = "container",
         .text = join("the container may use ", size_text(*limit), ", of which ", size_text(*used), " are in use")});
  }
  if (state.addresses) {
    section.findings.push_back(
        {.check = "addresses",
         .level = Level::kWarning,
         .text = join("the address space of a process is limited to ", size_text(*state.addresses)),
         .advice = "raise the limit with 'ulimit -v unlimited'; a limit of memory is better set "
                   "with --memory-mb."});
  }
  return section;
}

TrainingNeed need_of(const std::string& name, const train::TrainingSettings& settings) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  return {.name = name,
          .on_gpu = settings.run.device == DeviceChoice::kCuda,
          .batch_tokens = settings.training.batch_tokens,
          .whole = train::make_plan(settings, {}, kNoLimit).total(),
          .least = train::smallest_plan(settings, {}).total(),
          .allowed = train::memory_limit(settings)};
}

void add_need(const TrainingNeed& need, Asked asked, Section& memory) {
  memory.facts.push_back({"training_preset", need.name});
  memory.facts.push_back({"training_bytes", need.whole});
  memory.facts.push_back({"training_least_bytes", need.least});
  memory.facts.push_back({"training_allowed_bytes", need.allowed});
  memory.findings.push_back(training_finding(need, asked));
}

}  // namespace dragoman::health
