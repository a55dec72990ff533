#include "dragoman/backend/cuda/memory.h"

#include <cuda.h>

#include <algorithm>
#include <cstring>

#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/device_errors.h"

namespace dragoman::cuda {

namespace {

static_assert(sizeof(CUdeviceptr) == sizeof(unsigned long long) &&
              sizeof(CUmemGenericAllocationHandle) == sizeof(unsigned long long));

constexpr std::size_t kMinGrowth = std::size_t{64} << 20;  // bytes

// The driver's functions are looked up by name, so that the program also starts on machines without a driver.
template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
  require<DeviceError>(found != nullptr, "the CUDA driver has no function ", name,
                       ", so it is too old for this program: update it, or use --device cpu.");
  return reinterpret_cast<Function*>(found);
}

struct Driver {
  decltype(cuMemGetAllocationGranularity)* granularity =
      driver_function<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  decltype(cuMemAddressReserve)* reserve = driver_function<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(cuMemAddressFree)* free = driver_function<decltype(cuMemAddressFree)>("cuMemAddressFree");
  decltype(cuMemCreate)* create = driver_function<decltype(cuMemCreate)>("cuMemCreate");
  decltype(cuMemRelease)* release = driver_function<decltype(cuMemRelease)>("cuMemRelease");
  decltype(cuMemMap)* map = driver_function<decltype(cuMemMap)>("cuMemMap");
  decltype(cuMemUnmap)* unmap = driver_function<decltype(cuMemUnmap)>("cuMemUnmap");
  decltype(cuMemSetAccess)* set_access = driver_function<decltype(cuMemSetAccess)>("cuMemSetAccess");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

// The driver's errors have the numbers of the runtime's.
static_assert(static_cast<int>(CUDA_ERROR_OUT_OF_MEMORY) == static_cast<int>(cudaErrorMemoryAllocation) &&
              static_cast<int>(CUDA_ERROR_ILLEGAL_ADDRESS) == static_cast<int>(cudaErrorIllegalAddress) &&
              static_cast<int>(CUDA_ERROR_LAUNCH_FAILED) == static_cast<int>(cudaErrorLaunchFailure));
cudaError_t of_runtime(CUresult result) { return static_cast<cudaError_t>(result); }

CUmemAllocationProp properties_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

std::size_t round_up(std::size_t bytes, std::size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

}  // namespace

cudaError_t use_device(int index) noexcept {
  thread_local int current = -1;  // unknown
  if (index == current) return cudaSuccess;
  const cudaError_t status = cudaSetDevice(index);
  current = status == cudaSuccess ? index : -1;
  return status;
}

std::mutex& recording_mutex() {
  static std::mutex mutex;
  return mutex;
}

DeviceReservation::DeviceReservation(int device, std::size_t bytes) : device_(device) {
  check(use_device(device), "choosing the device");
  check(cudaFree(nullptr), "starting CUDA");  // creates the device's context, which the driver's functions need
  const CUmemAllocationProp properties = properties_of(device);
  const CUresult found = driver().granularity(&granularity_, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  require<DeviceError>(found != CUDA_ERROR_NOT_SUPPORTED,
                       "the CUDA device does not support memory mapping, which this program needs: use --device cpu.");
  check(of_runtime(found), "reading the granularity of memory");
  bytes_ = round_up(std::max<std::size_t>(bytes, 1), granularity_);
  const CUresult reserved = driver().reserve(&base_, bytes_, 0, 0, 0);
  require<MemoryError>(reserved != CUDA_ERROR_OUT_OF_MEMORY, "cannot reserve ", bytes_ >> 20,
                       " MiB of the CUDA device's address space: use fewer workers.");
  check(of_runtime(reserved), "reserving addresses");
}

DeviceReservation::~DeviceReservation() {
  const std::lock_guard lock(recording_mutex());
  use_device(device_);
  cudaDeviceSynchronize();  // running kernels may still use the memory
  for (const Piece& piece : pieces_) {
    driver().unmap(base_ + piece.start, piece.bytes);
    driver().release(piece.handle);
  }
  driver().free(base_, bytes_);
}

void DeviceReservation::commit(std::size_t bytes) {
  if (bytes <= committed_) return;
  check(use_device(device_), "choosing the device");
  // Grow by at least an eighth of the present size, so that growth is rare. If there is no memory for that, try again
  // with just the bytes that are needed.
  const std::size_t growth = std::max({bytes - committed_, committed_ / 8, kMinGrowth});
  for (std::size_t size :
       {std::min(round_up(growth, granularity_), bytes_ - committed_), round_up(bytes - committed_, granularity_)}) {
    const cudaError_t status = add_piece(size);
    if (status == cudaSuccess) return;
    if (status != cudaErrorMemoryAllocation) check(status, "taking memory");
  }
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the device's memory");
  throw DeviceFull(join("the CUDA device has no memory for ", (bytes - committed_) >> 20, " MiB more: ", free >> 20,
                        " of its ", total >> 20, " MiB are free. Use a smaller batch."));
}

// Takes memory and maps it behind the committed part. If that fails, everything is as before.
cudaError_t DeviceReservation::add_piece(std::size_t size) {
  const CUmemAllocationProp properties = properties_of(device_);
  CUmemGenericAllocationHandle handle = 0;
  CUresult result = driver().create(&handle, size, &properties, 0);
  if (result != CUDA_SUCCESS) return of_runtime(result);
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  result = driver().map(base_ + committed_, size, 0, handle, 0);
  if (result == CUDA_SUCCESS) {
    result = driver().set_access(base_ + committed_, size, &access, 1);
    if (result != CUDA_SUCCESS) driver().unmap(base_ + committed_, size);
  }
  if (result != CUDA_SUCCESS) {
    driver().release(handle);
    return of_runtime(result);
  }
  pieces_.push_back({committed_, size, handle});
  committed_ += size;
  return cudaSuccess;
}

void CudaDeleter::operator()(char* pinned) const {
  const std::lock_guard lock(recording_mutex());  // CUDA may wait for the whole device here
  cudaFreeHost(pinned);
}

Stream make_stream() {
  cudaStream_t made = nullptr;
  check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "creating a stream");
  return Stream(made);
}

Event make_event() {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "creating an event");
  return Event(made);
}

PinnedMemory make_pinned(std::size_t bytes) {
  void* made = nullptr;
  check(cudaMallocHost(&made, bytes), "allocating pinned memory");
  return PinnedMemory(static_cast<char*>(made));
}

PinnedRing::PinnedRing() : memory_(make_pinned(kParts * kPartBytes)) {
  for (Event& event : read_) event = make_event();
}

void PinnedRing::copy_in(const void* host, void* device, std::size_t bytes, cudaStream_t stream) {
  const char* from = static_cast<const char*>(host);
  char* to = static_cast<char*>(device);
  while (bytes > 0) {
    if (used_ == kPartBytes) {
      check(cudaEventRecord(read_[part_].get(), stream), "recording an event");
      part_ = (part_ + 1) % kParts;
      check(cudaEventSynchronize(read_[part_].get()), "waiting for the device");  // returns at once if never recorded
      used_ = 0;
    }
    const std::size_t piece = std::min(bytes, kPartBytes - used_);
    char* staged = memory_.get() + part_ * kPartBytes + used_;
    std::memcpy(staged, from, piece);
    check(cudaMemcpyAsync(to, staged, piece, cudaMemcpyHostToDevice, stream), "a copy to the device");
    used_ += std::min(round_up(piece, 64), kPartBytes - used_);
    from += piece;
    to += piece;
    bytes -= piece;
  }
}

// The host empties one part while the device fills the next. Earlier copies to the device need no care: they come first
// in the stream, so their parts have been read before the device writes into them.
void PinnedRing::copy_out(const void* device, void* host, std::size_t bytes, cudaStream_t stream) {
  const char* from = static_cast<const char*>(device);
  char* to = static_cast<char*>(host);
  const std::size_t pieces = (bytes + kPartBytes - 1) / kPartBytes;
  const auto size_of_piece = [&](std::size_t i) { return std::min(kPartBytes, bytes - i * kPartBytes); };
  const auto part_of = [&](std::size_t i) { return memory_.get() + i % kParts * kPartBytes; };
  const auto start = [&](std::size_t i) {
    check(cudaMemcpyAsync(part_of(i), from + i * kPartBytes, size_of_piece(i), cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
    check(cudaEventRecord(read_[i % kParts].get(), stream), "recording an event");
  };
  if (pieces > 0) start(0);
  for (std::size_t i = 0; i < pieces; ++i) {
    if (i + 1 < pieces) start(i + 1);
    check(cudaEventSynchronize(read_[i % kParts].get()), "waiting for the device");
    std::memcpy(to + i * kPartBytes, part_of(i), size_of_piece(i));
  }
}

PinnedSlots::Slot& PinnedSlots::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<Slot>(make_pinned(kBytes), make_event()));
    free_.push_back(all_.back().get());
  }
  Slot& slot = *free_.back();
  free_.pop_back();
  return slot;
}

void PinnedSlots::give_back(Slot& slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&slot);
}

}  // namespace dragoman::cuda
