#include "dragoman/backend/cuda/context.h"

#include <algorithm>
#include <cstring>

#include "dragoman/backend/cuda/cublas.h"
#include "dragoman/backend/cuda/cuda_backend.h"
#include "dragoman/backend/cuda/devices.h"
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/memory.h"
#include "dragoman/backend/cuda/products.h"
#include "dragoman/backend/no_device.h"

namespace dragoman::cuda {

namespace {

constexpr std::size_t kHostArenaBytes = std::size_t{1} << 30;  // of address space
// Copies to the host of at least this many bytes pass through pinned memory. CUDA copies fewer bytes well by itself.
constexpr std::size_t kMinStagedBytes = std::size_t{64} << 10;

// A copy from the device that is under way. It owns a pinned slot until it is destroyed.
class PendingCopy final : public HostCopy {
 public:
  PendingCopy(PinnedSlots& slots, std::size_t bytes) : slots_(slots), slot_(slots.take()), bytes_(bytes) {}
  ~PendingCopy() override {
    cudaEventSynchronize(slot_.arrived.get());
    slots_.give_back(slot_);
  }

  void start(const void* device, cudaStream_t stream) const {
    check(cudaMemcpyAsync(slot_.memory.get(), device, bytes_, cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
    check(cudaEventRecord(slot_.arrived.get(), stream), "recording an event");
  }
  void wait(void* host) override {
    check(cudaEventSynchronize(slot_.arrived.get()), "waiting for the device");
    std::memcpy(host, slot_.memory.get(), bytes_);
  }

 private:
  PinnedSlots& slots_;
  PinnedSlots::Slot& slot_;
  std::size_t bytes_;
};

// The copy in a dry run: gives zeros.
struct DryCopy final : HostCopy {
  explicit DryCopy(std::size_t bytes_) : bytes(bytes_) {}
  void wait(void* host) override { std::memset(host, 0, bytes); }
  std::size_t bytes;
};

void require_device(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    CudaMachine machine{.needed = CUDART_VERSION};
    if (cudaDriverGetVersion(&machine.driver) != cudaSuccess) machine.driver = 0;
    if (status != cudaErrorInsufficientDriver) machine.problem = cudaGetErrorString(status);
    throw DeviceError(no_cuda_device_text(machine));
  }
  require<DeviceError>(index >= 0 && index < count, "there is no CUDA device ", index, ": this machine has ", count,
                       ", numbered from 0.");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "reading the device's properties");
  require<DeviceError>(properties.major >= 8, "the ", properties.name, " has compute capability ", properties.major,
                       ".", properties.minor, ", but this program needs 8.0: use --device cpu.");
  check(use_device(index), "choosing the device");
}

}  // namespace

std::string toolkit_version() { return cuda_version_text(CUDART_VERSION); }

std::string driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version > 0 ? cuda_version_text(version) : "";
}

std::string library_version() { return join("cuBLASLt ", cublas().version()); }

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

CudaDevice device(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return {};
  return {.name = properties.name,
          .major = properties.major,
          .minor = properties.minor,
          .memory = properties.totalGlobalMem};
}

std::string device_name(int index) { return device(index).name; }

int multiprocessors(int index) {
  int count = 0;
  return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, index) == cudaSuccess ? count : 0;
}

std::size_t free_memory(int index) {
  require_device(index);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the device's memory");
  return free;
}

std::unique_ptr<Backend> make_backend(int index, const BackendOptions& options) {
  return std::make_unique<CudaBackend>(index, options);
}

