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
#include "dragoman/backend/attention.h"
#include "dragoman/backend/beam.h"
#include "dragoman/backend/best_words.h"
#include "dragoman/backend/elementwise.h"
#include "dragoman/backend/embed.h"
#include "dragoman/backend/loss.h"
#include "dragoman/backend/matmul.h"
#include "dragoman/backend/norm.h"
#include "dragoman/backend/optimiser.h"
#include "dragoman/backend/packed.h"
#include "dragoman/backend/softmax.h"

namespace dragoman {

struct BackendOptions {
  int threads = 0;  // 0: as many as the machine offers
  // Bytes for values of a step and for their gradients; 0: three quarters and one quarter of what is available.
  std::size_t memory = 0, gradient_memory = 0;
  bool profile = false;  // keep account of what is launched, where the device offers it
  bool dry = false;      // launch nothing: shapes are checked and memory is counted, no number is computed
  // Takes a sentence that a user should read, such as one about a slow path. Called on the thread that computes.
  std::function<void(const std::string& sentence)> report = {};
};

// A few numbers on their way to the host.
struct HostCopy {
  virtual ~HostCopy() = default;
  virtual void wait(void* host) = 0;  // until they are there, then puts them here
};

// Launches that were put together once, to be made again and again at the cost of one.
struct Replay {
  virtual ~Replay() = default;
  virtual void run() = 0;
  virtual std::int64_t launches() const { return 0; }  // 0: not counted
};

class Backend : public MatmulKernels,
                public ElementwiseKernels,
                public NormKernels,
                public SoftmaxKernels,
                public BestWordsKernels,
                public EmbedKernels,
                public AttentionKernels,
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

  // Memory of this device that outlives steps: parameters, caches.
  virtual std::unique_ptr<Reservation> reserve(std::size_t bytes) const = 0;
  virtual Arena& arena() const = 0;       // values of the step at hand, on the device
  virtual Arena& host_arena() const = 0;  // its tape, on the host
  virtual Pool& gradients() const = 0;    // gradients of the step's values

  virtual void copy_in(const void* host, Array& to) const = 0;     // contiguous arrays
  virtual void copy_out(const Array& from, void* host) const = 0;  // waits for all that was launched
  // Goes on at once: the numbers are those that the array holds when all that was launched so far is done. At most 32.
  virtual std::unique_ptr<HostCopy> copy_out_later(const Array& from) const = 0;
  // Until all that was launched is done: what it wrote may then be read by other backends of the device, too.
  virtual void wait() const = 0;

  // Keeps what `work` launches, without doing it. Work must have been done once as it is, must launch the same each
  // time, and neither copies to nor from the device. Memory that it takes from the arena must be free whenever it is
  // run: the arena must stand where it stood. What it refers to must outlive the result.
  virtual std::unique_ptr<Replay> record_launches(const std::function<void()>& work) const = 0;

  // Where the time of what was launched went, since the start or since it was last asked; empty without a profile.
  virtual std::string profile() const { return ""; }

  // Uninitialised, from the arena.
  Array empty(const Shape& shape, DType dtype) const;
  Array empty_like(const Array& x) const { return empty(x.shape(), x.dtype()); }
  // A statistic of each row.
  Array empty_rows(const Array& x) const { return empty({x.rows()}, statistics_of(x.dtype())); }
};

// What the CPU's kernels are made of on this machine: the vector instructions that this build was compiled for, and
// those that products of 8-bit integers use here.
std::string cpu_bodies();

// How many CUDA devices this machine offers; 0 also where this build cannot use them.
int cuda_devices();
std::string cuda_version();  // of the toolkit that this build was made with; empty for none
std::string device_name(Device device);
// What the bits of sums depend on: the device and the library that orders them. "CPU" for the CPU, whose sums are ours.
std::string arithmetic_of(Device device);
std::size_t available_memory(Device device);  // bytes that are free on it

// Throws DeviceError if this build or machine has no such device.
std::unique_ptr<Backend> make_backend(Device device, const BackendOptions& options = {});

}  // namespace dragoman
