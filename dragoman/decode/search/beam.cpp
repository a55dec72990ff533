#include "dragoman/decode/search/beam.h"

#include <algorithm>
#include <limits>

namespace dragoman::decode {

BeamSearch::BeamSearch(const SearchSettings& settings, Bounds bounds, std::int64_t V,
                       std::vector<std::vector<Candidate>>* tree)
    : settings_(settings), bounds_(std::move(bounds)), V_(V), tree_(tree) {
  alive_.push_back({});
  if (bounds_.limit > 0) rows_.push_back({});  // the engine gives this first row the start token to read
}

std::int64_t BeamSearch::wanted() const {
  std::size_t barred = 0;
  for (const Alive& alive : alive_) barred = std::max(barred, alive.barred.size());
  const std::int64_t choices = 2 * settings_.beam;  // see collect()
  return std::min(V_, words_wanted(settings_, choices, static_cast<std::int64_t>(barred), step_));
}

double BeamSearch::penalty(std::int64_t length) const {
  return length_penalty(settings_.length_norm, settings_.alpha, length);
}

void BeamSearch::advance(std::span<const Offer> offers) {
  candidates_.clear();
  if (wants_all()) {
    collect_forced(offers);
  } else if (settings_.rules == Rules::kTransformers && step_ + 1 == bounds_.limit) {
    collect_ends();
  } else {
    collect(offers);
  }
  if (candidates_.empty()) {  // the settings bar every word: the search ends, and alive_ stays as the result
    rows_.clear();
  } else {
    ++step_;
    choose();
  }
  if (tree_ != nullptr) tree_->push_back(candidates_);
  if (over()) rows_.clear();
}

// Collects the best 2B of all extensions, ordered by score, then by row, then by word. Each of them is among the 2B
// best of its own row, so it is enough to look at those. At most B of the 2B end in EOS, one for each row, so at least
// B are left to continue.
void BeamSearch::collect(std::span<const Offer> offers) {
  const double divisor = penalty(step_ + 1);
  for (std::size_t row = 0; row < offers.size(); ++row) {
    const Offer& offer = offers[row];
    for (std::size_t i = 0; i < offer.ids.size(); ++i) {
      if (offer.ids[i] == kEos && step_ + 1 < settings_.min_length) continue;
      if (std::ranges::binary_search(alive_[row].barred, offer.ids[i])) continue;
      const double log_p = alive_[row].log_probability + offer.log_p[i];
      if (log_p == -std::numeric_limits<double>::infinity()) continue;
      candidates_.push_back({static_cast<std::int32_t>(row), offer.ids[i], log_p, log_p / divisor});
    }
  }
  const auto better = [](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.row != b.row ? a.row < b.row : a.word < b.word;
  };
  const std::size_t kept = std::min<std::size_t>(candidates_.size(), 2 * static_cast<std::size_t>(settings_.beam));
  std::ranges::partial_sort(candidates_, candidates_.begin() + static_cast<std::ptrdiff_t>(kept), better);
  candidates_.resize(kept);
}

// While the prefix lasts there is one hypothesis; its only candidate is the next word of the prefix.
void BeamSearch::collect_forced(std::span<const Offer> offers) {
  const std::int32_t word = bounds_.prefix[step_];
  const double log_p = alive_[0].log_probability + (step_ < bounds_.given ? 0 : offers[0].all[word]);
  candidates_.push_back({0, word, log_p, log_p / penalty(step_ + 1)});
}

// The last token is EOS, at no cost.
void BeamSearch::collect_ends() {
  for (std::size_t row = 0; row < alive_.size(); ++row) {
    const double log_p = alive_[row].log_probability;
    candidates_.push_back({static_cast<std::int32_t>(row), kEos, log_p, log_p / penalty(step_ + 1)});
  }
}

// Whether a candidate of the step that was just taken is complete.
bool BeamSearch::ends(const Candidate& candidate) const {
  return candidate.word == kEos || (settings_.rules == Rules::kCtranslate2 && step_ == bounds_.limit);
}

// Goes through the candidates, best first, and decides the fate of each: alive, finished, or dropped.
void BeamSearch::choose() {
  alive_.swap(former_);
  alive_.clear();
  rows_.clear();
  const auto beam = static_cast<std::size_t>(settings_.beam);
  const std::size_t most_finished =
      settings_.rules == Rules::kCtranslate2 ? std::numeric_limits<std::size_t>::max() : beam;
  first_has_ended_ = first_has_ended_ || ends(candidates_.front());
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank) {
    Candidate& candidate = candidates_[rank];
    const bool is_end = ends(candidate);
    if (is_end ? only_first_end() && rank >= beam : alive_.size() == beam) {
      candidate.fate = Fate::kCrowdedOut;
      continue;
    }
    // Ties: the hypothesis that ended earlier stays ahead.
    const auto place = std::ranges::upper_bound(finished_, candidate.score, std::greater<>(), &Finished::score);
    if (is_end && place == finished_.end() && finished_.size() == most_finished) {
      candidate.fate = Fate::kBeaten;
      continue;
    }
    const std::int32_t last = words_.add(former_[candidate.row].last, candidate.word, candidate.row);
    if (is_end) {
      candidate.fate = Fate::kFinished;
      finished_.insert(place, {last, candidate.log_probability, candidate.score});
      if (finished_.size() > most_finished) finished_.pop_back();
    } else {
      alive_.push_back({last, candidate.log_probability, words_.repeats(last, settings_.no_repeat_ngram)});
      rows_.push_back({candidate.row, candidate.word});
    }
  }
}

