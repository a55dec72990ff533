#include "dragoman/backend/cuda/cublas.h"

#include <dlfcn.h>

#include <string>

#include "dragoman/base/error.h"

namespace dragoman::cuda {

namespace {

// Opens the library from the system's library path, or else from the directory that it had on the build machine.
void* open_library() {
  const std::string name = join("libcublasLt.so.", CUBLAS_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen((DRAGOMAN_CUDA_LIBRARIES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  require<DeviceError>(library != nullptr, "cannot load ", name, " (", dlerror(), "): install the libraries of CUDA ",
                       CUBLAS_VER_MAJOR, ", or use --device cpu.");
  return library;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  require<DeviceError>(function != nullptr, "the installed cuBLASLt has no function ", name,
                       ": install the cuBLASLt of CUDA ", CUBLAS_VER_MAJOR, ".");
}

}  // namespace

Cublas::Cublas() {
  void* library = open_library();  // never closed
  find(library, "cublasLtGetVersion", version);
  find(library, "cublasLtGetStatusString", status_string);
  find(library, "cublasLtCreate", create);
  find(library, "cublasLtDestroy", destroy);
  find(library, "cublasLtMatrixLayoutInit_internal", init_layout);
  find(library, "cublasLtMatmulDescInit_internal", init_description);
  find(library, "cublasLtMatmulDescSetAttribute", set_description);
  find(library, "cublasLtMatmulPreferenceInit_internal", init_preference);
  find(library, "cublasLtMatmulPreferenceSetAttribute", set_preference);
  find(library, "cublasLtMatmulAlgoGetHeuristic", heuristic);
  find(library, "cublasLtMatmulAlgoCheck", check);
  find(library, "cublasLtMatmulAlgoConfigGetAttribute", config);
  find(library, "cublasLtMatmul", matmul);
}

const Cublas& cublas() {
  static const Cublas library;
  return library;
}

}  // namespace dragoman::cuda
