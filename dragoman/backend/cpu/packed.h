// Packed weights on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Packed : public virtual Context {
  std::size_t do_packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const override;
  PackedMatrix do_packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const override;
  void do_pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
               const PackedMatrix& to) const override;
  void do_linear_packed(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                        Array& y) const override;
  void do_embed_packed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P, double scale,
                       Array& y) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
