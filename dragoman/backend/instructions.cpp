#include "dragoman/backend/instructions.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "dragoman/backend/cpu/common/bf16_kernels.h"
#include "dragoman/backend/cpu/common/body.h"
#include "dragoman/backend/cpu_bodies.h"
#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman {

namespace {

// A set as the table below describes it.
struct Row {
  const char *name, *vectors, *int8;
  bool (*in_machine)();  // whether the processor and the system support the vectors
};

bool always() { return true; }

// The lowest first. A processor that has the vectors of a set need not have those of the sets before it.
#if defined(__x86_64__)
bool has_avx() { return __builtin_cpu_supports("avx") != 0; }
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
constexpr Row kRows[] = {
    {"sse2", "SSE2", "portable", always},        {"avx", "AVX", "portable", has_avx},
    {"avx2", "AVX2", "AVX2", has_avx2},          {"avx-vnni", "AVX2", "AVX-VNNI", has_avx2},
    {"avx512", "AVX-512", "AVX2", has_avx512},   {"avx512-vnni", "AVX-512", "AVX-512 VNNI", has_avx512},
    {"avx512-amx", "AVX-512", "AMX", has_avx512}};
#elif defined(__aarch64__)
constexpr Row kRows[] = {
    {"neon", "NEON", "portable", always}, {"dotprod", "NEON", "dotprod", always}, {"i8mm", "NEON", "i8mm", always}};
#else
constexpr Row kRows[] = {{"portable", "portable", "portable", always}};
#endif

const cpu::Body* body_of(std::string_view vectors) {
  const auto* found = std::ranges::find(cpu::kBodies, vectors, [](const cpu::Body* body) { return body->vectors; });
  return found == std::end(cpu::kBodies) ? nullptr : *found;
}

InstructionSet set_of(const Row& row) {
  const cpu::Body* body = body_of(row.vectors);
  const cpu::Int8Kernel* int8 = cpu::int8_kernel(row.int8);
  // A body for the machine that built the program may have more or fewer instructions than the row asks for.
  const bool has_vectors = (cpu::kNativeBody && body != nullptr) || row.in_machine();
  const char* why_not = !has_vectors ? cpu::kNotInProcessor : int8 != nullptr ? int8->why_not() : nullptr;
  return {.name = row.name,
          .vectors = row.vectors,
          .int8 = row.int8,
          .in_machine = why_not == nullptr,
          .in_build = body != nullptr && int8 != nullptr,
          .why_not = why_not == nullptr ? "" : why_not};
}

const InstructionSet& best_set() {
  const auto& sets = instruction_sets();
  return *std::ranges::find_if(std::views::reverse(sets), &InstructionSet::usable);
}

const InstructionSet*& chosen_set() {
  static const InstructionSet* chosen = &best_set();
  return chosen;
}

std::string usable_names() {
  std::vector<std::string> names;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.usable()) names.push_back(set.name);
  }
  return listed(names);
}

const InstructionSet& usable_set(std::string_view name) {
  const auto& sets = instruction_sets();
  const auto found = std::ranges::find(sets, name, &InstructionSet::name);
  require<UsageError>(found != sets.end(), "there are no CPU instructions '", name, "'; this machine can use ",
                      usable_names(), ".");
  require<UsageError>(found->in_machine, "this machine cannot use the instructions '", name, "', ", found->why_not,
                      "; it can use ", usable_names(), ".");
  require<UsageError>(found->in_build, "this build has no kernels for the instructions '", name, "'; it has those for ",
                      usable_names(), ", and a build with -DDRAGOMAN_NATIVE=OFF has them all.");
  return *found;
}

}  // namespace

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> all;
    for (const Row& row : kRows) all.push_back(set_of(row));
    return all;
  }();
  return sets;
}

const InstructionSet& used_instructions() { return *chosen_set(); }

void use_instructions(std::string_view name) { chosen_set() = &usable_set(name); }

CpuKernels cpu_kernels() {
  const InstructionSet& used = used_instructions();
  const auto& sets = instruction_sets();
  const InstructionSet& best = *std::ranges::find_if(std::views::reverse(sets), &InstructionSet::in_machine);
  return {.vectors = used.vectors,
          .vector_bytes = body_of(used.vectors)->vector_bytes,
          .int8 = used.int8,
          .available = best.vectors,
          .in_build = best.in_build};
}

std::string why_no_bf16_products() { return cpu::bf16_kernel() == nullptr ? cpu::why_no_bf16_kernel() : std::string(); }

std::string cpu_instructions() {
  const InstructionSet& used = used_instructions();
  std::vector<std::string> not_in_build, not_wanted;
  std::map<std::string, std::vector<std::string>> not_in_machine;  // by reason
  const auto& sets = instruction_sets();
  for (auto set = std::ranges::find(sets, used.name, &InstructionSet::name) + 1; set != sets.end(); ++set) {
    (set->usable() ? not_wanted : set->in_machine ? not_in_build : not_in_machine[set->why_not]).push_back(set->name);
  }
  const cpu::Bf16Kernel* bf16 = cpu::bf16_kernel();
  std::string text = join(used.vectors, "; int8: ", used.int8, "; bf16: ", bf16 == nullptr ? "none" : bf16->name);
  if (!not_wanted.empty()) text += join("; not ", listed(not_wanted), ", because ", used.name, " was asked for");
  if (!not_in_build.empty()) text += join("; not ", listed(not_in_build), ", for which this build has no kernels");
  for (const auto& [reason, names] : not_in_machine) text += join("; not ", listed(names), ", ", reason);
  return text;
}

namespace cpu {

std::unique_ptr<Backend> make_backend(const BackendOptions& options) {
  const InstructionSet& set = options.instructions.empty() ? used_instructions() : usable_set(options.instructions);
  return body_of(set.vectors)->make(options, *int8_kernel(set.int8));
}

}  // namespace cpu

}  // namespace dragoman
