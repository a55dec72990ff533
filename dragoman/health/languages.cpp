#include "dragoman/health/languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::health {
namespace {

constexpr std::int64_t kFewestWords = 5;
// A script belongs to a side if it has at least this share of its words.
constexpr double kOwnScript = 0.05;
// The other language must be e^8 times as likely as the line's own. On 160,930 short sentences in English and German
// this takes five for foreign.
constexpr double kMargin = 8;
// The mean score of an n-gram of a line is about 1.9 in its own language, and 1.1 to 1.3 in another one with the same
// letters. Of lines with at least eight words, at most one in a thousand is below 1.2 in its own language (measured in
// English, German and French), and about half of the French ones were below it in English and in German. Chinese, whose
// n-grams are too many for their table, has a mean of 0.4, and this is not used.
constexpr double kUnlikely = 1.2, kDistinct = 1.6;
constexpr std::int64_t kWordsToTell = 8, kEnoughNgrams = 1'000'000;
constexpr std::int64_t kFewestNgrams = 500;  // about three sentences
// A text whose language has no list of words is in another one if that one has at least this share of its words.
constexpr double kCertainShare = 0.25;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t words_in(const text::LetterCounts& letters) {
  return std::accumulate(letters.scripts.begin(), letters.scripts.end(), std::int64_t{0});
}

// The share of the words that are written in the scripts of a language.
double share_in_scripts(const text::LetterCounts& letters, const std::string& tag) {
  std::int64_t words = 0;
  for (const text::Script script : text::scripts_of(tag)) words += letters.scripts[static_cast<std::size_t>(script)];
  return ratio(words, words_in(letters));
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

void Survey::add(std::string_view source_line, std::string_view target_line) {
  const auto add_line = [](OneSide& side, std::string_view line) {
    side.letters.add(line);
    side.words.add(line);
    side.characters += static_cast<std::int64_t>(count_characters(line));
  };
  add_line(source, source_line);
  add_line(target, target_line);
}

void Survey::add(const Survey& other) {
  const auto add_side = [](OneSide& side, const OneSide& more) {
    std::ranges::transform(side.letters.ngrams, more.letters.ngrams, side.letters.ngrams.begin(), std::plus<>());
    std::ranges::transform(side.letters.scripts, more.letters.scripts, side.letters.scripts.begin(), std::plus<>());
    side.words.add(more.words);
    side.characters += more.characters;
  };
  add_side(source, other.source);
  add_side(target, other.target);
}

double Survey::length_ratio() const {
  return source.characters == 0 || target.characters == 0 ? 1 : ratio(target.characters, source.characters);
}

LanguageJudge::OneSide LanguageJudge::learn(const Survey::OneSide& side) {
  OneSide learned{.profile = text::LanguageProfile(side.letters)};
  const std::int64_t words = words_in(side.letters);
  for (std::size_t i = 0; i < learned.scripts.size(); ++i) {
    learned.scripts[i] = ratio(side.letters.scripts[i], words) >= kOwnScript;
  }
  const auto ngrams = std::accumulate(side.letters.ngrams.begin(), side.letters.ngrams.end(), std::int64_t{0});
  learned.is_known = ngrams >= kFewestNgrams;
  learned.is_distinct =
      ngrams >= kEnoughNgrams && learned.profile.ngram_score(side.letters) >= kDistinct * static_cast<double>(ngrams);
  return learned;
}

LanguageJudge::LanguageJudge(const Survey& survey) : source_(learn(survey.source)), target_(learn(survey.target)) {}

bool LanguageJudge::is_foreign(const text::LetterList& line, Side side) const {
  const std::int64_t words = line.words();
  const OneSide& own = side == Side::kSource ? source_ : target_;
  const OneSide& other = side == Side::kSource ? target_ : source_;
  if (words < kFewestWords || !own.is_known || !other.is_known) return false;
  std::int64_t own_words = 0;
  for (std::size_t i = 0; i < own.scripts.size(); ++i) own_words += own.scripts[i] ? line.scripts[i] : 0;
  if (2 * own_words < words) return true;
  const double limit = kUnlikely * static_cast<double>(line.ngrams.size());
  if (own.is_distinct && words >= kWordsToTell && own.profile.ngram_score(line) < limit) return true;
  return other.profile.score(line) - own.profile.score(line) > kMargin;
}

std::optional<Finding> language_finding(const Survey::OneSide& side, const std::string& tag, std::string_view name) {
  const std::optional<text::CommonWords::Guess> guess = side.words.guess();
  const std::string should = tag.empty() ? "" : serve::language_name(tag);
  const std::string seems = guess ? serve::language_name(guess->language) : "";
  const auto is_wrong = [&](const std::string& reason) {
    return Finding{.check = "language",
                   .level = Level::kError,
                   .text = join("the ", name, " should be ", should, ", but ", reason),
                   .advice =
                       "check that the files are the right ones and that source and target are not exchanged; "
                       "--source-language and --target-language name the languages."};
  };
  const auto is_right = [&](const std::string& language) {
    return Finding{.check = "language", .text = join("the ", name, " seems to be ", language)};
  };
  if (tag.empty()) return guess ? std::optional(is_right(seems)) : std::nullopt;
  const double in_scripts = share_in_scripts(side.letters, tag);
  if (words_in(side.letters) < kFewestWords) return std::nullopt;
  if (in_scripts < 0.5)
    return is_wrong(join("only ", percent(in_scripts), " of its words are in the letters of that language"));
  const std::optional<double> own = side.words.share(tag);
  if (guess && guess->share >= (own ? 2 * *own : kCertainShare)) {
    return is_wrong(
        join("seems to be ", seems, ": ", percent(guess->share), " of its words are among the commonest of ", seems));
  }
  const bool by_letters = text::scripts_of(tag).front() != text::Script::kLatin;
  if (by_letters || (guess && own)) return is_right(should);
  return std::nullopt;
}

}  // namespace dragoman::health
