// dragoman --version.
#include "dragoman/version.h"

#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/exchange/nccl.h"

namespace dragoman::cli {

namespace {

std::string cuda_text() {
  const std::string version = cuda_version();
  if (version.empty()) return "none in this build";
  if (cuda_devices() == 0) return version + "; this machine has no device that it can use";
  return join(version, "; ", device_name({Device::Kind::kCuda, 0}));
}

}  // namespace

std::string version_text() {
  const std::string mpi = exchange::mpi_version(), nccl = exchange::nccl_version();
  return join("dragoman ", kVersion, " (commit ", kCommit, ")\n",  //
              "compiler:   ", kCompiler, ", ", kBuildType, "\n",   //
              "CPU instructions: ", cpu_instructions(), "\n",      //
              "BLAS:       none; matrix products are our own\n",   //
              "CUDA:       ", cuda_text(), "\n",                   //
              "MPI:        ", mpi.empty() ? "none" : mpi, "\n",    //
              "NCCL:       ", nccl.empty() ? "none in this build" : nccl, "\n");
}

}  // namespace dragoman::cli