Context::Context(int index, const BackendOptions& options) : index_(index), dry_(options.dry), report_(options.report) {
  std::size_t values = options.memory, gradients = options.gradient_memory;
  if (!dry_) {
    require_device(index);
    stream_ = make_stream();
    pinned_ = std::make_unique<PinnedRing>();
    slots_ = std::make_unique<PinnedSlots>();
    if (options.profile) profile_ = std::make_unique<Profile>();
    const std::size_t free = free_memory(index);
    if (values == 0) values = free / 4 * 3;
    if (gradients == 0) gradients = free / 4;
    arena_memory_ = std::make_unique<DeviceReservation>(index, values);
    gradient_memory_ = std::make_unique<DeviceReservation>(index, gradients);
  } else {
    arena_memory_ = std::make_unique<ImaginaryReservation>();
    gradient_memory_ = std::make_unique<ImaginaryReservation>();
  }
  products_ = std::make_unique<Products>(*this);
  host_arena_memory_ = std::make_unique<HostReservation>(kHostArenaBytes);
  arena_ = std::make_unique<Arena>(*arena_memory_, values);
  gradients_ = std::make_unique<Pool>(*gradient_memory_, gradients);
  host_arena_ = std::make_unique<Arena>(*host_arena_memory_);
}

Context::~Context() {
  if (dry_) return;
  cudaStreamSynchronize(stream());
  products_.reset();
}

cudaStream_t Context::stream() const {
  use_device(index_);
  return stream_.get();
}

void Context::report(const std::string& sentence) const {
  if (report_) report_(sentence);
}

void Context::require_no_recording(const char* copy) const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream(), &status), "reading the stream's state");
  require<DeviceError>(status == cudaStreamCaptureStatusNone, copy,
                       ": a copy between host and device cannot be part of ",
                       "a recorded step. Make the copy before the recording.");
}

std::string Context::profile() const { return profile_ ? profile_->table() : ""; }

std::unique_ptr<Reservation> Context::reserve(std::size_t bytes) const {
  if (dry_) return std::make_unique<ImaginaryReservation>();
  auto memory = std::make_unique<DeviceReservation>(index_, bytes);
  memory->commit(bytes);
  check(cudaMemsetAsync(memory->base(), 0, bytes, stream()), "clearing memory");
  return memory;
}

void Context::copy_in(const void* host, Array& to) const {
  require<ShapeError>(to.contiguous(), "copy_in: an array of shape ", to.shape(), " is not contiguous");
  if (dry_) return;
  require_no_recording("copy_in");
  pinned_->copy_in(host, to.raw(), static_cast<std::size_t>(to.count()) * size_of(to.dtype()), stream());
}

void Context::copy_out(const Array& from, void* host) const {
  require<ShapeError>(from.contiguous(), "copy_out: an array of shape ", from.shape(), " is not contiguous");
  const std::size_t bytes = static_cast<std::size_t>(from.count()) * size_of(from.dtype());
  if (dry_) {
    std::memset(host, 0, bytes);
    return;
  }
  if (bytes >= kMinStagedBytes) return pinned_->copy_out(from.raw(), host, bytes, stream());
  if (bytes > 0)
    check(cudaMemcpyAsync(host, from.raw(), bytes, cudaMemcpyDeviceToHost, stream()), "a copy from the device");
  check(cudaStreamSynchronize(stream()), "waiting for the device");
}

std::unique_ptr<HostCopy> Context::copy_out_later(const Array& from) const {
  const std::size_t bytes = static_cast<std::size_t>(from.count()) * size_of(from.dtype());
  require<ShapeError>(from.contiguous() && bytes <= PinnedSlots::kBytes, "copy_out_later: an array of shape ",
                      from.shape(), " must be contiguous and have at most ", PinnedSlots::kBytes, " bytes");
  if (dry_) return std::make_unique<DryCopy>(bytes);
  require_no_recording("copy_out_later");
  use_device(index_);  // because taking a slot may create an event, which belongs to the current device
  auto copy = std::make_unique<PendingCopy>(*slots_, bytes);
  copy->start(from.raw(), stream_.get());
  return copy;
}

void Context::wait() const {
  if (!dry_) check(cudaStreamSynchronize(stream()), "waiting for the device");
}

}  // namespace dragoman::cuda
