// Words of plain sentences, as a reader sees them: for counting and comparing, where no vocabulary is at hand.
#pragma once

#include <string_view>
#include <vector>

namespace dragoman::data {

// The words between spaces; each of the marks . , ? ! is a word of its own. "Yes, Mr. X" has five. They point into
// `text`.
std::vector<std::string_view> plain_words(std::string_view text);

}  // namespace dragoman::data
