#include "dragoman/text/language.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kLongestNgram = 4;

// Maps a profile's numbers to the levels 0 (`low`) to 63 (`high`), evenly spaced.
struct Scale {
  double low, high;

  std::uint8_t level(double value) const {
    const double share = (std::clamp(value, low, high) - low) / (high - low);
    return static_cast<std::uint8_t>(std::lround(63 * share));
  }
  double value(std::uint8_t level) const { return low + (high - low) * level / 63; }
  double step() const { return (high - low) / 63; }
};
constexpr Scale kNgramScale{-6, 6};   // log(P * kBuckets)
constexpr Scale kScriptScale{-9, 0};  // log P

// The alphabet of base64.
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// N-grams overlap and are thus not independent, so their scores count less. Measured on English and German sentences.
constexpr double kNgramWeight = 0.25;
// The score of each n-gram for a language without a profile. On English and German text a profile of the same language
// gave 1.5 to 1.9 on average, one of the other language 0.9 to 1.1.
constexpr double kWithoutProfile = 1.3;
// The probability that a text of one word is misleading; it is shared evenly among all languages and falls with the
// square of the number of words.
constexpr double kDoubt = 0.05;

// Calls on_ngram(bucket) for each n-gram of a word, which has a space at either end.
template <class OnNgram>
void for_each_ngram(std::u32string_view word, const OnNgram& on_ngram) {
  for (std::size_t begin = 0; begin < word.size(); ++begin) {
    std::uint64_t hash = 0;
    for (std::size_t n = 0; n < kLongestNgram && begin + n < word.size(); ++n) {
      hash = (hash ^ word[begin + n] ^ (std::uint64_t{n} << 32)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
      if (n > 0 || word[begin] != ' ') on_ngram((hash * 0xD6E8FEB86659FD93u) >> 52);
    }
  }
}

// Calls on_script(index) for each word, and on_ngram(bucket) for each n-gram.
template <class OnScript, class OnNgram>
void for_each_letter_group(std::string_view text, const OnScript& on_script, const OnNgram& on_ngram) {
  std::u32string word = U" ";
  Script last = Script::kNone;
  const auto end_word = [&] {
    if (word.size() > 1) for_each_ngram(word += U' ', on_ngram);
    word = U" ";
    last = Script::kNone;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    const Script script = script_of(code);
    if (is_accent(code)) continue;
    if (script == Script::kNone) {
      end_word();
      continue;
    }
    if (script != last || is_ideographic(code)) on_script(static_cast<std::size_t>(script));
    last = script;
    word += lower_case(code);
  }
  end_word();
}

struct ScriptsOfLanguage {
  std::string_view languages;  // separated by spaces, with a space at either end
  std::initializer_list<Script> scripts;
};

// Languages that are not listed are written in Latin letters.
const ScriptsOfLanguage kScriptsOfLanguages[] = {
    {" ab ba be bg ce cv kk ky mk mn os ru sr tg tt udm uk ", {Script::kCyrillic}},
    {" el grc ", {Script::kGreek}},
    {" hy ", {Script::kArmenian}},
    {" he iw yi ", {Script::kHebrew}},
    {" ar arz ckb fa ps sd ug ur ", {Script::kArabic}},
    {" bho hi mai mr ne sa ", {Script::kDevanagari}},
    {" as bn ", {Script::kBengali}},
    {" pa ", {Script::kGurmukhi}},
    {" gu ", {Script::kGujarati}},
    {" or ", {Script::kOriya}},
    {" ta ", {Script::kTamil}},
    {" te ", {Script::kTelugu}},
    {" kn ", {Script::kKannada}},
    {" ml ", {Script::kMalayalam}},
    {" si ", {Script::kSinhala}},
    {" th ", {Script::kThai}},
    {" lo ", {Script::kLao}},
    {" bo dz ", {Script::kTibetan}},
    {" my ", {Script::kMyanmar}},
    {" ka ", {Script::kGeorgian}},
    {" ko ", {Script::kHangul}},
    {" am ti ", {Script::kEthiopic}},
    {" km ", {Script::kKhmer}},
    {" ja ", {Script::kHiragana, Script::kKatakana, Script::kHan}},
    {" lzh wuu yue zh ", {Script::kHan}},
};

// log P(scripts) for a language without a profile. Names and brands are in Latin letters everywhere.
double script_score(std::string_view tag, const LetterCounts& text) {
  const std::vector<Script> own = scripts_of(tag);
  double score = 0;
  for (std::size_t i = 0; i < kScripts; ++i) {
    const auto script = static_cast<Script>(i);
    const bool is_own = std::ranges::find(own, script) != own.end();
    const double share = is_own ? 1.0 / static_cast<double>(own.size()) : script == Script::kLatin ? 0.02 : 1e-4;
    score += static_cast<double>(text.scripts[i]) * std::log(share);
  }
  return score;
}

std::int64_t total(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// Turns log probabilities into probabilities that sum to 1. A constant added to all of them makes no difference.
std::vector<double> softmax(std::vector<double> scores) {
  const double highest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - highest);
  for (double& score : scores) score /= sum;
  return scores;
}

}  // namespace

