#include "dragoman/text/html/word_images.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The indices of the atoms that a range of bytes touches.
Range touched(const Atoms& atoms, const Range& bytes) {
  const auto end_of = [](const Atom& atom) { return atom.bytes.end; };
  const auto begin_of = [](const Atom& atom) { return atom.bytes.begin; };
  const auto first = std::ranges::upper_bound(atoms, bytes.begin, {}, end_of);
  const auto last = std::ranges::lower_bound(atoms, bytes.end, {}, begin_of);
  const auto begin = static_cast<std::size_t>(first - atoms.begin());
  return {begin, std::max(begin, static_cast<std::size_t>(last - atoms.begin()))};
}

// The indices of the atoms in a range that are words, or of those that are not.
std::vector<std::size_t> atoms_where(const Atoms& atoms, const Range& range, bool word) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (atoms[i].is_word == word) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

std::vector<Range> words_of(std::string_view text) {
  std::vector<Range> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool space = is_white_space(next_code_point(text, at));
    if (!space && !inside) words.push_back({begin, at});
    if (!space) words.back().end = at;
    inside = !space;
  }
  return words;
}

std::vector<TextLink> link_words(std::string_view source, std::string_view target,
                                 std::span<const std::pair<std::int64_t, std::int64_t>> alignment) {
  const std::vector<Range> from = words_of(source), to = words_of(target);
  std::vector<TextLink> links;
  for (const auto& [a, b] : alignment) {
    const bool known = a >= 0 && b >= 0 && a < std::ssize(from) && b < std::ssize(to);
    if (known) links.push_back({from[static_cast<std::size_t>(a)], to[static_cast<std::size_t>(b)]});
  }
  return links;
}

Atoms atoms_of(std::string_view text, std::span<const std::size_t> cuts) {
  Atoms atoms;
  bool grows = false;  // whether a letter would extend the last atom
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    while (!cuts.empty() && cuts.front() < begin) cuts = cuts.subspan(1);
    const bool cut = !cuts.empty() && cuts.front() == begin;
    const bool letter = is_letter(code) || is_digit(code) || is_accent(code);
    const bool single = !letter || is_ideographic(code);
    if (is_white_space(code)) {
      grows = false;
    } else if (grows && !single && !cut) {
      atoms.back().bytes.end = at;
    } else {
      atoms.push_back({{begin, at}, letter});
      grows = !single;
    }
  }
  return atoms;
}

WordImages::WordImages(const Atoms& source, const Atoms& target, std::span<const TextLink> links)
    : source_(source), target_(target) {
  for (const TextLink& link : links) connect(touched(source, link.source), touched(target, link.target));
  std::ranges::sort(pairs_);
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  count_costs();
  find_neighbours();
}

std::optional<Range> WordImages::image(const Range& atoms) const {
  std::vector<std::size_t> targets;
  auto pair = std::ranges::lower_bound(pairs_, std::pair(atoms.begin, std::size_t{0}));
  for (; pair != pairs_.end() && pair->first < atoms.end; ++pair) targets.push_back(pair->second);
  if (targets.empty()) return has_words(atoms) ? between(atoms) : std::nullopt;
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return best_run(targets);
}

bool WordImages::has_words(const Range& atoms) const {
  const auto first = source_.begin() + static_cast<std::ptrdiff_t>(atoms.begin);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(atoms.end - atoms.begin), std::mem_fn(&Atom::is_word));
}

// The target atoms between the images of the neighbours, or one atom if there are none.
std::optional<Range> WordImages::between(const Range& atoms) const {
  if (target_.empty()) return std::nullopt;
  const std::size_t left = left_[atoms.begin], right = right_[atoms.end];
  const Range range{left == kNone ? 0 : left, right == kNone ? target_.size() : right};
  if (range.begin < range.end) return range;
  const std::size_t at = std::min(place(atoms.begin, false), target_.size() - 1);
  return Range{at, at + 1};
}

std::size_t WordImages::place(std::size_t before, bool belongs_left) const {
  const std::size_t sources = source_.size();
  if (before == 0) return 0;
  if (before == sources) return target_.size();
  const std::size_t left = left_[before], right = right_[before];
  if (left == kNone && right == kNone) return before * target_.size() / sources;
  return right == kNone || (belongs_left && left != kNone) ? left : right;
}

// Links words to words, in proportion if one side has more of them, and punctuation marks to punctuation marks.
void WordImages::connect(const Range& from, const Range& to) {
  for (const bool word : {true, false}) {
    const std::vector<std::size_t> a = atoms_where(source_, from, word), b = atoms_where(target_, to, word);
    if (a.empty() || b.empty()) continue;
    if (word) {
      const std::size_t steps = std::max(a.size(), b.size());
      for (std::size_t i = 0; i < steps; ++i) pairs_.emplace_back(a[i * a.size() / steps], b[i * b.size() / steps]);
    } else {
      // Marks are matched from the end, where they are most alike.
      const std::size_t steps = std::min(a.size(), b.size());
      for (std::size_t i = 1; i <= steps; ++i) pairs_.emplace_back(a[a.size() - i], b[b.size() - i]);
    }
  }
}

// Sums up the costs of the target atoms, which count in best_run() for atoms that are not among its `targets`: 2 for a
// word that is linked to other source words, 1 for an unlinked word, 0 for a punctuation mark. A word of `targets`
// gains 2, and a punctuation mark of `targets` gains 1.
void WordImages::count_costs() {
  std::vector<bool> linked(target_.size());
  for (const auto& [from, to] : pairs_) linked[to] = true;
  costs_.push_back(0);
  for (std::size_t i = 0; i < target_.size(); ++i) {
    costs_.push_back(costs_.back() + (!target_[i].is_word ? 0 : linked[i] ? 2 : 1));
  }
}

void WordImages::find_neighbours() {
  const std::size_t sources = source_.size();
  left_.assign(sources + 1, kNone);
  right_.assign(sources + 1, kNone);
  for (const auto& [from, to] : pairs_) {
    left_[from + 1] = to + 1;  // pairs_ is sorted, so the last image of a source atom stays
    right_[from] = std::min(right_[from], to);
  }
  for (std::size_t i = 1; i <= sources; ++i) {
    if (left_[i] == kNone) left_[i] = left_[i - 1];
  }
  for (std::size_t i = sources; i-- > 0;) {
    if (right_[i] == kNone) right_[i] = right_[i + 1];
  }
}

// The run with the greatest sum, found in one pass (Kadane's algorithm): the gains of `targets` in the run minus the
// costs of the atoms between them.
Range WordImages::best_run(const std::vector<std::size_t>& targets) const {
  Range best{targets[0], targets[0] + 1};
  std::size_t begin = targets[0];
  std::int64_t sum = 0, best_sum = -1;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t at = targets[i];
    if (i > 0) sum -= costs_[at] - costs_[targets[i - 1] + 1];
    if (sum <= 0) {
      sum = 0;
      begin = at;
    }
    sum += target_[at].is_word ? 2 : 1;
    if (sum > best_sum) {
      best_sum = sum;
      best = {begin, at + 1};
    }
  }
  return best;
}

}  // namespace dragoman::text
