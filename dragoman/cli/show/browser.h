// Opens a page in the user's browser.
#pragma once

#include <string>

namespace dragoman::cli {

// Starts xdg-open, which finds the browser that the desktop uses. Returns what went wrong, such as "there is no program
// xdg-open", or nothing. Waits for a moment at most: some browsers go on as long as their window is open.
std::string open_in_browser(const std::string& url);

}  // namespace dragoman::cli
