// The functions of NCCL that we call. The library is loaded when the first ranks connect their GPUs, so that the
// program starts without it.
#pragma once

#include <nccl.h>

namespace dragoman::exchange {

struct NcclLibrary {
  // Throws an Error if the library cannot be loaded or lacks a function.
  NcclLibrary();

  decltype(ncclGetErrorString)* error_string;
  decltype(ncclGetUniqueId)* get_unique_id;
  decltype(ncclCommInitRankConfig)* init_rank;
  decltype(ncclCommGetAsyncError)* async_error;
  decltype(ncclCommFinalize)* finalise;
  decltype(ncclCommDestroy)* destroy;
  decltype(ncclCommAbort)* abort;
  decltype(ncclGroupStart)* group_start;
  decltype(ncclGroupEnd)* group_end;
  decltype(ncclSend)* send;
  decltype(ncclRecv)* receive;
};

}  // namespace dragoman::exchange
