// A fixture for tests of packed weights.
#pragma once

#include <vector>

#include "dragoman/backend/testing.h"

namespace dragoman {

// The cases that packed products are tested on: float32 on the CPU, with every kernel of 8-bit products. Other element
// types have no packed products, and the packed matrices of a CUDA device are plain ones.
inline std::vector<KernelCase> packed_cases() {
  std::vector<KernelCase> cases = kernel_cases();
  std::erase_if(cases, [](const KernelCase& one) { return one.dtype != DType::kFloat32 || one.device != Device{}; });
  for (const std::string& instructions : instructions_to_test(&InstructionSet::int8)) {
    const auto is_there = [&](const KernelCase& one) { return one.instructions == instructions; };
    if (std::ranges::none_of(cases, is_there)) cases.push_back({Device{}, DType::kFloat32, 2e-5, instructions});
  }
  return cases;
}

class PackedTest : public KernelTest {
 protected:
  static std::vector<WeightForm> forms() {
    std::vector<WeightForm> all{WeightForm::kFloat32, WeightForm::kInt8};
    if (why_no_bf16_products().empty()) all.push_back(WeightForm::kBFloat16);
    return all;
  }

  PackedMatrix reserve(WeightForm form, std::int64_t in, std::int64_t out) const {
    const auto bytes = static_cast<std::int64_t>(on->packed_bytes(form, in, out));
    return on->packed_in(on->empty({bytes}, DType::kInt8).raw(), form, in, out);
  }
  // W, or its transpose, as a packed matrix.
  PackedMatrix pack(const Array& W, WeightForm form, Transpose transpose = Transpose::kNo) const {
    const bool transposed = transpose == Transpose::kYes;
    const PackedMatrix packed = reserve(form, transposed ? W.cols() : W.rows(), transposed ? W.rows() : W.cols());
    on->pack(W, transpose, {}, 0, packed);
    return packed;
  }
  Array transpose_of(const Array& x) const {
    Array y = on->empty({x.cols(), x.rows()}, x.dtype());
    on->transpose(x, Sink::overwrite(y));
    return y;
  }
};

}  // namespace dragoman
