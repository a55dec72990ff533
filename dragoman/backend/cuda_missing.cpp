// Takes the place of the CUDA backend in a build without CUDA.
#include "dragoman/backend/cuda/devices.h"
#include "dragoman/backend/cuda/queue.h"
#include "dragoman/base/error.h"

namespace dragoman::cuda {

namespace {

constexpr const char* kMissing =
    "this build has no CUDA backend: build it where the CUDA toolkit is installed, or use --device cpu.";

}  // namespace

std::string toolkit_version() { return ""; }
std::string driver_version() { return ""; }
std::string library_version() { return ""; }
int device_count() { return 0; }
CudaDevice device(int) { return {}; }
std::string device_name(int) { return ""; }
int multiprocessors(int) { return 0; }
std::size_t free_memory(int) { throw DeviceError(kMissing); }
std::unique_ptr<Backend> make_backend(int, const BackendOptions&) { throw DeviceError(kMissing); }
std::unique_ptr<Mark> mark(const Backend&) { throw DeviceError(kMissing); }
void start_after(const Backend&, const Mark&) { throw DeviceError(kMissing); }
void* queue_of(const Backend&) { throw DeviceError(kMissing); }

}  // namespace dragoman::cuda
