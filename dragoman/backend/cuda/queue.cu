#include "dragoman/backend/cuda/queue.h"

#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/memory.h"

namespace dragoman::cuda {

namespace {

struct EventMark final : Mark {
  bool is_reached() const override {
    if (cudaEventQuery(event.get()) != cudaErrorNotReady) return true;
    cudaGetLastError();  // the next launch must not take this for its own error
    return false;
  }

  Event event = make_event();
};

cudaStream_t stream_of(const Backend& on) { return dynamic_cast<const Context&>(on).stream(); }

}  // namespace

std::unique_ptr<Mark> mark(const Backend& on) {
  const cudaStream_t stream = stream_of(on);  // first, because the event belongs to the current device
  auto mark = std::make_unique<EventMark>();
  check(cudaEventRecord(mark->event.get(), stream), "recording an event");
  return mark;
}

void start_after(const Backend& on, const Mark& mark) {
  check(cudaStreamWaitEvent(stream_of(on), static_cast<const EventMark&>(mark).event.get(), 0), "waiting for an event");
}

void* queue_of(const Backend& on) { return stream_of(on); }

}  // namespace dragoman::cuda
