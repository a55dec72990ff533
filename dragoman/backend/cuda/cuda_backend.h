// The Backend of a CUDA device: all kernel families, in float32 and bfloat16, with one context.
#pragma once

#include "dragoman/backend/cuda/additive_attention.h"
#include "dragoman/backend/cuda/attention.h"
#include "dragoman/backend/cuda/beam.h"
#include "dragoman/backend/cuda/best_words.h"
#include "dragoman/backend/cuda/convolution.h"
#include "dragoman/backend/cuda/depth.h"
#include "dragoman/backend/cuda/elementwise.h"
#include "dragoman/backend/cuda/embed.h"
#include "dragoman/backend/cuda/loss.h"
#include "dragoman/backend/cuda/matmul.h"
#include "dragoman/backend/cuda/memory_attention.h"
#include "dragoman/backend/cuda/norm.h"
#include "dragoman/backend/cuda/optimiser.h"
#include "dragoman/backend/cuda/packed.h"
#include "dragoman/backend/cuda/recurrence.h"
#include "dragoman/backend/cuda/softmax.h"

namespace dragoman::cuda {

class CudaBackend final : public AdditiveAttention,
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
  CudaBackend(int index, const BackendOptions& options) : Context(index, options) {}
};

}  // namespace dragoman::cuda
