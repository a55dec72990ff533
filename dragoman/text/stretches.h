// Cuts long text into stretches of bounded length, so that it can be handled in bounded memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// The length in bytes, from 1 to max_bytes, of the first stretch of a text that is longer than max_bytes. The stretch
// ends at the first of these places that exists:
//   1. after the last space that follows a sentence, if the stretch then has at least half of max_bytes;
//   2. after the last space, or, if it comes later and in the second half of max_bytes, after the last mark that ends a
//      sentence without a space, as in Chinese;
//   3. inside a word, between two characters.
// No character is split. Requires max_bytes >= 4.
std::size_t first_stretch(std::string_view text, std::size_t max_bytes);

}  // namespace dragoman::text
