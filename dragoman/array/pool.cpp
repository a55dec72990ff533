#include "dragoman/array/pool.h"

#include <algorithm>
#include <cassert>

namespace dragoman {

Pool::Pool(Reservation& memory, std::size_t limit)
    : memory_(memory),
      base_(static_cast<char*>(memory.base())),
      limit_(limit == 0 ? memory.reserved() : std::min(limit, memory.reserved())) {
  taken_.reserve(256);
}

void* Pool::take(std::size_t bytes) {
  const std::size_t size =
      std::max<std::size_t>(1, (bytes + Arena::kAlignment - 1) / Arena::kAlignment) * Arena::kAlignment;
  // `start` is the end of the range before `next`; stop at the first gap between the two that is large enough.
  std::size_t start = 0;
  auto next = taken_.begin();
  for (; next != taken_.end() && next->start - start < size; ++next) start = next->start + next->bytes;
  // Rounding up overflows for the largest sizes, hence the first comparison.
  const bool fits = size >= bytes && start <= limit_ && size <= limit_ - start;
  if (!fits) throw_out_of_memory(" for gradients", {used_, bytes, limit_});
  if (start + size > peak_) memory_.commit(start + size);
  taken_.insert(next, {start, size});
  used_ += size;
  peak_ = std::max(peak_, start + size);
  return base_ + start;
}

void Pool::give_back(void* start) {
  const std::size_t offset = static_cast<std::size_t>(static_cast<char*>(start) - base_);
  const auto range = std::ranges::lower_bound(taken_, offset, {}, &Range::start);
  assert(range != taken_.end() && range->start == offset && "this address was not taken from the pool");
  used_ -= range->bytes;
  taken_.erase(range);
}

void Pool::give_back_all() {
  taken_.clear();
  used_ = 0;
}

}  // namespace dragoman
