// Draws the attention between two sentences with characters.
#pragma once

#include <span>
#include <string>

#include "dragoman/decode/inside/alignment.h"

namespace dragoman::cli {

// A row for each target word, a column for each source word. The mark is darker the more attention the source word got.
// The last row and column of the map, for the end of the sentence, are left out if there is no word for them.
std::string alignment_picture(const decode::AttentionMap& words, std::span<const std::string> sources,
                              std::span<const std::string> targets);

}  // namespace dragoman::cli
