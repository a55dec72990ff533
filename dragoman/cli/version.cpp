#include "dragoman/version.h"

#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"

namespace dragoman::cli {

std::string version_text() {
  return join("dragoman ", kVersion, " (commit ", kCommit, ")\n",  //
              "compiler:   ", kCompiler, ", ", kBuildType, "\n",   //
              "CPU bodies: ", cpu_bodies(), "\n",                  //
              "BLAS:       none; matrix products are our own\n",   //
              "CUDA:       none in this build\n");
}

}  // namespace dragoman::cli
