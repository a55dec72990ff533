// The functions of cuBLASLt. The library is loaded when a GPU is first used: it takes a hundred megabytes, which a
// program that computes on the CPU does not need.
#pragma once

#include <cublasLt.h>

namespace dragoman::cuda {

struct Cublas {
  Cublas();  // throws DeviceError if the library or a function is missing

  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout;
  decltype(&cublasLtMatmulDescInit_internal) init_description;
  decltype(&cublasLtMatmulDescSetAttribute) set_description;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulAlgoCheck) check;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) config;
  decltype(&cublasLtMatmul) matmul;
};

// The loaded library. The first call loads it.
const Cublas& cublas();

}  // namespace dragoman::cuda
