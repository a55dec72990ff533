#include "dragoman/exchange/alone.h"

namespace dragoman::exchange {

std::unique_ptr<Exchange> join_ranks(const Report&) {
  require<Error>(!launched_rank(),
                 "this build of dragoman cannot train with several processes: start it without mpirun or srun, or "
                 "build where Open MPI is installed.");
  return std::make_unique<Alone>();
}

bool has_joined() { return false; }

void leave_ranks(int) {}

std::string mpi_version() { return ""; }

}  // namespace dragoman::exchange
