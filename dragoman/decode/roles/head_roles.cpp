#include "dragoman/decode/roles/head_roles.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dragoman::decode {

HeadRole role_of(const HeadNumbers& numbers, double best_agreement) {
  const double agreement = numbers.agreement.value_or(0);
  if (numbers.evidence >= kMinCounted && agreement >= std::max(kMinShare, kNearBest * best_agreement)) {
    return HeadRole::kAlignment;
  }
  HeadRole role = HeadRole::kMixed;
  if (numbers.words < kMinCounted) return role;
  const std::array<std::pair<HeadRole, std::optional<double>>, 5> places{{{HeadRole::kPreviousWord, numbers.previous},
                                                                          {HeadRole::kSameWord, numbers.same},
                                                                          {HeadRole::kNextWord, numbers.next},
                                                                          {HeadRole::kFirstWord, numbers.first},
                                                                          {HeadRole::kEnd, numbers.end}}};
  double most = kMinShare;
  for (const auto& [place, share] : places) {
    if (share.value_or(0) < most) continue;
    role = place;
    most = *share;
  }
  return role;
}

}  // namespace dragoman::decode
