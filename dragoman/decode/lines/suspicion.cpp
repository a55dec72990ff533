#include "dragoman/decode/lines/suspicion.h"

#include <algorithm>

namespace dragoman::decode {

bool repeats_itself(const data::Sentence& tokens) {
  constexpr std::size_t kLongestRun = 8, kTimes = 4;
  for (std::size_t run = 1; run <= kLongestRun; ++run) {
    std::size_t alike = 0;  // length of the current stretch in which each token equals the one `run` tokens before
    for (std::size_t i = run; i < tokens.size(); ++i) {
      alike = tokens[i] == tokens[i - run] ? alike + 1 : 0;
      if (alike == run * (kTimes - 1)) return true;
    }
  }
  return false;
}

bool suspicious_length(const data::Sentence& source, const data::Sentence& target) {
  constexpr std::size_t kMinLongerLength = 8, kTimes = 3;
  if (target.empty()) return source.size() > 1;
  const std::size_t shorter = std::min(source.size(), target.size()), longer = std::max(source.size(), target.size());
  return longer >= kMinLongerLength && longer > kTimes * shorter;
}

}  // namespace dragoman::decode
