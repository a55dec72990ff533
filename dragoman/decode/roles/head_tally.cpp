#include "dragoman/decode/roles/head_tally.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace dragoman::decode {
namespace {

std::vector<bool> marks_of(const WordUnits& words) {
  std::vector<bool> marks;
  for (const WordUnit& unit : words.units) marks.push_back(unit.is_mark);
  return marks;
}

std::int64_t largest(const AttentionMap& weights, std::int64_t row) {
  const float* first = &weights.weights[static_cast<std::size_t>(row * weights.sources)];
  return std::max_element(first, first + weights.sources) - first;
}

}  // namespace

SiteWords::SiteWords(const nn::AttentionSite& site, const WordUnits& source, const WordUnits& target)
    : is_self(site.queries == site.keys), is_causal(site.is_causal()), is_cross(site.is_cross()) {
  const auto side = [&](nn::Side which) -> const WordUnits& { return which == nn::Side::kSource ? source : target; };
  query_units = side(site.queries).of_token;
  query_marks = marks_of(side(site.queries));
  query_marks.pop_back();
  key_units = side(site.keys).of_token;
  key_marks = marks_of(side(site.keys));
  if (site.keys == nn::Side::kTarget) {  // the keys are what the decoder read: the start token, and no </s>
    for (std::int64_t& unit : key_units) ++unit;
    key_units.insert(key_units.begin(), 0);
    key_units.pop_back();
    key_marks.insert(key_marks.begin(), true);
    key_marks.pop_back();
    end = std::ssize(key_marks);
  } else {
    end = std::ssize(key_marks) - 1;
    while (end > 0 && key_marks[end - 1]) --end;
  }
}

void HeadTally::add(const AttentionMap& weights, const SiteWords& words, const std::vector<eval::WordLink>& clear) {
  const AttentionMap merged = by_words(weights, words.query_units, words.key_units);
  for (std::int64_t row = 0; row < std::ssize(words.query_marks); ++row) add_row(merged, row, words);
  if (words.is_cross) add_alignment(merged, words, clear);
}

void HeadTally::add_row(const AttentionMap& weights, std::int64_t row, const SiteWords& words) {
  const std::int64_t keys = weights.sources, last_word = std::ssize(words.query_marks) - 1;
  const double slope =
      words.is_self || last_word < 0 ? 1.0 : static_cast<double>(keys - 1) / static_cast<double>(last_word + 1);
  double entropy = 0, distance = 0, peak = 0, end = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    const double weight = weights.at(row, key);
    if (weight > 0) entropy -= weight * std::log2(weight);
    distance += weight * std::abs(static_cast<double>(key) - slope * static_cast<double>(row));
    peak = std::max(peak, weight);
    if (key >= words.end) end += weight;
  }
  entropy_.add(entropy);
  distance_.add(distance);
  peak_.add(peak);
  const bool in_end = words.is_self && row >= words.end;
  if (words.end < keys && !in_end) end_.add(end);
  if (!words.is_self || row > 0) first_.add(weights.at(row, 0));
  if (!words.is_self) return;
  const std::int64_t previous = words.is_causal ? row : row - 1;
  if (row > 0) previous_.add(weights.at(row, previous));
  if (words.is_causal) return;
  same_.add(weights.at(row, row));
  if (row < last_word) next_.add(weights.at(row, row + 1));
}

void HeadTally::add_alignment(const AttentionMap& weights, const SiteWords& words,
                              const std::vector<eval::WordLink>& clear) {
  for (const eval::WordLink& link : clear) {
    const std::int64_t source = largest(weights, link.target);
    ++clear_;
    linked_ += words.key_marks[source] ? 0 : 1;
    found_ += source == link.source ? 1 : 0;
  }
  std::set<std::int64_t> aligned;
  std::int64_t last = -1, count = 0;
  for (std::int64_t row = 0; row < std::ssize(words.query_marks); ++row) {
    if (words.query_marks[row]) continue;
    ++count;
    const std::int64_t source = largest(weights, row);
    if (last >= 0) forward_.add(source >= last ? 1 : 0);
    last = source;
    if (!words.key_marks[source]) aligned.insert(source);
  }
  if (count > 0) distinct_.add(static_cast<double>(aligned.size()) / static_cast<double>(count));
}

HeadNumbers HeadTally::numbers() const {
  std::optional<double> agreement;
  if (clear_ > 0) agreement = 2 * static_cast<double>(found_) / static_cast<double>(linked_ + clear_);
  return {.entropy = entropy_.value().value_or(0),
          .distance = distance_.value().value_or(0),
          .peak = peak_.value().value_or(0),
          .previous = previous_.value(),
          .same = same_.value(),
          .next = next_.value(),
          .first = first_.value(),
          .end = end_.value(),
          .agreement = agreement,
          .forward = forward_.value(),
          .distinct = distinct_.value(),
          .words = entropy_.count,
          .evidence = clear_};
}

std::vector<eval::WordLink> head_links(const AttentionMap& weights, const WordUnits& source, const WordUnits& target) {
  const AttentionMap merged = by_words(weights, target.of_token, source.of_token);
  std::vector<eval::WordLink> links;
  for (std::int64_t row = 0; row < std::ssize(target.units); ++row) {
    if (target.units[row].is_mark) continue;
    const WordUnit& aligned = source.units[largest(merged, row)];
    const eval::WordLink link{aligned.word, target.units[row].word};
    if (!aligned.is_mark && std::ranges::find(links, link) == links.end()) links.push_back(link);
  }
  return links;
}

}  // namespace dragoman::decode
