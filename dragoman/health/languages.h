// Checks that a parallel text is in the languages that it should be in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/health/finding.h"
#include "dragoman/text/common_words.h"
#include "dragoman/text/language.h"

namespace dragoman::health {

enum class Side : std::uint8_t { kSource, kTarget };

// What the beginning of a text tells about its languages and lengths.
struct Survey {
  struct OneSide {
    text::LetterCounts letters;
    text::CommonWords words;
    std::int64_t characters = 0;
  };

  static constexpr std::int64_t kPairs = 20'000;  // so many pairs are enough

  void add(std::string_view source, std::string_view target);
  void add(const Survey& other);
  const OneSide& of(Side side) const { return side == Side::kSource ? source : target; }
  // How many characters of the target belong to one of the source; 1 without text.
  double length_ratio() const;

  OneSide source, target;
};

// Tells by their letters which lines are not in the language of their side: lines in the language of the other side,
// lines in letters that their side does not use, and, if much text was surveyed, many of the lines in other languages.
class LanguageJudge {
 public:
  explicit LanguageJudge(const Survey& survey);

  // Lines of fewer than five words are never foreign: they are often names.
  bool is_foreign(const text::LetterList& line, Side side) const;

 private:
  struct OneSide {
    text::LanguageProfile profile;
    std::array<bool, text::kScripts> scripts{};  // used by this side
    bool is_known = false;                       // there is enough text to tell anything
    bool is_distinct = false;                    // its n-grams tell it from a language that is not known
  };
  static OneSide learn(const Survey::OneSide& side);

  OneSide source_, target_;
};

// Compares the language of one side with its tag, by its letters and its commonest words. The tag may be empty; then
// the finding only says which language it is. Nothing if that cannot be told. `name` is "source" or "target".
std::optional<Finding> language_finding(const Survey::OneSide& side, const std::string& tag, std::string_view name);

}  // namespace dragoman::health
