#include "dragoman/decode/search/single.h"

#include <algorithm>
#include <cmath>

#include "dragoman/backend/absent_words.h"

namespace dragoman::decode {
namespace {

constexpr std::uint32_t kSampling = 0x73616D70;  // purpose of the random stream: "samp" in ASCII

}  // namespace

SingleSearch::SingleSearch(const SearchSettings& settings, Bounds bounds, std::int64_t V, std::uint64_t number)
    : settings_(settings), bounds_(std::move(bounds)), V_(V) {
  const auto results = static_cast<std::uint64_t>(settings.n_best);
  for (std::uint64_t i = 0; i < results; ++i) {
    paths_.push_back({.random = RandomStream(settings.seed, kSampling, number * results + i)});
  }
  if (bounds_.limit > 0) rows_.push_back({});
}

std::int64_t SingleSearch::wanted() const {
  const std::int64_t choices = settings_.method == Method::kGreedy ? 1 : std::max(1, settings_.top_k);
  std::size_t barred = 0;
  for (const Path& path : paths_) barred = std::max(barred, path.barred.size());
  return std::min(V_, words_wanted(settings_, choices, static_cast<std::int64_t>(barred), step_));
}

void SingleSearch::advance(std::span<const Offer> offers) {
  rows_.clear();
  for (Path& path : paths_) {
    if (path.over) continue;
    const Word word = choose(path, offers[path.row]);
    path.log_probability += word.log_p;
    path.last = words_.add(path.last, word.id, path.row);
    path.over = word.id == kEos || ++path.length >= bounds_.limit;
    path.barred.clear();
    if (path.over) continue;
    path.barred = words_.repeats(path.last, settings_.no_repeat_ngram);
    rows_.push_back({path.row, word.id});
    path.row = static_cast<std::int32_t>(rows_.size()) - 1;
  }
  ++step_;
}

SingleSearch::Word SingleSearch::choose(Path& path, const Offer& offer) {
  if (forced()) return {bounds_.prefix[step_], step_ < bounds_.given ? 0 : offer.all[bounds_.prefix[step_]]};
  choices_.clear();
  const auto allow = [&](std::int32_t id, double log_p) {
    if (log_p < kAbsentBias) return;
    if (id == kEos && step_ + 1 < settings_.min_length) return;
    if (!std::ranges::binary_search(path.barred, id)) choices_.push_back({id, log_p});
  };
  if (may_choose_any()) {  // PAD and BOS, the ids below EOS, are never generated
    for (auto id = kEos; id < static_cast<std::int32_t>(V_); ++id) allow(id, offer.all[id]);
    std::ranges::stable_sort(choices_, std::greater<>(), &Word::log_p);
  } else {
    for (std::size_t i = 0; i < offer.ids.size(); ++i) allow(offer.ids[i], offer.log_p[i]);
  }
  // The settings bar every word that was offered. End the sentence, with the log-probability of the likeliest word.
  if (choices_.empty()) return {kEos, offer.log_p[0]};
  return settings_.method == Method::kGreedy ? choices_.front() : draw(path.random);
}

// Draws one of choices_, which are sorted, the likeliest first. Only the first top_k take part (all if it is 0), and of
// these only as many of the first as it takes until their probabilities add up to top_p.
SingleSearch::Word SingleSearch::draw(RandomStream& random) {
  if (settings_.top_k > 0 && choices_.size() > static_cast<std::size_t>(settings_.top_k)) {
    choices_.resize(static_cast<std::size_t>(settings_.top_k));
  }
  weights_.clear();
  double total = 0;
  for (const Word& word : choices_) {
    weights_.push_back(std::exp((word.log_p - choices_.front().log_p) / settings_.temperature));
    total += weights_.back();
  }
  double within = 0;
  std::size_t count = 0;
  while (count < weights_.size() && (count == 0 || within < settings_.top_p * total)) within += weights_[count++];
  double left = random.uniform() * within;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    left -= weights_[i];
    if (left < 0) return choices_[i];
  }
  return choices_[count - 1];
}

data::Sentence SingleSearch::settled() const {
  data::Sentence words;
  std::vector<std::int32_t> rows;
  if (!paths_.empty()) words_.read(paths_.front().last, words, rows);
  if (!words.empty() && words.back() == kEos) words.pop_back();
  return words;
}

std::vector<Hypothesis> SingleSearch::results() const {
  std::vector<Hypothesis> results;
  for (const Path& path : paths_) {
    Hypothesis& result = results.emplace_back();
    words_.read(path.last, result.tokens, result.rows);
    const auto length = static_cast<std::int64_t>(std::max<std::size_t>(1, result.tokens.size()));
    result.log_probability = path.log_probability;
    result.score = path.log_probability / length_penalty(settings_.length_norm, settings_.alpha, length);
    result.finished = !result.tokens.empty() && result.tokens.back() == kEos;
    if (result.finished) result.tokens.pop_back();
  }
  return results;
}

}  // namespace dragoman::decode
