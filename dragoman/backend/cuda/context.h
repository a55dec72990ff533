// The execution context of a CUDA device: a stream, device memory, and the library of matrix products. Calls are
// asynchronous: only copy_out() and wait() block until all launches have ended.
//
// Elements are float32 or bfloat16; products of either are summed in float32. With bfloat16 elements the following are
// still float32: statistics (mean, rstd, log_sums, losses), layer-norm parameters, position tables, and the gradients
// of parameters.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/cuda/memory.h"

namespace dragoman::cuda {

class Products;  // the cuBLASLt handle and the algorithms chosen so far
class Profile;

// The kernel families derive from it virtually, so that a backend that combines them has one context.
class Context : public Backend {
 public:
  // Throws DeviceError if there is no such device; a dry context needs no device. (The default arguments are for nvcc:
  // without them it deletes the constructors of the families, although these never construct the context.)
  explicit Context(int index = 0, const BackendOptions& options = {});
  ~Context() override;

  Device device() const override { return {Device::Kind::kCuda, index_}; }
  int threads() const override { return 1; }
  bool dry() const override { return dry_; }
  std::unique_ptr<Reservation> reserve(std::size_t bytes) const override;
  Arena& arena() const override { return *arena_; }
  Arena& host_arena() const override { return *host_arena_; }
  Pool& gradients() const override { return *gradients_; }
  void copy_in(const void* host, Array& to) const override;
  void copy_out(const Array& from, void* host) const override;
  std::unique_ptr<HostCopy> copy_out_later(const Array& from) const override;
  void wait() const override;
  std::unique_ptr<Replay> record_launches(const std::function<void()>& work) const override;

  std::string profile() const override;

  // Passes a sentence for the user to BackendOptions::report, if that is set.
  void report(const std::string& sentence) const;

  // The stream for launches. Also makes its device the current one of the calling thread.
  cudaStream_t stream() const;
  Products& products() const { return *products_; }
  Profile* profiler() const { return profile_.get(); }  // null unless BackendOptions::profile is set

 private:
  // Throws DeviceError while launches are recorded: a replay would copy what the host memory holds when it runs.
  void require_no_recording(const char* copy) const;

  int index_;
  bool dry_;
  std::function<void(const std::string&)> report_;
  Stream stream_;
  std::unique_ptr<Products> products_;
  std::unique_ptr<PinnedRing> pinned_;
  std::unique_ptr<Profile> profile_;
  std::unique_ptr<PinnedSlots> slots_;
  std::unique_ptr<Reservation> arena_memory_, gradient_memory_, host_arena_memory_;
  std::unique_ptr<Arena> arena_, host_arena_;
  std::unique_ptr<Pool> gradients_;
};

}  // namespace dragoman::cuda
