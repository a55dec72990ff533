#include "dragoman/eval/shifts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include "dragoman/eval/edit_table.h"

namespace dragoman::eval {
namespace {

constexpr std::ptrdiff_t kLongestShift = 10;   // words that move together
constexpr std::ptrdiff_t kFarthestShift = 50;  // places between the words in the hypothesis and in the reference
constexpr int kMaxTries = 1000;

// Consecutive words of the hypothesis that also occur in the reference: where they start in each, and how many.
struct Stretch {
  std::ptrdiff_t in_hypothesis, in_reference, length;
};

struct Shift {
  std::int64_t gain;
  std::ptrdiff_t length, from, to;

  // Tercom's order of preference: the largest gain, then the longest stretch, then the first.
  bool better_than(const Shift& other) const {
    return std::tuple(gain, length, -from, -to) > std::tuple(other.gain, other.length, -other.from, -other.to);
  }
};

// The words with a stretch moved in front of position `to`. If `to` lies inside the stretch or is its end, the stretch
// moves to the right by to - from places, where `from` is its start.
Symbols shifted(const Symbols& words, const Stretch& stretch, std::ptrdiff_t to) {
  const std::ptrdiff_t from = stretch.in_hypothesis, end = from + stretch.length;
  Symbols result = words;
  const auto at = [&result](std::ptrdiff_t place) {
    return result.begin() + std::min(place, static_cast<std::ptrdiff_t>(result.size()));
  };
  if (to < from) {
    std::rotate(at(to), at(from), at(end));
  } else {
    std::rotate(at(from), at(end), at(to > end ? to : to + stretch.length));
  }
  return result;
}

class ShiftSearch {
 public:
  ShiftSearch(const Symbols& hypothesis, const Symbols& reference)
      : words_(hypothesis), reference_(reference), table_(hypothesis, reference) {}

  std::int64_t count_edits() {
    std::int64_t shifts = 0;
    while (true) {
      const std::optional<Shift> shift = best_shift();
      if (tries_ >= kMaxTries || !shift || shift->gain <= 0) return shifts + table_.distance();
      words_ = shifted(words_, {shift->from, 0, shift->length}, shift->to);
      table_.hold(words_);
      ++shifts;
    }
  }

 private:
  std::optional<Shift> best_shift() {
    alignment_ = table_.alignment();
    best_.reset();
    const auto words = static_cast<std::ptrdiff_t>(words_.size());
    const auto reference = static_cast<std::ptrdiff_t>(reference_.size());
    for (std::ptrdiff_t i = 0; i < words; ++i) {
      const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, i - kFarthestShift);
      const std::ptrdiff_t last = std::min(reference, i + kFarthestShift + 1);
      for (std::ptrdiff_t j = first; j < last; ++j) {
        if (!try_stretches(i, j)) return best_;
      }
    }
    return best_;
  }

  // Tries every stretch that begins at word i of the hypothesis and word j of the reference. Returns false when the
  // number of tries is exhausted.
  bool try_stretches(std::ptrdiff_t i, std::ptrdiff_t j) {
    const auto most = std::min({kLongestShift, static_cast<std::ptrdiff_t>(words_.size()) - i,
                                static_cast<std::ptrdiff_t>(reference_.size()) - j});
    for (std::ptrdiff_t length = 1; length <= most; ++length) {
      if (words_[index(i + length - 1)] != reference_[index(j + length - 1)]) return true;
      const Stretch stretch{i, j, length};
      if (!worth_trying(stretch)) continue;
      try_places(stretch);
      if (tries_ >= kMaxTries) return false;
    }
    return true;
  }

  // A move can only help if some word of the stretch is an error in the hypothesis and some word is an error in the
  // reference, and if the stretch is not already at its place.
  bool worth_trying(const Stretch& stretch) const {
    const auto any = [&stretch](const std::vector<bool>& errors, std::ptrdiff_t from) {
      return std::find(errors.begin() + from, errors.begin() + from + stretch.length, true) !=
             errors.begin() + from + stretch.length;
    };
    const std::ptrdiff_t place = alignment_.place[index(stretch.in_reference)];
    const bool is_there = place >= stretch.in_hypothesis && place < stretch.in_hypothesis + stretch.length;
    return any(alignment_.hypothesis_errors, stretch.in_hypothesis) &&
           any(alignment_.reference_errors, stretch.in_reference) && !is_there;
  }

  // Tries the stretch behind the hypothesis word that is aligned with the reference word before the stretch, and behind
  // those aligned with each reference word of the stretch.
  void try_places(const Stretch& stretch) {
    std::ptrdiff_t before = -1;
    for (std::ptrdiff_t j = stretch.in_reference - 1; j < stretch.in_reference + stretch.length; ++j) {
      const std::ptrdiff_t to = j < 0 ? 0 : alignment_.place[index(j)] + 1;
      if (to == before) continue;
      before = to;
      const std::int64_t gain = table_.distance() - table_.distance_of(shifted(words_, stretch, to));
      const Shift shift{gain, stretch.length, stretch.in_hypothesis, to};
      if (!best_ || shift.better_than(*best_)) best_ = shift;
      ++tries_;
    }
  }

  static std::size_t index(std::ptrdiff_t place) { return static_cast<std::size_t>(place); }

  Symbols words_;
  const Symbols& reference_;
  EditTable table_;
  EditAlignment alignment_;
  std::optional<Shift> best_;
  int tries_ = 0;
};

}  // namespace

std::int64_t count_edits(const Symbols& hypothesis, const Symbols& reference) {
  if (reference.empty()) return static_cast<std::int64_t>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).count_edits();
}

}  // namespace dragoman::eval
