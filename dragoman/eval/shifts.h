// Edits with moves, as TER counts them.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/eval/ngrams.h"

namespace dragoman::eval {

// How many edits turn the hypothesis into the reference: words inserted, left out or replaced, and stretches of words
// moved. Finding the fewest is not feasible, so Tercom's search decides. As long as that makes the remaining distance
// smaller it moves a stretch of at most ten words, by at most fifty places, to where the reference has it; of all such
// moves the one that gains most. After a thousand moves tried it gives up looking. The distance itself is computed
// within 25 places of the diagonal.
std::int64_t count_edits(const Symbols& hypothesis, const Symbols& reference);

}  // namespace dragoman::eval
