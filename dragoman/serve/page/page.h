// The attention page: everything of web/ as one HTML text that needs no other file and no network.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::serve {

// A page that asks its server; or, given data (a JSON object as text, see web/api.js), one that shows these.
std::string attention_page(std::string_view data = {});

}  // namespace dragoman::serve
