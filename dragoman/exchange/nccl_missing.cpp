#include "dragoman/exchange/nccl.h"

namespace dragoman::exchange {

std::string nccl_version() { return ""; }

void require_nccl() {
  throw Error(
      "this build of dragoman has no NCCL: use --exchange mpi, or build where the headers of CUDA and NCCL are "
      "installed.");
}

std::unique_ptr<Exchange> connect_gpus(Exchange&, const Backend&) {
  require_nccl();
  return nullptr;  // not reached
}

}  // namespace dragoman::exchange
