// Attention between two sentences as a picture of characters.
#pragma once

#include <span>
#include <string>

#include "dragoman/decode/inside/alignment.h"

namespace dragoman::cli {

// A row for each target word, a column for each source word, and a mark that is the darker the more the source word
// counted. A last row and column of the map, for the end of the sentence, may go without a word: it is left out.
std::string alignment_picture(const decode::AttentionMap& words, std::span<const std::string> sources,
                              std::span<const std::string> targets);

}  // namespace dragoman::cli
