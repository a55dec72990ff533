#include <cstdlib>

#include "dragoman/exchange/exchange.h"

namespace dragoman::exchange {

// Open MPI's mpirun sets the first one; srun, depending on its --mpi, one of the others.
bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace dragoman::exchange
