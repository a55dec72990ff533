#include <cstdlib>

#include "dragoman/base/strings.h"
#include "dragoman/exchange/exchange.h"

namespace dragoman::exchange {

// Open MPI's mpirun sets the first one; srun, depending on its --mpi, one of the others.
std::optional<int> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* value = std::getenv(name)) return parse_number<int>(value);
  }
  return std::nullopt;
}

}  // namespace dragoman::exchange
