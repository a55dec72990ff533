// Cuts long text into stretches of bounded length, so that it can be handled in bounded memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// The length in bytes, from 1 to `most`, of the first stretch of a text that is longer than `most` bytes. The stretch
// ends after the space behind a sentence, if that makes it at least half of `most`; otherwise after a space, or after a
// mark that ends a sentence without a space, as in Chinese; and inside a word only if the word is longer still. No
// character is split. Requires most >= 4.
std::size_t first_stretch(std::string_view text, std::size_t most);

}  // namespace dragoman::text
