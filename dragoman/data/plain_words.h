// Splits plain sentences into words without a vocabulary, for counting and comparing.
#pragma once

#include <string_view>
#include <vector>

namespace dragoman::data {

// The words between spaces; each of the marks . , ? ! is a word of its own. "Yes, Mr. X" has five words. The results
// point into `text`.
std::vector<std::string_view> plain_words(std::string_view text);

}  // namespace dragoman::data
