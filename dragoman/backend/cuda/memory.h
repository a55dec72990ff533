// Device memory, page-locked (pinned) host memory for copies between host and device, and owners of CUDA's handles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "dragoman/array/arena.h"

namespace dragoman::cuda {

// Makes this the current device of the calling thread, for launches and allocations; each thread starts with device 0.
// Costs next to nothing if it already is. After a failure the following CUDA calls fail, too, so the status may be
// ignored.
cudaError_t use_device(int index) noexcept;

// A range of the device's address space. The range is reserved at once and backed with memory as it grows, so that
// nothing ever moves.
class DeviceReservation final : public Reservation {
 public:
  DeviceReservation(int device, std::size_t bytes);
  ~DeviceReservation() override;
  DeviceReservation(const DeviceReservation&) = delete;
  DeviceReservation& operator=(const DeviceReservation&) = delete;

  void* base() const override { return reinterpret_cast<void*>(base_); }
  std::size_t reserved() const override { return bytes_; }
  void commit(std::size_t bytes) override;  // throws DeviceFull

 private:
  struct Piece {
    std::size_t start, bytes;
    unsigned long long handle;
  };

  cudaError_t add_piece(std::size_t size);

  int device_;
  std::size_t bytes_ = 0, granularity_ = 0, committed_ = 0;
  unsigned long long base_ = 0;
  std::vector<Piece> pieces_;
};

// Held while launches are recorded, and held by code that makes CUDA wait for a whole device. CUDA cannot do that
// during a recording, even if another thread records.
std::mutex& recording_mutex();

// Frees CUDA's handles and pinned memory; the deleter of the owners below.
struct CudaDeleter {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  void operator()(char* pinned) const;
};
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, CudaDeleter>;
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, CudaDeleter>;
using PinnedMemory = std::unique_ptr<char, CudaDeleter>;

// These throw as check() does.
Stream make_stream();
Event make_event();
PinnedMemory make_pinned(std::size_t bytes);

// Pinned memory that copies between host and device pass through. A caller may reuse its own memory at once, and copies
// to the host do not make other streams wait, as copies to memory that is not pinned may. The ring has kParts parts,
// which are filled in turn:
//
//     |   part 0   |   part 1   |   part 2   |   part 3   |      each 4 MiB
//                       ^ part_, used_ bytes of it
//
// When a part is full, an event marks the point in the stream where the device has read it. Before a part is filled
// again, the host waits for its event, which has usually happened long before. One thread at a time.
class PinnedRing {
 public:
  PinnedRing();

  void copy_in(const void* host, void* device, std::size_t bytes, cudaStream_t stream);
  // Returns when the bytes have arrived, and so all work has ended that was launched on the stream before.
  void copy_out(const void* device, void* host, std::size_t bytes, cudaStream_t stream);

 private:
  static constexpr std::size_t kPartBytes = std::size_t{4} << 20;
  static constexpr int kParts = 4;

  PinnedMemory memory_;
  Event read_[kParts];  // the device has read this part, or written it
  int part_ = 0;
  std::size_t used_ = 0;  // bytes of the current part
};

// Pinned slots for a few numbers each. Each has its own event, so that a caller can wait for one copy from the device
// alone. Slots are reused; any thread may take one.
class PinnedSlots {
 public:
  static constexpr std::size_t kBytes = 256;
  struct Slot {
    PinnedMemory memory;
    Event arrived;
  };

  Slot& take();  // the slot belongs to the caller until it is given back
  void give_back(Slot& slot);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> all_;
  std::vector<Slot*> free_;
};

}  // namespace dragoman::cuda
