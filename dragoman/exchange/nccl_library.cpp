#include "dragoman/exchange/nccl_library.h"

#include <dlfcn.h>

#include <string>

#include "dragoman/base/error.h"

namespace dragoman::exchange {

namespace {

// Opens the library from the system's library path, or else from the directory that it had on the build machine.
void* open_library() {
  const std::string name = join("libnccl.so.", NCCL_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen((DRAGOMAN_NCCL_LIBRARIES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  require<Error>(library != nullptr, "cannot load ", name, " (", dlerror(), "): install NCCL, or use --exchange mpi.");
  return library;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  require<Error>(function != nullptr, "the installed NCCL has no function ", name, ": install NCCL ", NCCL_MAJOR, ".",
                 NCCL_MINOR, ", or use --exchange mpi.");
}

}  // namespace

NcclLibrary::NcclLibrary() {
  void* library = open_library();  // never closed
  find(library, "ncclGetErrorString", error_string);
  find(library, "ncclGetUniqueId", get_unique_id);
  find(library, "ncclCommInitRankConfig", init_rank);
  find(library, "ncclCommGetAsyncError", async_error);
  find(library, "ncclCommFinalize", finalise);
  find(library, "ncclCommDestroy", destroy);
  find(library, "ncclCommAbort", abort);
  find(library, "ncclGroupStart", group_start);
  find(library, "ncclGroupEnd", group_end);
  find(library, "ncclSend", send);
  find(library, "ncclRecv", receive);
}

}  // namespace dragoman::exchange
