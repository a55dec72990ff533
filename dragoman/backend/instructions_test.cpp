#include "dragoman/backend/instructions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"
#include "dragoman/base/machine.h"

namespace dragoman {
namespace {

// The text of the UsageError that a call throws.
template <class Call>
std::string usage_error(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// Uses a set as long as it lives.
struct Used {
  explicit Used(const std::string& name) { use_instructions(name); }
  ~Used() { use_instructions(before); }
  std::string before = used_instructions().name;
};

TEST(Instructions, TheBestUsableSetIsUsed) {
  const auto& sets = instruction_sets();
  const auto used = std::ranges::find(sets, used_instructions().name, &InstructionSet::name);
  ASSERT_NE(used, sets.end());
  EXPECT_TRUE(used->usable());
  EXPECT_TRUE(std::none_of(used + 1, sets.end(), [](const InstructionSet& set) { return set.usable(); }));
}

// The system lists what the processor can do by names of its own.
TEST(Instructions, AreInTheMachineIfTheSystemSaysSo) {
  const std::map<std::string, std::vector<std::string>> needed{
      {"dotprod", {"asimddp"}},
      {"i8mm", {"i8mm"}},
      {"avx2", {"avx2", "fma"}},
      {"avx-vnni", {"avx2", "fma", "avx_vnni"}},
      {"avx512-vnni", {"avx512bw", "avx512vl", "avx512_vnni"}}};
  const std::vector<std::string> features = processor_facts().features;
  const char* lowest = instruction_sets().front().name == "neon" ? "asimd" : "sse2";
  if (std::ranges::count(features, lowest) == 0)
    GTEST_SKIP() << "the system lists another processor: this one is emulated";
  for (const InstructionSet& set : instruction_sets()) {
    const auto names = needed.find(set.name);
    if (names == needed.end() || !set.in_build) continue;
    const bool has_all = std::ranges::all_of(
        names->second, [&](const std::string& name) { return std::ranges::count(features, name) > 0; });
    EXPECT_EQ(set.in_machine, has_all) << set.name;
  }
}

TEST(Instructions, TheVersionSaysWhyABetterSetIsNotUsed) {
  const std::string text = cpu_instructions();
  bool better = false;  // than the used one
  for (const InstructionSet& set : instruction_sets()) {
    EXPECT_EQ(set.why_not.empty(), set.in_machine) << set.name;
    if (better) {
      EXPECT_NE(text.find(set.in_machine ? "no kernels" : set.why_not), std::string::npos) << text;
    }
    better = better || set.name == used_instructions().name;
  }
}

TEST(Instructions, ALowerSetCanBeChosen) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.usable()) continue;
    const Used used(set.name);
    EXPECT_EQ(used_instructions().name, set.name);
    EXPECT_EQ(arithmetic_of(Device{}), "CPU, " + set.vectors + ", functions 2");
    EXPECT_EQ(cpu_kernels().int8, set.int8);
    EXPECT_EQ(cpu_instructions().find("was asked for") == std::string::npos, set.name == used.before);
  }
}

TEST(Instructions, OthersAreRefusedWithTheNamesOfThoseThatCanBeUsed) {
  const std::string usable = used_instructions().name;
  const std::string unknown = usage_error([] { use_instructions("mmx"); });
  EXPECT_NE(unknown.find("there are no CPU instructions 'mmx'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find(usable), std::string::npos) << unknown;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.usable()) continue;
    const std::string refused = usage_error([&] { make_backend(Device{}, {.instructions = set.name}); });
    const char* reason = set.in_machine ? "this build has no kernels for the instructions '"
                                        : "this machine cannot use the instructions '";
    EXPECT_NE(refused.find(reason + set.name), std::string::npos) << refused;
    EXPECT_NE(refused.find(set.why_not), std::string::npos) << refused;
    EXPECT_NE(refused.find(usable), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace dragoman
