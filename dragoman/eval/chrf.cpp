#include "dragoman/eval/chrf.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/eval/ngrams.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

constexpr std::size_t kPerOrder = 3;  // n-grams of the hypothesis, n-grams of the reference, matches

bool is_ascii_punctuation(char c) {
  return c > ' ' && c < '\x7F' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
}

// Splits the text into words. One punctuation mark at the end of a word, or else one at its start, is split off.
std::vector<std::string_view> chrf_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split_words(text)) {
    const bool is_single_character = word.size() == character_bytes(word[0]);
    const bool at_end = !is_single_character && is_ascii_punctuation(word.back());
    const bool at_begin = !is_single_character && !at_end && is_ascii_punctuation(word.front());
    const std::size_t cut = at_end ? word.size() - 1 : at_begin ? 1 : 0;
    if (cut > 0) words.push_back(word.substr(0, cut));
    words.push_back(word.substr(cut));
  }
  return words;
}

Symbols characters(std::string_view text, const ChrfSettings& settings) {
  const std::u32string codes = to_code_points(settings.whitespace ? std::string(text) : without_spaces(text));
  return {codes.begin(), codes.end()};
}

// Appends three numbers (see kPerOrder) for each order, 1 to `orders`, to the statistics of each reference. The first
// sentence is the hypothesis, the others are the references.
void add_orders(std::span<const Symbols> sentences, int orders, std::vector<Statistics>& of_references) {
  Ngrams ngrams(sentences);
  for (int order = 0; order < orders; ++order) {
    if (order > 0) ngrams.to_next_order();
    const std::vector<std::int64_t> hypothesis = ngrams.counts(0);
    for (std::size_t i = 0; i < of_references.size(); ++i) {
      const std::int64_t total = ngrams.total(i + 1);
      // As in sacreBLEU, the hypothesis's n-grams do not count if the reference is too short to have any.
      const auto counted = static_cast<double>(total > 0 ? ngrams.total(0) : 0);
      const auto matches = static_cast<double>(count_matches(hypothesis, ngrams.counts(i + 1)));
      of_references[i].insert(of_references[i].end(), {counted, static_cast<double>(total), matches});
    }
  }
}

// Returns nothing if there is no match at all. With Real = float every step is in single precision, as in sacreBLEU's
// arrays.
template <class Real>
std::optional<Real> f_score(std::span<const Real> sums, int beta) {
  const auto factor = static_cast<Real>(beta * beta);
  Real precision = 0, recall = 0, orders = 0;
  for (std::size_t i = 0; i + kPerOrder <= sums.size(); i += kPerOrder) {
    const Real hypothesis = sums[i], reference = sums[i + 1], matches = sums[i + 2];
    if (hypothesis <= 0 || reference <= 0) continue;
    precision += matches / hypothesis;
    recall += matches / reference;
    orders += 1;
  }
  if (orders == 0) return std::nullopt;
  precision /= orders;
  recall /= orders;
  if (precision + recall == 0) return std::nullopt;
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

}  // namespace

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", settings_.beta, std::string(static_cast<std::size_t>(settings_.word_order), '+'));
}

std::string Chrf::settings() const {
  return fmt::format("case:{}|eff:yes|nc:{}|nw:{}|space:{}", settings_.lowercase ? "lc" : "mixed",
                     settings_.character_order, settings_.word_order, settings_.whitespace ? "yes" : "no");
}

Statistics Chrf::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  require<ShapeError>(!references.empty(), "chrf: a hypothesis has no reference.");
  std::vector<std::string> texts{std::string(hypothesis)};
  texts.insert(texts.end(), references.begin(), references.end());
  std::vector<Symbols> in_characters, in_words;
  WordNumbers numbers_of;
  for (std::string& text : texts) {
    if (settings_.lowercase) text = lower_case(text);
    in_characters.push_back(characters(text, settings_));
    if (settings_.word_order > 0) in_words.push_back(numbers_of(chrf_words(text)));
  }
  std::vector<Statistics> of_references(references.size());
  add_orders(in_characters, settings_.character_order, of_references);
  add_orders(in_words, settings_.word_order, of_references);
  std::size_t best = 0;
  for (std::size_t i = 1; i < of_references.size(); ++i) {
    if (score(of_references[i]) > score(of_references[best])) best = i;
  }
  return std::move(of_references[best]);
}

double Chrf::score(std::span<const double> sums) const { return f_score(sums, settings_.beta).value_or(0); }

ResampledScore Chrf::resampled_score(std::span<const float> sums) const {
  const std::optional<float> score = f_score(sums, settings_.beta);
  return {.score = score.value_or(0), .is_single = score.has_value()};
}

}  // namespace dragoman::eval
