// The attention page as one file that needs no server: it holds some sentences and everything that the page would ask a
// server about them.
#pragma once

#include <string>
#include <vector>

#include "dragoman/serve/api/context.h"

namespace dragoman::serve {

// Calls the handlers that answer the page's requests on a server, so that both pages show the same numbers. Throws an
// Error with the handler's message if it refuses a text.
std::string offline_page(const HandlerContext& context, const std::vector<std::string>& texts);

}  // namespace dragoman::serve