std::vector<Script> scripts_of(std::string_view tag) {
  const std::string language = " " + language_of(tag) + " ";
  for (const ScriptsOfLanguage& entry : kScriptsOfLanguages) {
    if (entry.languages.find(language) != std::string_view::npos) return entry.scripts;
  }
  return {Script::kLatin};
}

void LetterCounts::add(std::string_view text) {
  for_each_letter_group(
      text, [this](std::size_t script) { scripts[script] += 1; }, [this](std::size_t bucket) { ngrams[bucket] += 1; });
}

void LetterList::assign(std::string_view text) {
  ngrams.clear();
  scripts.fill(0);
  for_each_letter_group(
      text, [this](std::size_t script) { scripts[script] += 1; },
      [this](std::size_t bucket) { ngrams.push_back(static_cast<std::uint16_t>(bucket)); });
}

std::int64_t LetterList::words() const { return std::accumulate(scripts.begin(), scripts.end(), std::int64_t{0}); }

LanguageProfile::LanguageProfile(std::span<const std::string> lines)
    : LanguageProfile([lines] {
        LetterCounts counts;
        for (const std::string& line : lines) counts.add(line);
        return counts;
      }()) {}

LanguageProfile::LanguageProfile(const LetterCounts& counts) {
  // Half an occurrence is added to each count, so that no probability is zero. P * kBuckets is the count divided by the
  // mean count.
  const double mean = static_cast<double>(total(counts.ngrams)) / LetterCounts::kBuckets + 0.5;
  for (std::size_t i = 0; i < ngrams_.size(); ++i) {
    ngrams_[i] = kNgramScale.level(std::log((static_cast<double>(counts.ngrams[i]) + 0.5) / mean));
  }
  const double words = static_cast<double>(total(counts.scripts)) + 1;
  for (std::size_t i = 0; i < scripts_.size(); ++i) {
    scripts_[i] = kScriptScale.level(std::log((static_cast<double>(counts.scripts[i]) + 1.0 / kScripts) / words));
  }
}

std::string LanguageProfile::digits() const {
  std::string digits;
  for (const std::uint8_t level : scripts_) digits += kDigits[level];
  for (const std::uint8_t level : ngrams_) digits += kDigits[level];
  return digits;
}

LanguageProfile LanguageProfile::from_digits(std::string_view digits) {
  LanguageProfile profile;
  require<Error>(digits.size() == profile.scripts_.size() + profile.ngrams_.size(), "the language profile has ",
                 digits.size(), " digits; it must have ", profile.scripts_.size() + profile.ngrams_.size(), ".");
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t level = kDigits.find(digits[i]);
    require<Error>(level != std::string_view::npos, "the language profile has a character at ", i,
                   " that is not a base64 digit.");
    const bool script = i < profile.scripts_.size();
    (script ? profile.scripts_[i] : profile.ngrams_[i - profile.scripts_.size()]) = static_cast<std::uint8_t>(level);
  }
  return profile;
}

double LanguageProfile::script_score(const LetterCounts& text) const {
  double score = 0;
  for (std::size_t i = 0; i < scripts_.size(); ++i) {
    score += static_cast<double>(text.scripts[i]) * kScriptScale.value(scripts_[i]);
  }
  return score;
}

double LanguageProfile::ngram_score(const LetterCounts& text) const {
  double score = 0;
  for (std::size_t i = 0; i < ngrams_.size(); ++i) {
    score += static_cast<double>(text.ngrams[i]) * kNgramScale.value(ngrams_[i]);
  }
  return score;
}

double LanguageProfile::ngram_score(const LetterList& line) const {
  std::int64_t levels = 0;
  for (const std::uint16_t bucket : line.ngrams) levels += ngrams_[bucket];
  return static_cast<double>(line.ngrams.size()) * kNgramScale.low + kNgramScale.step() * static_cast<double>(levels);
}

double LanguageProfile::score(const LetterList& line) const {
  double by_script = 0;
  for (std::size_t i = 0; i < scripts_.size(); ++i) by_script += line.scripts[i] * kScriptScale.value(scripts_[i]);
  return by_script + kNgramWeight * ngram_score(line);
}

std::vector<LanguageGuess> detect(std::string_view text, std::span<const KnownLanguage> languages) {
  if (languages.empty()) return {};
  LetterCounts counts;
  counts.add(text);
  const auto ngrams = static_cast<double>(total(counts.ngrams));
  std::vector<double> scores;
  for (const auto& [tag, profile] : languages) {
    const double by_script = profile ? profile->script_score(counts) : script_score(tag, counts);
    const double by_ngrams = profile ? profile->ngram_score(counts) : kWithoutProfile * ngrams;
    scores.push_back(by_script + kNgramWeight * by_ngrams);
  }
  const std::vector<double> probabilities = softmax(std::move(scores));
  const double words = std::max(1.0, static_cast<double>(total(counts.scripts)));
  const double doubt = kDoubt / (words * words);
  std::vector<LanguageGuess> guesses;
  for (std::size_t i = 0; i < languages.size(); ++i) {
    const double probability = (1 - doubt) * probabilities[i] + doubt / static_cast<double>(languages.size());
    guesses.push_back({languages[i].tag, 100 * probability});
  }
  std::ranges::stable_sort(guesses, std::greater<>(), &LanguageGuess::confidence);
  return guesses;
}

}  // namespace dragoman::text
