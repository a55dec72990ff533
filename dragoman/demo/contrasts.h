// Pairs of sentences in which one word decides what a pronoun stands for.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "dragoman/demo/demo_corpus.h"

namespace dragoman::demo {

// The numbers of every two sentences that differ in a single word, and whose pronoun stands for different words.
std::vector<std::pair<std::size_t, std::size_t>> contrasts(std::span<const ReferencePair> sentences);

}  // namespace dragoman::demo
