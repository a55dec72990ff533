// The attention page: all files of web/ as one HTML text that needs no other file and no network.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::serve {

// Returns a page that gets its data from the server it came from. If `data` is given, the page shows that instead: a
// JSON object as text (see OfflineFile in web/core/api.js).
std::string attention_page(std::string_view data = {});

}  // namespace dragoman::serve
