#include "dragoman/exchange/mpi_library.h"

#include <dlfcn.h>

#include "dragoman/base/error.h"

namespace dragoman::exchange {

namespace {

MpiCalls& open_module() {
  // The RUNPATH of the program has the directories of the module (cmake/install.cmake). Its functions become global,
  // because MPI loads modules of its own, which look for them in the whole program.
  void* module = dlopen(kMpiModule, RTLD_NOW | RTLD_GLOBAL);  // never closed
  void* function = module == nullptr ? nullptr : dlsym(module, kMpiFunction);
  require<Error>(function != nullptr, "there is no MPI to connect processes (", dlerror(),
                 "): install Open MPI and build dragoman again, or train with one process, without mpirun or srun.");
  return *reinterpret_cast<decltype(&dragoman_mpi_calls_1)>(function)();
}

}  // namespace

MpiCalls& load_mpi() {
  static MpiCalls& loaded = open_module();
  return loaded;
}

}  // namespace dragoman::exchange
