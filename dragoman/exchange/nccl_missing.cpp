#include "dragoman/exchange/nccl.h"

namespace dragoman::exchange {

std::string nccl_version() { return ""; }

std::unique_ptr<Exchange> connect_gpus(Exchange&, const Backend&) {
  throw Error(
      "this build of dragoman has no NCCL: use --exchange mpi, or build where the headers of CUDA and NCCL are "
      "installed.");
}

}  // namespace dragoman::exchange
