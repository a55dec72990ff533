// Signs that a translation went wrong, which need no reference to see.
#pragma once

#include "dragoman/data/tokens.h"

namespace dragoman::decode {

// Whether a run of one to eight tokens comes at least four times in a row.
bool repeats_itself(const data::Sentence& tokens);

// Whether one side is more than three times as long as the other, from eight tokens on, or has no words at all. The
// source ends in EOS, the target does not.
bool suspicious_length(const data::Sentence& source, const data::Sentence& target);

}  // namespace dragoman::decode
