// Beam search for one sentence (Section 6.1 of the paper; Wu et al., 2016): at each step the best hypotheses of one
// length are kept alive, those that end are put aside, and the search stops when none alive can still win.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/decode/search/search.h"

namespace dragoman::decode {

// What became of a candidate: what the tree of a search shows.
enum class Fate : std::uint8_t {
  kAlive,       // goes on
  kFinished,    // ends, and is among the best that have ended
  kCrowdedOut,  // better ones filled the beam
  kBeaten,      // ended, but enough better ones have
};
constexpr std::array<std::string_view, 4> names(Fate) { return {"alive", "finished", "crowded out", "beaten"}; }

struct Candidate {
  std::int32_t row = 0, word = 0;  // the hypothesis that it extends, and by what
  double log_probability = 0, score = 0;
  Fate fate = Fate::kAlive;
};

class BeamSearch {
 public:
  BeamSearch() = default;  // done before it began
  // `tree`, if it is there, receives the candidates of each step.
  BeamSearch(const SearchSettings& settings, Bounds bounds, std::int64_t V,
             std::vector<std::vector<Candidate>>* tree = nullptr);

  // How many of the likeliest words the next step needs of each row; whether it needs all log-probabilities.
  std::int64_t wanted() const;
  bool wants_all() const { return !done() && step_ < static_cast<std::int64_t>(bounds_.prefix.size()); }

  // One offer for each row.
  void advance(std::span<const Offer> offers);
  // The rows of the next step; none when the search is over.
  std::span<const Continuation> rows() const { return rows_; }
  bool done() const { return rows_.empty(); }
  std::int64_t steps() const { return step_; }  // taken so far

  // The best first. Those that the limit cut short come last, and say so.
  std::vector<Hypothesis> results() const;
  // The words that the best result will begin with, whatever comes: what all that can still be it have in common.
  data::Sentence settled() const;

 private:
  struct Alive {
    std::int32_t last = WordTree::kRoot;  // word in the tree
    double log_probability = 0;
    std::vector<std::int32_t> barred = {};  // words that it must not go on with, rising
  };
  struct Finished {
    std::int32_t last;
    double log_probability, score;
  };

  void collect(std::span<const Offer> offers);
  void collect_forced(std::span<const Offer> offers);
  void choose();
  bool over() const;
  double penalty(std::int64_t length) const;
  double most(double log_probability) const;  // that the score of what is alive can become
  Hypothesis hypothesis(std::int32_t last, double log_probability, double score) const;

  SearchSettings settings_;
  Bounds bounds_;
  std::int64_t V_ = 0;
  std::vector<std::vector<Candidate>>* tree_ = nullptr;
  std::int64_t step_ = 0;  // tokens of those alive
  WordTree words_;
  std::vector<Alive> alive_, former_;
  std::vector<Finished> finished_;
  std::vector<Candidate> candidates_;
  std::vector<Continuation> rows_;
};

}  // namespace dragoman::decode