data::Sentence BeamSearch::settled() const {
  std::int32_t last = finished_.empty() ? WordTree::kRoot : finished_[0].last;
  bool any = !finished_.empty();
  for (const Alive& alive : alive_) {
    if (!finished_.empty() && best_possible_score(alive.log_probability) <= finished_[0].score) continue;
    last = any ? words_.common(last, alive.last) : alive.last;
    any = true;
  }
  return hypothesis(last, 0, 0).tokens;
}

// A log-probability can only fall from here on, and it is divided by at most the penalty of the greatest length.
double BeamSearch::best_possible_score(double log_probability) const {
  return log_probability / penalty(bounds_.limit);
}

bool BeamSearch::over() const {
  if (alive_.empty() || step_ >= bounds_.limit) return true;
  const auto asked = static_cast<std::size_t>(settings_.n_best);
  const bool full = finished_.size() >= static_cast<std::size_t>(settings_.beam);
  if (settings_.rules == Rules::kCtranslate2) {
    const bool has_norm = settings_.length_norm != LengthNorm::kNone && settings_.alpha != 0;
    return has_norm ? full : first_has_ended_ && finished_.size() >= asked;
  }
  if (settings_.stop == Stop::kBeam) return full;
  double best = alive_[0].log_probability;
  for (const Alive& alive : alive_) best = std::max(best, alive.log_probability);
  if (settings_.rules == Rules::kTransformers) {
    const double reachable = settings_.stop == Stop::kNever ? best_possible_score(best) : best / penalty(step_);
    return full && reachable <= finished_.back().score;
  }
  if (finished_.size() < asked) return false;
  return finished_[asked - 1].score > best_possible_score(best);
}

Hypothesis BeamSearch::hypothesis(std::int32_t last, double log_probability, double score) const {
  Hypothesis result{.tokens = {}, .log_probability = log_probability, .score = score, .finished = false, .rows = {}};
  words_.read(last, result.tokens, result.rows);
  if (!result.tokens.empty() && result.tokens.back() == kEos) {
    result.tokens.pop_back();
    result.finished = true;
  }
  return result;
}

std::vector<Hypothesis> BeamSearch::results() const {
  std::vector<Hypothesis> results;
  const auto asked = static_cast<std::size_t>(settings_.n_best);
  for (const Finished& finished : finished_) {
    if (results.size() == asked) break;
    results.push_back(hypothesis(finished.last, finished.log_probability, finished.score));
  }
  for (const Alive& alive : alive_) {
    if (results.size() == asked) break;
    results.push_back(hypothesis(alive.last, alive.log_probability,
                                 alive.log_probability / penalty(std::max<std::int64_t>(1, step_))));
  }
  return results;
}

}  // namespace dragoman::decode
