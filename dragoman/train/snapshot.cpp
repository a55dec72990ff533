#include "dragoman/train/snapshot.h"

#include <functional>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::train {
namespace {

std::size_t bytes_of(const Array& array) { return static_cast<std::size_t>(array.count()) * size_of(array.dtype()); }

std::size_t aligned(std::size_t bytes) {
  return (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
}

}  // namespace

Snapshot::Snapshot(Backend& on, std::vector<Array> arrays)
    : on_(on),
      reader_(make_backend(on.device(), {.threads = 1, .memory = kReaderBytes, .gradient_memory = kReaderBytes})),
      arrays_(std::move(arrays)) {
  std::size_t bytes = 0;
  for (const Array& array : arrays_) {
    require<ShapeError>(array.contiguous(), "snapshot: an array of shape ", array.shape(), " is not contiguous");
    bytes += aligned(bytes_of(array));
  }
  memory_ = on.reserve(bytes);
  char* next = static_cast<char*>(memory_->base());
  for (const Array& array : arrays_) {
    copies_.push_back(array.moved_to(next));
    next += aligned(bytes_of(array));
  }
  // The first use of memory and kernels is slow, and on CUDA it may make all streams wait. So it is made now.
  const ArenaScope scratch(reader_->arena());
  reader_->arena().push(kReaderBytes);
  take();
}

void Snapshot::take() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) on_.scaled(arrays_[i], 1.0, Sink::overwrite(copies_[i]));
  on_.wait();
}

Array Snapshot::copy_of(const Array& view) const {
  const auto* at = static_cast<const char*>(view.raw());
  const std::less<const char*> before;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const auto* begin = static_cast<const char*>(arrays_[i].raw());
    if (before(at, begin) || !before(at, begin + bytes_of(arrays_[i]))) continue;
    return view.moved_to(static_cast<char*>(copies_[i].raw()) + (at - begin));
  }
  throw ShapeError(join("snapshot: an array of shape ", view.shape(), " is not part of it"));
}

}  // namespace dragoman::train
