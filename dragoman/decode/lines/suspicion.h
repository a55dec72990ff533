// Signs that a translation went wrong. No reference translation is needed to see them.
#pragma once

#include "dragoman/data/tokens.h"

namespace dragoman::decode {

// Whether a run of one to eight tokens occurs at least four times in a row.
bool repeats_itself(const data::Sentence& tokens);

// Whether one side has at least eight tokens and is more than three times as long as the other, or the target is empty
// and the source is not. The source ends in EOS, which counts as one of its tokens; the target is without EOS.
bool suspicious_length(const data::Sentence& source, const data::Sentence& target);

}  // namespace dragoman::decode
