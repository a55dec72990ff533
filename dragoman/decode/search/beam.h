// Beam search for one sentence (Section 6.1 of the paper; Wu et al., 2016). Each step extends the hypotheses that are
// alive, all of the same length, by one word and keeps the best of them alive. Hypotheses that end are put aside. When
// the search stops is a setting (see Stop); by default, when no hypothesis alive can still become one of the n_best.
//
// Other programs have other rules (SearchSettings::rules). Of the 2B best candidates of a step, B being the width of
// the beam:
//   paper          any that ends in EOS is put aside, and the best B of all steps are kept. Those alive at the limit
//                  are cut off.
//   transformers   one that ends is put aside only if it is among the first B; the best B are kept. The last token that
//                  the limit allows is EOS for certain, with probability 1. Stops when B have ended and the best one
//                  alive, divided by the penalty of its length now, is not better than the worst of them
//                  (early_stopping is false), or with stop beam as soon as B have ended (true). With stop
//                  never ("never") the best one alive is divided by the penalty of the greatest length instead.
//   ctranslate2    one that ends is put aside only if it is among the first B; all are kept. At the limit, those alive
//                  count as ended. Stops when B have ended; without a length norm, when the first of a step has ended
//                  and n_best are there.
// In all of them the first B that do not end stay alive.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/decode/search/search.h"

namespace dragoman::decode {

// What the search did with a candidate. The attention page shows it.
enum class Fate : std::uint8_t {
  kAlive,       // the next step extends it
  kFinished,    // it ends in EOS and is among the best that have ended
  kCrowdedOut,  // dropped: better candidates filled the beam
  kBeaten,      // dropped: it ends in EOS, but `beam` hypotheses that are at least as good have already ended
};
constexpr std::array<std::string_view, 4> names(Fate) { return {"alive", "finished", "crowded out", "beaten"}; }

struct Candidate {
  std::int32_t row = 0, word = 0;  // the row of the hypothesis that it extends, and the new word
  double log_probability = 0, score = 0;
  Fate fate = Fate::kAlive;
};

class BeamSearch {
 public:
  BeamSearch() = default;  // a search that is already done
  // `tree` is optional; it receives the candidates of each step and must outlive the search.
  BeamSearch(const SearchSettings& settings, Bounds bounds, std::int64_t V,
             std::vector<std::vector<Candidate>>* tree = nullptr);

  // How many of the likeliest words the next step needs for each row, and whether it needs the log-probabilities of all
  // words.
  std::int64_t wanted() const;
  bool wants_all() const { return !done() && step_ < static_cast<std::int64_t>(bounds_.prefix.size()); }

  // Takes one step. `offers` has one entry for each of rows().
  void advance(std::span<const Offer> offers);
  // The rows of the next step; empty when the search is over.
  std::span<const Continuation> rows() const { return rows_; }
  bool done() const { return rows_.empty(); }
  std::int64_t steps() const { return step_; }  // taken so far

  // The n_best results, best first. Unfinished hypotheses (Hypothesis::finished is false) come last.
  std::vector<Hypothesis> results() const;
  // The words that the best result is certain to begin with: the common beginning of all hypotheses that can still
  // become the best one.
  data::Sentence settled() const;

 private:
  struct Alive {
    std::int32_t last = WordTree::kRoot;  // its last word in words_
    double log_probability = 0;
    std::vector<std::int32_t> barred = {};  // words that must not come next (no_repeat_ngram), in ascending order
  };
  struct Finished {
    std::int32_t last;
    double log_probability, score;
  };

  void collect(std::span<const Offer> offers);
  void collect_forced(std::span<const Offer> offers);
  void collect_ends();
  void choose();
  bool ends(const Candidate& candidate) const;
  // Whether another program's rules put aside only candidates that are among the first `beam` of their step.
  bool only_first_end() const { return settings_.rules != Rules::kPaper; }
  bool over() const;
  double penalty(std::int64_t length) const;
  // The best score that a hypothesis alive with this log-probability can still reach.
  double best_possible_score(double log_probability) const;
  Hypothesis hypothesis(std::int32_t last, double log_probability, double score) const;

  SearchSettings settings_;
  Bounds bounds_;
  std::int64_t V_ = 0;
  std::vector<std::vector<Candidate>>* tree_ = nullptr;
  std::int64_t step_ = 0;  // steps taken, which is the length of the hypotheses alive
  WordTree words_;
  std::vector<Alive> alive_, former_;  // one for each row, now and before the last step
  std::vector<Finished> finished_;     // the best score first; at most `beam`, unless the rules keep all
  bool first_has_ended_ = false;       // the best candidate of some step
  std::vector<Candidate> candidates_;
  std::vector<Continuation> rows_;
};

}  // namespace dragoman::decode
