// Which of some languages a text is in: by its script, and among languages of one script by how often short strings of
// letters occur, which a profile knows from text in its language.
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

// How often a text has each script, and each string of one to four letters inside or at the edges of words, by a hash
// of the string.
struct LetterCounts {
  static constexpr std::size_t kBuckets = 4096;

  void add(std::string_view text);

  std::array<std::int64_t, kBuckets> strings{};
  std::array<std::int64_t, kScripts> scripts{};  // words in them; an ideograph counts as a word
};

class LanguageProfile {
 public:
  // Learned from text in the language: two thousand lines do.
  explicit LanguageProfile(std::span<const std::string> lines);
  explicit LanguageProfile(const LetterCounts& counts);

  // As printable text, of ASCII characters that JSON does not escape, one for each number; and back again. Throws an
  // Error for text that is no profile.
  std::string digits() const;
  static LanguageProfile from_digits(std::string_view digits);

  // log P(text) as far as scripts or strings say, less what it would be if all were equally likely.
  double script_score(const LetterCounts& text) const;
  double string_score(const LetterCounts& text) const;

  bool operator==(const LanguageProfile&) const = default;

 private:
  LanguageProfile() = default;

  // Logarithms of probabilities in 64 steps.
  std::array<std::uint8_t, LetterCounts::kBuckets> strings_{};
  std::array<std::uint8_t, kScripts> scripts_{};
};

struct KnownLanguage {
  std::string tag;                                        // BCP 47
  std::optional<LanguageProfile> profile = std::nullopt;  // without one the language is known by its script alone
};

struct LanguageGuess {
  std::string tag;
  double confidence = 0;  // 0 to 100, together 100: how sure it is that the text is in this one of the languages
};

// All languages, the likeliest first; equally likely ones in the order given. A text without letters tells nothing.
std::vector<LanguageGuess> detect(std::string_view text, std::span<const KnownLanguage> languages);

}  // namespace dragoman::text
