// Memory of a CUDA device, memory of the host that copies to and from it pass through, and owners of what CUDA makes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "dragoman/array/arena.h"

namespace dragoman::cuda {

// Makes this the device of the calling thread, on which it launches and makes things: each thread starts with device 0.
// Costs next to nothing where it is that already. What follows a failure fails, too.
cudaError_t use_device(int index) noexcept;

// Address space of the device, reserved at once and given memory on growth: nothing ever moves.
class DeviceReservation final : public Reservation {
 public:
  DeviceReservation(int device, std::size_t bytes);
  ~DeviceReservation() override;
  DeviceReservation(const DeviceReservation&) = delete;
  DeviceReservation& operator=(const DeviceReservation&) = delete;

  void* base() const override { return reinterpret_cast<void*>(base_); }
  std::size_t reserved() const override { return bytes_; }
  void commit(std::size_t bytes) override;  // throws MemoryError

 private:
  struct Piece {
    std::size_t start, bytes;
    unsigned long long handle;
  };

  int device_;
  std::size_t bytes_ = 0, granularity_ = 0, committed_ = 0;
  unsigned long long base_ = 0;
  std::vector<Piece> pieces_;
};

// Held while launches are recorded, and by who makes CUDA wait for a whole device: it cannot during a recording, even
// one of another thread.
std::mutex& recording_mutex();

// What CUDA made for us, with its owner: it goes when the owner goes.
struct GiveBack {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  void operator()(char* pinned) const;
};
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, GiveBack>;
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, GiveBack>;
using PinnedMemory = std::unique_ptr<char, GiveBack>;

// Each throws DeviceError.
Stream make_stream();
Event make_event();
PinnedMemory make_pinned(std::size_t bytes);

// Page-locked memory that copies to the device pass through, so that the caller's own is free at once. Reused round
// and round: a part is waited for only if the device has not read it yet.
class PinnedRing {
 public:
  PinnedRing();

  void copy_in(const void* host, void* device, std::size_t bytes, cudaStream_t stream);

 private:
  static constexpr std::size_t kPartBytes = std::size_t{4} << 20;
  static constexpr int kParts = 4;

  PinnedMemory memory_;
  Event read_[kParts];  // when the device has read a part
  int part_ = 0;
  std::size_t used_ = 0;  // of the part at hand
};

// Page-locked places for a few numbers each, that wait for the device one by one.
class PinnedSlots {
 public:
  static constexpr std::size_t kBytes = 256;
  struct Slot {
    PinnedMemory memory;
    Event arrived;
  };

  Slot& take();  // for the taker alone until it is given back
  void give_back(Slot& slot);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> all_;
  std::vector<Slot*> free_;
};

}  // namespace dragoman::cuda
