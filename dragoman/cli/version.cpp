#include "dragoman/version.h"

#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"

namespace dragoman::cli {
namespace {

// The vector instructions that this build was compiled for.
constexpr std::string_view cpu_bodies() {
#if defined(__AVX512F__) && defined(__AVX512VNNI__)
  return "AVX-512 with VNNI";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_DOTPROD)
  return "NEON with dotprod";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "portable";
#endif
}

}  // namespace

std::string version_text() {
  return join("dragoman ", kVersion, " (commit ", kCommit, ")\n",  //
              "compiler:   ", kCompiler, ", ", kBuildType, "\n",   //
              "CPU bodies: ", cpu_bodies(), "\n",                  //
              "BLAS:       none; matrix products are our own\n",   //
              "CUDA:       none in this build\n");
}

}  // namespace dragoman::cli
