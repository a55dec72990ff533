// Text and numbers as the page of a report shows them.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::train {

// Safe between tags and inside quoted attributes; control characters become spaces, since HTML allows few of them.
std::string escaped(std::string_view text);

// The first `most` code points, with an ellipsis for the rest.
std::string shortened(std::string_view text, std::size_t most);

// Short, for a reader: 0.25, 12.3, 11,204, 3.3e18, 7e-4; a dash for what is not finite. At most `digits` significant
// digits, but whole numbers below a million in full.
std::string number_text(double value, int digits = 3);

}  // namespace dragoman::train
