// Follows a backward pass: which buckets of the gradients are complete.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dragoman/autograd/variable.h"
#include "dragoman/train/gradient_tree.h"

namespace dragoman::train {

class Completion {
 public:
  // Buckets are ranges of the gradients of a parameter block, as buckets_of() makes them. `complete` is called with the
  // number of each bucket that is complete, in order: never before it was called for all lower numbers.
  Completion(const Array& gradients, std::vector<Share> buckets, std::function<void(std::size_t bucket)> complete);

  // Before a pass.
  void begin();
  // The gradient of this parameter of the block is complete.
  void add(const Variable& parameter);
  // All gradients are complete.
  void finish();

 private:
  Array gradients_;
  std::vector<Share> buckets_;
  std::function<void(std::size_t)> complete_;
  std::vector<std::int64_t> missing_;  // elements of each bucket that are not complete
  std::size_t next_ = 0;               // the first bucket that is not complete
};

}  // namespace dragoman::train
