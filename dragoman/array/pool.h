// Memory for gradients of intermediate values, which come and go in an order that is not a stack's. First fit over the
// free ranges, so the addresses that a step hands out depend on its shapes alone.
#pragma once

#include <cstddef>
#include <vector>

#include "dragoman/array/arena.h"

namespace dragoman {

class Pool {
 public:
  explicit Pool(Reservation& memory, std::size_t limit = 0);

  void* take(std::size_t bytes);  // aligned like an arena's; throws MemoryError
  void give_back(void* start);
  void give_back_all();

  std::size_t used() const { return used_; }
  // The end of the highest range ever handed out: what the pool needs.
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
