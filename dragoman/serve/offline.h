// The attention page as one file: some sentences and everything that the page would ask a server about them.
#pragma once

#include <string>
#include <vector>

#include "dragoman/serve/api/app.h"

namespace dragoman::serve {

// Asks the application what the page asks, so that both show the same numbers. Throws an Error with the application's
// sentence for a text that it refuses.
std::string offline_page(App& app, const std::vector<std::string>& texts);

}  // namespace dragoman::serve
