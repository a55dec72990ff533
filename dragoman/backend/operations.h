// Counts multiply-adds, for studies of what a layer costs. A backend counts only while it has a counter
// (Backend::count_operations); otherwise each call tests one pointer.
#pragma once

#include <atomic>
#include <cstdint>

namespace dragoman {

// Counted are the matrix products of matmul.h and of RecurrenceKernels::run_cells, attention over whole sentences (by
// products or additive) and over the memory of a recurrent decoder, halting, and depthwise convolution, with their
// gradients. The choices of hard attention and the steps of decoding are not. Threads may add at the same time.
class OperationCounter {
 public:
  // What the formula asks for, from the shapes, the lengths of the sentences and the mask of this call.
  void add(std::int64_t operations) { operations_ += operations; }
  // What the kernel computes, which differs from the formula: it computes whole register tiles, and may skip zeros.
  void add_executed(std::int64_t operations) { executed_ += operations; }

  std::int64_t operations() const { return operations_; }
  std::int64_t executed() const { return executed_; }  // 0 on a CUDA device, whose kernels do not report it

 private:
  std::atomic<std::int64_t> operations_ = 0, executed_ = 0;
};

}  // namespace dragoman
