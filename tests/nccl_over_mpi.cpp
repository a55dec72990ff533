// A stand-in for NCCL: the functions that dragoman calls, by copies through the memory of the host and MPI. It has the
// name of NCCL's library, so LD_PRELOAD puts it in NCCL's place. With it, ranks that share a GPU run the code that is
// meant for ranks with a GPU each.
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

// The messages of dragoman itself have another communicator.
MPI_Comm messages = MPI_COMM_NULL;

struct Message {
  void* array = nullptr;
  std::size_t bytes = 0;
  int partner = 0;
  bool sends = false;
  cudaStream_t stream = nullptr;
};
std::vector<Message> group;

ncclResult_t run_group() {
  std::vector<std::vector<char>> copies;
  std::vector<MPI_Request> requests(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Message& message = group[i];
    std::vector<char>& copy = copies.emplace_back(message.bytes);
    const int count = static_cast<int>(message.bytes);
    if (message.sends) {
      if (cudaMemcpyAsync(copy.data(), message.array, message.bytes, cudaMemcpyDefault, message.stream) !=
              cudaSuccess ||
          cudaStreamSynchronize(message.stream) != cudaSuccess) {
        return ncclUnhandledCudaError;
      }
      MPI_Isend(copy.data(), count, MPI_BYTE, message.partner, 0, messages, &requests[i]);
    } else {
      MPI_Irecv(copy.data(), count, MPI_BYTE, message.partner, 0, messages, &requests[i]);
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Message& message = group[i];
    if (message.sends) continue;
    if (cudaMemcpyAsync(message.array, copies[i].data(), message.bytes, cudaMemcpyDefault, message.stream) !=
            cudaSuccess ||
        cudaStreamSynchronize(message.stream) != cudaSuccess) {
      return ncclUnhandledCudaError;
    }
  }
  group.clear();
  return ncclSuccess;
}

}  // namespace

extern "C" {

// dragoman calls MPI from one thread only. Here another one calls it too.
int MPI_Init_thread(int* argc, char*** argv, int, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided);
  if (status == MPI_SUCCESS) PMPI_Comm_dup(MPI_COMM_WORLD, &messages);
  return status;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, 7, sizeof *id);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t*) {
  int size = 0, number = 0;
  MPI_Comm_size(messages, &size);
  MPI_Comm_rank(messages, &number);
  if (size != ranks || number != rank || id.internal[0] != 7) return ncclInvalidArgument;
  *communicator = reinterpret_cast<ncclComm_t>(&messages);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommAbort(ncclComm_t) { return ncclSuccess; }
const char* ncclGetErrorString(ncclResult_t) { return "the stand-in for NCCL failed"; }

ncclResult_t ncclGroupStart() { return ncclSuccess; }
ncclResult_t ncclGroupEnd() { return run_group(); }

ncclResult_t ncclSend(const void* array, std::size_t bytes, ncclDataType_t, int partner, ncclComm_t,
                      cudaStream_t stream) {
  group.push_back({const_cast<void*>(array), bytes, partner, true, stream});
  return ncclSuccess;
}

ncclResult_t ncclRecv(void* array, std::size_t bytes, ncclDataType_t, int partner, ncclComm_t, cudaStream_t stream) {
  group.push_back({array, bytes, partner, false, stream});
  return ncclSuccess;
}

}  // extern "C"
