// Formats text and numbers for the page of a report.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::train {

// Escapes text for use between tags and in quoted attributes. Control characters become spaces, because HTML allows few
// of them.
std::string escaped(std::string_view text);

// The first `most` code points, followed by an ellipsis if there are more.
std::string shortened(std::string_view text, std::size_t most);

// A short text: 0.25, 12.3, 11,204, 3.3e18, 7e-4; a dash if the number is not finite. It has at most `digits`
// significant digits, but numbers from a thousand to a million are rounded to whole numbers.
std::string number_text(double value, int digits = 3);

}  // namespace dragoman::train
