// The CPU's Backend: every family of kernels, in float and double, over one context. Each body has one (common/body.h).
#pragma once

#include "dragoman/backend/cpu/additive_attention.h"
#include "dragoman/backend/cpu/attention.h"
#include "dragoman/backend/cpu/beam.h"
#include "dragoman/backend/cpu/best_words.h"
#include "dragoman/backend/cpu/convolution.h"
#include "dragoman/backend/cpu/depth.h"
#include "dragoman/backend/cpu/elementwise.h"
#include "dragoman/backend/cpu/embed.h"
#include "dragoman/backend/cpu/loss.h"
#include "dragoman/backend/cpu/matmul.h"
#include "dragoman/backend/cpu/memory_attention.h"
#include "dragoman/backend/cpu/norm.h"
#include "dragoman/backend/cpu/optimiser.h"
#include "dragoman/backend/cpu/packed.h"
#include "dragoman/backend/cpu/recurrence.h"
#include "dragoman/backend/cpu/softmax.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class CpuBackend final : public AdditiveAttention,
                         public Attention,
                         public Beam,
                         public Convolution,
                         public Depth,
                         public Elementwise,
                         public Embed,
                         public Loss,
                         public Matmul,
                         public MemoryAttention,
                         public Norm,
                         public Optimiser,
                         public Packed,
                         public Recurrence,
                         public Softmax,
                         public WordRanking {
 public:
  CpuBackend(const BackendOptions& options, const Int8Kernel& int8_kernel) : Context(options, int8_kernel) {}
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
