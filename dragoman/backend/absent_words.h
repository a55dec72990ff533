// Words that a vocabulary lists but that a model can never choose, such as the padding of an imported model. Their
// output bias is below kAbsentBias: so their probability is 0, searches do not offer them, and the loss leaves them out
// of label smoothing, which would otherwise ask for a probability above 0.
#pragma once

namespace dragoman {

inline constexpr float kAbsentBias = -1e29f;

}  // namespace dragoman
