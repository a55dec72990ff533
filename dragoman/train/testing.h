// Helpers that the tests of reports share.
#pragma once

#include <string>

namespace dragoman::train {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace dragoman::train
