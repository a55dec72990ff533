#include "dragoman/backend/queue.h"

#include "dragoman/backend/cuda/queue.h"

namespace dragoman {

namespace {

bool is_done_at_once(const Backend& on) { return on.dry() || on.device().kind == Device::Kind::kCpu; }

}  // namespace

std::unique_ptr<Mark> mark(const Backend& on) {
  return is_done_at_once(on) ? std::make_unique<Mark>() : cuda::mark(on);
}

void start_after(const Backend& on, const Mark& mark) {
  if (!is_done_at_once(on)) cuda::start_after(on, mark);
}

void* queue_of(const Backend& on) { return is_done_at_once(on) ? nullptr : cuda::queue_of(on); }

}  // namespace dragoman
