// A Backend is an execution context, one per worker: a device with its kernels, its thread team or stream, and its
// memory. Nothing about it is global.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dragoman/array/arena.h"
#include "dragoman/array/array.h"
#include "dragoman/array/pool.h"
#include "dragoman/backend/additive_attention.h"
#include "dragoman/backend/attention.h"
#include "dragoman/backend/beam.h"
#include "dragoman/backend/best_words.h"
#include "dragoman/backend/convolution.h"
#include "dragoman/backend/depth.h"
#include "dragoman/backend/elementwise.h"
#include "dragoman/backend/embed.h"
#include "dragoman/backend/loss.h"
#include "dragoman/backend/matmul.h"
#include "dragoman/backend/memory_attention.h"
#include "dragoman/backend/norm.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/optimiser.h"
#include "dragoman/backend/packed.h"
#include "dragoman/backend/recurrence.h"
#include "dragoman/backend/softmax.h"

namespace dragoman {

struct BackendOptions {
  int threads = 0;                // 0: as many as the machine has
  std::string instructions = {};  // of the CPU: the name of an InstructionSet; empty: used_instructions()
  // Limits in bytes for the values of a step and for their gradients. 0: three quarters and one quarter of the memory
  // that is available.
  std::size_t memory = 0, gradient_memory = 0;
  // On the CPU: round the operands of float32 products to bfloat16, with sums in float32. Needs instructions for it.
  bool bf16_products = false;
  bool profile = false;  // record the time of each launch
  bool dry = false;      // compute nothing: only check shapes and count memory
  // Receives sentences for the user, such as a warning about a slow path. Called on the thread that computes.
  std::function<void(const std::string& sentence)> report = {};
};

// A small copy to the host that is under way.
struct HostCopy {
  virtual ~HostCopy() = default;
  virtual void wait(void* host) = 0;  // waits until the copy is complete, then writes it to `host`
};

// A recorded sequence of launches, which can be repeated at the cost of a single launch.
struct Replay {
  virtual ~Replay() = default;
  virtual void run() = 0;
  virtual std::int64_t launches() const { return 0; }  // 0 if unknown
};

class Backend : public MatmulKernels,
                public ElementwiseKernels,
                public NormKernels,
                public SoftmaxKernels,
                public BestWordsKernels,
                public EmbedKernels,
                public AttentionKernels,
                public AdditiveAttentionKernels,
                public RecurrenceKernels,
                public ConvolutionKernels,
                public MemoryAttentionKernels,
                public DepthKernels,
                public LossKernels,
                public OptimiserKernels,
                public PackedKernels,
                public BeamKernels {
 public:
  using EmbedKernels::embed;
  using MatmulKernels::linear;
  using PackedKernels::embed;
  using PackedKernels::linear;

  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual Device device() const = 0;
  virtual int threads() const = 0;
  virtual bool dry() const = 0;

  // Device memory that outlives a step, for parameters and caches.
  virtual std::unique_ptr<Reservation> reserve(std::size_t bytes) const = 0;
  virtual Arena& arena() const = 0;       // values of the current step, on the device
  virtual Arena& host_arena() const = 0;  // tape of the current step, on the host
  virtual Pool& gradients() const = 0;    // gradients of the current step's values

  // Copies between the host and the device, for contiguous arrays. copy_out first waits for all launched work.
  virtual void copy_in(const void* host, Array& to) const = 0;
  void copy_out(const Array& from, void* host) const override = 0;
  // Like copy_out, but returns at once. The copy holds what the array contains when all work launched so far is done.
  // At most 256 bytes.
  virtual std::unique_ptr<HostCopy> copy_out_later(const Array& from) const = 0;
  // Waits for all launched work. After that, other backends of the same device may read the results.
  virtual void wait() const = 0;

  // Records what `work` launches, without executing it. Requirements: `work` has run once before in the normal way; it
  // launches the same work every time; it copies nothing to or from the device; everything it refers to outlives the
  // result. At each run of the result the arena must have the same amount in use as now, so that the memory that `work`
  // takes from it is free.
  virtual std::unique_ptr<Replay> record_launches(const std::function<void()>& work) const = 0;

  // A report of the time that launched work took since the start or since the last call; empty without
  // BackendOptions::profile.
  virtual std::string profile() const { return ""; }

  // Counts the multiply-adds of all later calls into this counter, until it is replaced; null to count nothing.
  void count_operations(OperationCounter* counter) { counter_ = counter; }
  OperationCounter* operations() const final { return counter_; }

  // An uninitialised array from the arena.
  Array empty(const Shape& shape, DType dtype) const;
  Array empty_like(const Array& x) const { return empty(x.shape(), x.dtype()); }
  // An uninitialised array for one statistic per row of x.
  Array empty_rows(const Array& x) const { return empty({x.rows()}, accumulation_dtype(x.dtype())); }

 private:
  OperationCounter* counter_ = nullptr;
};

// What is known about a CUDA device, also if it is too old to be used.
struct CudaDevice {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory = 0;    // bytes
};

int cuda_devices();          // how many this machine has; 0 if this build cannot use them
std::string cuda_version();  // of the toolkit that this build was made with; empty for a build without CUDA
std::string cuda_driver();   // the newest CUDA version that the driver supports; empty without a driver
CudaDevice cuda_device(int index);
std::string device_name(Device device);
// What the bits of a sum depend on: the device and, on CUDA, the library that decides the order of additions, which
// looks at the number of multiprocessors: "NVIDIA H200, 132 multiprocessors, cuBLASLt 13.1.0". On the CPU our own code
// decides it, for each kind of vectors: "CPU, AVX2, functions 2".
std::string arithmetic_of(Device device);
std::size_t available_memory(Device device);  // free bytes

// Throws DeviceError if this build or machine has no such device.
std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options = {});

}  // namespace dragoman
