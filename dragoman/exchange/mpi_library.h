// Loads MPI when it is needed.
#pragma once

#include "dragoman/exchange/mpi_calls.h"

namespace dragoman::exchange {

// Throws an Error if the module is not there, or does not find the library of MPI.
MpiCalls& load_mpi();

}  // namespace dragoman::exchange
