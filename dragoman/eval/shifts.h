// The edits of TER, in which moving several words at once is one edit.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/eval/ngrams.h"

namespace dragoman::eval {

// How many edits turn the hypothesis into the reference. An edit inserts, deletes or replaces a word, or moves a
// stretch of words. Finding the fewest edits is not feasible, so this is Tercom's greedy search:
//   1. Try every stretch of at most ten words that also occurs in the reference, at most fifty places away, and move it
//      to where the reference has it.
//   2. Make the move that reduces the edit distance most, and go back to 1.
//   3. Stop when no move reduces the distance, or after a thousand moves were tried.
// The result is the number of moves plus the remaining distance, which is computed within 25 places of the diagonal
// (see edit_table.h).
std::int64_t count_edits(const Symbols& hypothesis, const Symbols& reference);

}  // namespace dragoman::eval
