// Checks whether `dragoman serve` could listen on a port.
#pragma once

#include <string>

#include "dragoman/health/finding.h"

namespace dragoman::health {

// Listens for a moment, as the server does. Throws a UsageError if the address or the port cannot be one.
Section port_section(const std::string& address, int port, Asked asked);

}  // namespace dragoman::health
