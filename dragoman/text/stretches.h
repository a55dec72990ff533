// Long text in stretches of bounded length, so that it is handled in bounded memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// Bytes of the first stretch of a text that is longer than `most` bytes; from 1 to `most`. The stretch ends after a
// sentence and its space if that leaves it at least half its length, else after a space, else after a mark that ends a
// sentence without one, as in Chinese, and inside a word only if the word is longer still. No character is cut apart.
// Requires most >= 4.
std::size_t first_stretch(std::string_view text, std::size_t most);

}  // namespace dragoman::text
