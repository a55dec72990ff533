#include "dragoman/health/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/threads.h"

namespace dragoman::health {
namespace {

// Features of processors that matter for our kernels, by the names of the system.
constexpr std::string_view kFeatures[] = {"avx",      "avx2",     "fma",      "avx512f", "avx512_vnni",
                                          "avx_vnni", "amx_int8", "amx_bf16", "asimd",   "asimddp",
                                          "i8mm",     "bf16",     "sve",      "sve2"};

std::string machine_kind() {
  utsname name{};
  return uname(&name) == 0 ? name.machine : "";
}

std::vector<std::string> features_that_matter(const ProcessorFacts& facts) {
  std::vector<std::string> found;
  for (const std::string_view feature : kFeatures) {
    if (std::ranges::find(facts.features, feature) != facts.features.end()) found.emplace_back(feature);
  }
  return found;
}

Finding threads_finding(const ProcessorState& state) {
  std::string reason;
  if (state.allowed < state.online) reason = join("; this process may run on ", state.allowed, " of them");
  if (state.quota) reason += join("; the container may use the time of ", *state.quota);
  Finding finding{.check = "threads",
                  .text = join(counted(state.threads, "thread"), state.threads == 1 ? " is" : " are", " used on ",
                               counted(state.online, "processor"), reason)};
  const double room = std::min<double>(state.allowed, state.quota.value_or(state.allowed));
  if (state.threads > room && state.threads > 1) {
    finding.level = Level::kWarning;
    finding.advice = "more threads than processors make everything slower; use fewer with --threads.";
  } else if (room < 1) {
    finding.level = Level::kWarning;
    finding.advice = "this is less than one processor; give the container more.";
  }
  return finding;
}

Finding vectors_finding(const CpuKernels& kernels) {
  Finding finding{
      .check = "float-kernels",
      .text = join("float kernels: ", kernels.vectors, ", ", kernels.vector_bytes / sizeof(float), " numbers at once")};
  if (kernels.vectors != kernels.available) {
    finding.level = Level::kWarning;
    finding.text += join("; this processor has ", kernels.available, ", which ",
                         kernels.in_build ? "--instructions excludes" : "this build does not use");
    finding.advice = kernels.in_build
                         ? "leave out --instructions, and unset DRAGOMAN_INSTRUCTIONS."
                         : "build dragoman on this machine, or with -DDRAGOMAN_NATIVE=OFF, which suits all machines.";
  }
  return finding;
}

Finding int8_finding(const CpuKernels& kernels) {
  Finding finding{.check = "int8-kernel", .text = join("int8 kernel: ", kernels.int8)};
  if (kernels.int8 != "portable") return finding;
  finding.level = Level::kWarning;
  finding.text += "; this processor has no instructions for it that this build knows";
  finding.advice = "int8 models are slow here; use fp32.";
  return finding;
}

}  // namespace

ProcessorState this_processor(int threads) {
  return {.facts = processor_facts(),
          .online = online_processors(),
          .allowed = allowed_processors(),
          .quota = cpu_quota(),
          .threads = threads_for(threads),
          .kernels = cpu_kernels()};
}

Section processor_section(const ProcessorState& state) {
  Section section{.name = "processor", .title = "Processor"};
  const std::string name = state.facts.name.empty() ? "unknown processor" : state.facts.name;
  const std::string cores = state.facts.cores > 0 ? ", " + counted(state.facts.cores, "core").text() : "";
  const std::vector<std::string> features = features_that_matter(state.facts);
  std::string list;
  for (const std::string& feature : features) list += (list.empty() ? "; has " : ", ") + feature;
  section.facts = {{"name", state.facts.name},
                   {"architecture", machine_kind()},
                   {"cores", state.facts.cores > 0 ? Fact::Value(std::int64_t{state.facts.cores}) : Fact::Value()},
                   {"processors", std::int64_t{state.online}},
                   {"allowed_processors", std::int64_t{state.allowed}},
                   {"container_processors", state.quota ? Fact::Value(*state.quota) : Fact::Value()},
                   {"threads", std::int64_t{state.threads}},
                   {"features", features},
                   {"float_kernels", state.kernels.vectors},
                   {"vector_bytes", std::int64_t{state.kernels.vector_bytes}},
                   {"int8_kernel", state.kernels.int8}};
  section.findings = {{.check = "processor", .text = join(name, " (", machine_kind(), ")", cores, list)},
                      threads_finding(state),
                      vectors_finding(state.kernels),
                      int8_finding(state.kernels)};
  return section;
}

}  // namespace dragoman::health
