// The attention page: all files of web/ as one HTML text that needs no other file and no network.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::serve {

// Returns a page that asks its server. Given data (a JSON object as text, see OfflineFile in web/core/api.js), returns
// a page that shows these data instead.
std::string attention_page(std::string_view data = {});

}  // namespace dragoman::serve
