#include "dragoman/health/repeats.h"

#include <algorithm>
#include <string>

#include "dragoman/base/error.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::health {
namespace {

constexpr std::size_t kMaxPlaces = 3;

std::uint64_t hash_of(std::string_view text) { return Hash().add(text).value(); }

// The letters and digits of a text, in lower case.
std::string folded(std::string_view text) {
  std::string letters;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    if (text::is_letter(code) || text::is_digit(code)) append_utf8(letters, text::lower_case(code));
  }
  return letters;
}

std::uint64_t folded_hash(std::string_view text) {
  const std::string letters = folded(text);
  return letters.empty() ? 0 : hash_of(letters);
}

// The number of runs of equal elements in a sorted range, and the length of the longest.
struct Runs {
  std::int64_t count = 0, longest = 0;
};
template <class Range, class Equal>
Runs runs_of(const Range& sorted, const Equal& equal) {
  Runs runs;
  std::int64_t length = 0;
  for (auto at = sorted.begin(); at != sorted.end(); ++at) {
    const bool is_new = at == sorted.begin() || !equal(*std::prev(at), *at);
    runs.count += is_new ? 1 : 0;
    length = is_new ? 1 : length + 1;
    runs.longest = std::max(runs.longest, length);
  }
  return runs;
}

}  // namespace

std::uint64_t PairHashes::both() const {
  const std::uint64_t sides[] = {source, target};
  return Hash().add(sides, sizeof sides).value();
}

PairHashes hashes_of(std::string_view source, std::string_view target) {
  return {.source = hash_of(source), .target = hash_of(target)};
}

PairHashes all_hashes_of(std::string_view source, std::string_view target) {
  PairHashes hashes = hashes_of(source, target);
  hashes.folded_source = folded_hash(source);
  hashes.folded_target = folded_hash(target);
  return hashes;
}

void RepeatCounter::add(const PairHashes& pair, const Place& place) {
  keys_.push_back({pair.source, pair.target});
  if (examples_.size() == kMaxPlaces) return;
  const std::uint64_t both = pair.both();
  Recent& recent = recent_[both % kRecent];
  if (recent.line > 0 && recent.pair == both) {
    examples_.push_back(place.example());
    examples_.back().note =
        join("repeats line ", recent.line, recent.file == place.file ? "" : " of '" + recent.file + "'");
  } else {
    recent = {.pair = both, .line = place.line, .file = std::string(place.file)};
  }
}

RepeatCounts RepeatCounter::count() {
  RepeatCounts counts{.pairs = static_cast<std::int64_t>(keys_.size())};
  std::ranges::sort(keys_, [](const Key& a, const Key& b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  });
  const Runs pairs =
      runs_of(keys_, [](const Key& a, const Key& b) { return a.source == b.source && a.target == b.target; });
  counts.distinct_pairs = pairs.count;
  counts.most_copies = pairs.longest;
  counts.distinct_sources = runs_of(keys_, [](const Key& a, const Key& b) { return a.source == b.source; }).count;
  std::ranges::sort(keys_, {}, &Key::target);
  counts.distinct_targets = runs_of(keys_, [](const Key& a, const Key& b) { return a.target == b.target; }).count;
  return counts;
}

void HeldOutText::add(const PairHashes& pair, std::int64_t line) {
  pairs_.push_back(pair);
  both_.try_emplace(pair.both(), Entry{.line = line});
  sources_.try_emplace(pair.source, Entry{.line = line});
  targets_.try_emplace(pair.target, Entry{.line = line});
  if (pair.folded_source != 0) folded_sources_.try_emplace(pair.folded_source, Entry{.line = line});
  if (pair.folded_target != 0) folded_targets_.try_emplace(pair.folded_target, Entry{.line = line});
}

std::int64_t HeldOutText::find(Table& table, std::uint64_t hash) {
  const auto found = table.find(hash);
  if (found == table.end() || found->second.found) return 0;
  found->second.found = true;
  return found->second.line;
}

void HeldOutText::compare(const PairHashes& training, const Place& place) {
  const std::int64_t source = find(sources_, training.source), target = find(targets_, training.target);
  if (sources_.contains(training.source) && targets_.contains(training.target)) find(both_, training.both());
  const std::int64_t folded_source = find(folded_sources_, training.folded_source);
  const std::int64_t folded_target = find(folded_targets_, training.folded_target);
  const std::int64_t line = std::max({source, target, folded_source, folded_target});
  if (line == 0 || examples_.size() == kMaxPlaces) return;
  examples_.push_back(place.example());
  examples_.back().note = join("is like line ", line, " of ", name_);
}

LeakCounts HeldOutText::counts() const {
  const auto is_found = [](const Table& table, std::uint64_t hash) {
    const auto entry = table.find(hash);
    return entry != table.end() && entry->second.found;
  };
  LeakCounts counts{.pairs = static_cast<std::int64_t>(pairs_.size())};
  for (const PairHashes& pair : pairs_) {
    const bool source = is_found(sources_, pair.source), target = is_found(targets_, pair.target);
    const bool folded_source = source || is_found(folded_sources_, pair.folded_source);
    const bool folded_target = target || is_found(folded_targets_, pair.folded_target);
    counts.both += is_found(both_, pair.both()) ? 1 : 0;
    counts.sources += source ? 1 : 0;
    counts.targets += target ? 1 : 0;
    counts.folded_sources += folded_source ? 1 : 0;
    counts.folded_targets += folded_target ? 1 : 0;
    counts.exact += source || target ? 1 : 0;
    counts.any += folded_source || folded_target ? 1 : 0;
  }
  return counts;
}

}  // namespace dragoman::health
