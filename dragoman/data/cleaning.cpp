#include "dragoman/data/cleaning.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/base/strings.h"

namespace dragoman::data {

void CleaningSettings::validate() const {
  require<UsageError>(max_length >= 2 && max_length <= kLongest, "max-length is ", max_length,
                      "; it must be from 2 to ", kLongest, ".");
  require<UsageError>(max_ratio >= 1, "max-ratio is ", max_ratio, "; it must be at least 1.");
}

Verdict judge(const CleaningSettings& settings, std::int64_t source_tokens, std::int64_t target_tokens) {
  const auto [shorter, longer] = std::minmax(source_tokens, target_tokens);
  if (shorter == 0) return Verdict::kEmpty;
  if (longer + 1 > settings.max_length) return Verdict::kTooLong;  // EOS counts
  if (static_cast<double>(longer) > settings.max_ratio * static_cast<double>(shorter)) return Verdict::kBadRatio;
  return Verdict::kKept;
}

void CleaningCounts::add(Verdict verdict) {
  ++pairs;
  kept += verdict == Verdict::kKept;
  empty += verdict == Verdict::kEmpty;
  too_long += verdict == Verdict::kTooLong;
  bad_ratio += verdict == Verdict::kBadRatio;
}

CleaningCounts& CleaningCounts::operator+=(const CleaningCounts& other) {
  pairs += other.pairs;
  kept += other.kept;
  empty += other.empty;
  too_long += other.too_long;
  bad_ratio += other.bad_ratio;
  return *this;
}

std::string CleaningCounts::describe(const CleaningSettings& settings) const {
  std::string reasons;
  const auto reason = [&](std::int64_t count, const std::string& what) {
    if (count > 0) reasons += (reasons.empty() ? "" : ", ") + with_thousands(count) + what;
  };
  reason(empty, " empty");
  reason(too_long, " longer than " + with_thousands(settings.max_length) + " tokens");
  reason(bad_ratio, " with a side over " + write_value(settings.max_ratio) + " times as long as the other");
  const std::string all = counted(pairs, "pair").text() + ": ";
  if (pairs == kept) return all + (pairs == 0 ? "none kept" : "all kept");
  return all + with_thousands(kept) + " kept, " + with_thousands(pairs - kept) + " dropped (" + reasons + ")";
}

std::string CleaningCounts::why_none(const CleaningSettings& settings) const {
  const std::string all = "all " + with_thousands(pairs);
  if (empty == pairs) return all + " have an empty side.";
  if (too_long == pairs) {
    return all + " are longer than " + with_thousands(settings.max_length) + " tokens; raise --max-length.";
  }
  if (bad_ratio == pairs) {
    return all + " have a side over " + write_value(settings.max_ratio) +
           " times as long as the other; raise --max-ratio, or check that the files belong together.";
  }
  return describe(settings) + ".";
}

}  // namespace dragoman::data
