// The instruction sets that the CPU backend has kernels for, and the choice among them. The best that this machine and
// this build have is used, unless a lower one is chosen for the whole program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct InstructionSet {
  std::string name;     // as the user writes it: "avx512-vnni"
  std::string vectors;  // of the kernels in float and double; these decide the bits of a result: "AVX-512"
  std::string int8;     // of the products of 8-bit integers, which are exact in every set: "AVX-512 VNNI"
  bool in_machine = false, in_build = false;
  std::string why_not;  // if not in_machine, the reason: "which this processor does not have"

  bool usable() const { return in_machine && in_build; }
};

// All sets of this processor architecture, the lowest first.
const std::vector<InstructionSet>& instruction_sets();

// The set that backends use if their options name none: the best usable one, or the one that was chosen.
const InstructionSet& used_instructions();
// Chooses a usable set for all backends that are made from now on. To be called when the program starts, before there
// are other threads. Throws a UsageError if there is no such set, or if it is not usable.
void use_instructions(std::string_view name);

// The kernels that the CPU backend uses on this machine.
struct CpuKernels {
  std::string vectors;    // as in InstructionSet
  int vector_bytes = 0;   // the width of such a vector
  std::string int8;       // as in InstructionSet
  std::string available;  // the best vectors that this machine has and that dragoman has kernels for
  bool in_build = true;   // whether this build has kernels for those
};
CpuKernels cpu_kernels();
// Why this machine has no products of bfloat16 on the CPU (BackendOptions::bf16_products), as a sentence without its
// full stop: "products of bfloat16 on the CPU need AMX, which this processor does not have". Empty if it has them.
std::string why_no_bf16_products();
// The kernels above in words, with the reason why better sets are not used: "AVX2; int8: AVX2; bf16: none; not avx512,
// which this processor does not have".
std::string cpu_instructions();

}  // namespace dragoman
