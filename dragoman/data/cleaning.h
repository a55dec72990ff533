// Decides which pairs of a corpus are left out of training, and counts them.
#pragma once

#include <cstdint>
#include <string>

namespace dragoman::data {

struct CleaningSettings {
  int max_length = 256;  // tokens of a side, EOS included
  double max_ratio = 9;  // tokens of the longer side divided by those of the shorter, without EOS

  template <class Visitor>
  void fields(Visitor&& field) {
    field("max-length", max_length, "drop pairs with more tokens than this on a side, end of sentence included");
    field("max-ratio", max_ratio, "drop pairs with a side more than this many times as long as the other");
  }

  // Throws a UsageError if no pair could be kept, or if the length is above kLongest.
  void validate() const;

  static constexpr int kLongest = 65'535;  // a length is stored in 16 bits
};

// What becomes of a pair: it is kept, or it is dropped because a side is empty, a side is too long, or one side is too
// many times as long as the other.
enum class Verdict : std::uint8_t { kKept, kEmpty, kTooLong, kBadRatio };

// Takes the numbers of tokens of the two sides, without EOS.
Verdict judge(const CleaningSettings& settings, std::int64_t source_tokens, std::int64_t target_tokens);

struct CleaningCounts {
  std::int64_t pairs = 0, kept = 0, empty = 0, too_long = 0, bad_ratio = 0;

  void add(Verdict verdict);
  CleaningCounts& operator+=(const CleaningCounts& other);
  bool operator==(const CleaningCounts&) const = default;

  // "29,000 pairs: 28,990 kept, 10 dropped (2 empty, 8 longer than 256 tokens)"
  std::string describe(const CleaningSettings& settings) const;
  // Why no pair was kept and what to do, as a sentence: "all 3,000 are longer than 2 tokens; raise --max-length."
  std::string why_none(const CleaningSettings& settings) const;
};

}  // namespace dragoman::data
