// Memory for the gradients of intermediate values, which are not freed in the order of a stack. Each request takes the
// first free range that is large enough, so the addresses depend only on the shapes of a step.
#pragma once

#include <cstddef>
#include <vector>

#include "dragoman/array/arena.h"

namespace dragoman {

class Pool {
 public:
  // No range ends beyond `limit` bytes; 0 means all that is reserved. `memory` must outlive the pool.
  explicit Pool(Reservation& memory, std::size_t limit = 0);

  void* take(std::size_t bytes);  // aligned to Arena::kAlignment; throws MemoryError if the limit is reached
  void give_back(void* start);
  void give_back_all();

  std::size_t used() const { return used_; }
  // The end of the highest range ever handed out, which is the memory that the pool needs.
  std::size_t peak() const { return peak_; }

 private:
  struct Range {
    std::size_t start, bytes;
  };

  Reservation& memory_;
  char* base_;
  std::size_t limit_;
  std::vector<Range> taken_;  // sorted by start
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace dragoman
