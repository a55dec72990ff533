// Guesses which of several languages a text is in: by its script, and among languages of one script by how often short
// strings of letters (n-grams) occur. A profile holds these frequencies, learned from text in its language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/characters.h"

namespace dragoman::text {

// How often each script occurs in a text, and each n-gram: a string of one to four letters, including the spaces before
// and after a word. N-grams are counted by hash, so different ones may share a count.
struct LetterCounts {
  static constexpr std::size_t kBuckets = 4096;

  void add(std::string_view text);

  std::array<std::int64_t, kBuckets> ngrams{};
  std::array<std::int64_t, kScripts> scripts{};  // words in each script; an ideograph counts as a word
};

// The same for one line: a list in place of a table, which takes less time to fill and to compare with profiles.
struct LetterList {
  void assign(std::string_view text);
  std::int64_t words() const;  // of all scripts

  std::vector<std::uint16_t> ngrams;             // the place of each in LetterCounts::ngrams
  std::array<std::int32_t, kScripts> scripts{};  // as in LetterCounts
};

class LanguageProfile {
 public:
  // Learns from text in the language; two thousand lines are enough.
  explicit LanguageProfile(std::span<const std::string> lines);
  explicit LanguageProfile(const LetterCounts& counts);

  // Converts the profile to ASCII characters that JSON does not escape, one for each number, and back. from_digits()
  // throws an Error if the text is not a profile.
  std::string digits() const;
  static LanguageProfile from_digits(std::string_view digits);

  // log P of the text's scripts.
  double script_score(const LetterCounts& text) const;
  // log P of the text's n-grams, minus its value if all n-grams were equally likely.
  double ngram_score(const LetterCounts& text) const;
  double ngram_score(const LetterList& line) const;
  // log P of the line, up to a constant that is the same for all profiles: both scores, weighted as detect() does.
  double score(const LetterList& line) const;

  bool operator==(const LanguageProfile&) const = default;

 private:
  LanguageProfile() = default;

  // Logarithms of probabilities, rounded to 64 levels.
  std::array<std::uint8_t, LetterCounts::kBuckets> ngrams_{};
  std::array<std::uint8_t, kScripts> scripts_{};
};

// The scripts that the language of a tag is written in. Latin for a language that we do not know.
std::vector<Script> scripts_of(std::string_view tag);

struct KnownLanguage {
  std::string tag;                                        // BCP 47
  std::optional<LanguageProfile> profile = std::nullopt;  // without one, only the script tells the language
};

struct LanguageGuess {
  std::string tag;
  double confidence = 0;  // 0 to 100, the probability that the text is in this language; those of all sum to 100
};

// All languages, the likeliest first; ties keep the order given. Without letters in the text all are equally likely.
std::vector<LanguageGuess> detect(std::string_view text, std::span<const KnownLanguage> languages);

}  // namespace dragoman::text
