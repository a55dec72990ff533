#include "dragoman/eval/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/eval/ngrams.h"
#include "dragoman/eval/shifts.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::eval {
namespace {

constexpr std::size_t kEdits = 0, kLength = 1;

// Returns nothing if the references have no words.
template <class Real>
std::optional<Real> rate(std::span<const Real> sums) {
  if (sums.empty() || !(sums[kLength] > 0)) return std::nullopt;
  return 100 * (sums[kEdits] / sums[kLength]);
}

// Without reference words, any word in the hypothesis counts as 100 % errors.
template <class Real>
double rate_without_reference(std::span<const Real> sums) {
  return !sums.empty() && sums[kEdits] > 0 ? 100 : 0;
}

}  // namespace

std::string Ter::settings() const {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}", settings_.case_sensitive ? "mixed" : "lc",
                     yes_or_no(settings_.normalized), yes_or_no(!settings_.no_punctuation),
                     yes_or_no(settings_.asian_support));
}

Statistics Ter::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  require<ShapeError>(!references.empty(), "ter: a hypothesis has no reference.");
  std::vector<std::string> texts{tokenize_tercom(hypothesis, settings_)};
  for (const std::string& reference : references) {
    // Twice, as sacreBLEU does: the second time may split further.
    texts.push_back(tokenize_tercom(tokenize_tercom(reference, settings_), settings_));
  }
  WordNumbers numbers_of;
  const Symbols words = numbers_of(split_words(texts[0]));
  std::optional<std::int64_t> fewest;
  double length = 0;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const Symbols reference = numbers_of(split_words(texts[i]));
    const std::int64_t edits = count_edits(words, reference);
    fewest = std::min(fewest.value_or(edits), edits);
    length += static_cast<double>(reference.size());
  }
  return {static_cast<double>(*fewest), length / static_cast<double>(references.size())};
}

double Ter::score(std::span<const double> sums) const { return rate(sums).value_or(rate_without_reference(sums)); }

ResampledScore Ter::resampled_score(std::span<const float> sums) const {
  const std::optional<float> score = rate(sums);
  return {.score = score ? *score : rate_without_reference(sums), .is_single = score.has_value()};
}

Json Ter::record(std::span<const double> sums) const {
  if (sums.empty()) return Json::object();
  return {{"edits", static_cast<std::int64_t>(sums[kEdits])}, {"reference_length", sums[kLength]}};
}

}  // namespace dragoman::eval
