#include "dragoman/backend/cpu/beam.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// A live hypothesis extended by one word.
struct Candidate {
  std::int32_t row, word;  // row: of the hypothesis that it extends, counted from the slot's first row
  double log_p, score;
};

// One slot of the tables, which backend/beam.h describes, with the operations on its search. A step (`step`) is:
// collect the best extensions of the live hypotheses, choose which live on and which end, then either let the rows
// inherit the chosen hypotheses or, if the search is over, make the slot idle.
struct Slot {
  const BeamTables& tables;
  std::int64_t slot;

  std::int64_t row(std::int64_t b) const { return slot * tables.B + b; }
  std::int32_t& at(SlotColumn column) const { return tables.slots[slot * kSlotColumns + column]; }
  std::int32_t* cells(std::int64_t b) const { return tables.cells + row(b) * tables.T; }
  double& log_p(std::int64_t b) const { return tables.log_p[row(b)]; }
  // The cell for the key and value that row b computes at this step. Rows also read the cells of their ancestors.
  std::int32_t own_cell(std::int64_t b, std::int64_t step) const {
    return static_cast<std::int32_t>(at(kSlotFirstCell) + b * at(kSlotLimit) + step);
  }

  // The word that comes next if `steps` words have been chosen and the prefix has more; otherwise kNoWord.
  std::int32_t forced_after(std::int64_t steps) const {
    if (steps >= at(kSlotPrefix)) return kNoWord;
    return tables.history[steps * tables.S * tables.B + row(0)] / static_cast<std::int32_t>(tables.B);
  }

  // Ends the search: the slot becomes idle, with kSlotIdle or kSlotFailed as its state.
  void make_idle(SlotState state) const {
    at(kSlotState) = state;
    for (std::int64_t b = 0; b < tables.B; ++b) {
      tables.ids[row(b)] = kPad;
      tables.lengths[row(b)] = 0;
      tables.forced[row(b)] = kNoWord;
      cells(b)[0] = static_cast<std::int32_t>(tables.idle_cells + row(b));
    }
  }

  // Begins the search that `entering`, a row of kEnteringColumns numbers, describes. `word` is its first input.
  void start(const std::int32_t* entering, const std::int32_t* prefixes, std::int32_t word) const {
    at(kSlotSteps) = at(kSlotEnded) = 0;
    at(kSlotAlive) = 1;
    at(kSlotLimit) = entering[kEnteringLimit];
    at(kSlotFirstCell) = entering[kEnteringFirstCell];
    at(kSlotPrefix) = entering[kEnteringPrefix];
    at(kSlotGiven) = entering[kEnteringGiven];
    at(kSlotState) = kSlotSearching;
    for (std::int64_t t = 0; t < at(kSlotPrefix); ++t) {
      tables.history[t * tables.S * tables.B + row(0)] =
          static_cast<std::int32_t>(prefixes[entering[kEnteringFirstWord] + t] * tables.B);
    }
    for (std::int64_t b = 0; b < tables.B; ++b) {
      tables.ids[row(b)] = word;
      tables.lengths[row(b)] = 0;
      tables.memory_first[row(b)] = entering[kEnteringMemoryFirst];
      tables.memory_count[row(b)] = entering[kEnteringMemoryCount];
      tables.forced[row(b)] = b == 0 ? forced_after(0) : kNoWord;
      cells(b)[0] = own_cell(b, 0);
      log_p(b) = b == 0 ? 0 : kMinusInfinity;
    }
    if (at(kSlotLimit) == 0) make_idle(kSlotIdle);
  }

  void move_to(const Slot& to) const {
    std::copy_n(&at(kSlotState), kSlotColumns, &to.at(kSlotState));
    std::copy_n(tables.ended + slot * 2 * tables.B, 2 * tables.B, tables.ended + to.slot * 2 * tables.B);
    std::copy_n(tables.ended_p + slot * 2 * tables.B, 2 * tables.B, tables.ended_p + to.slot * 2 * tables.B);
    for (std::int32_t* list : {tables.ids, tables.lengths, tables.memory_first, tables.memory_count, tables.forced}) {
      std::copy_n(list + row(0), tables.B, list + to.row(0));
    }
    std::copy_n(&log_p(0), tables.B, &to.log_p(0));
    const std::int64_t steps = at(kSlotSteps);
    for (std::int64_t b = 0; b < tables.B; ++b) std::copy_n(cells(b), std::min(tables.T, steps + 1), to.cells(b));
    for (std::int64_t t = 0; t < std::max<std::int64_t>(steps, at(kSlotPrefix)); ++t) {
      std::int32_t* history = tables.history + t * tables.S * tables.B;
      std::copy_n(history + row(0), tables.B, history + to.row(0));
    }
    make_idle(kSlotIdle);
  }

  // While the prefix lasts, its next word is the only extension.
  template <class T>
  bool collect_forced(const BestWords& best, std::vector<Candidate>& candidates) const {
    const auto log_sum = static_cast<double>(best.log_sums.data<T>()[row(0)]);
    if (!std::isfinite(log_sum)) return false;
    const auto logit = static_cast<double>(best.asked_logits.data<T>()[row(0)]);
    const double sum = log_p(0) + (at(kSlotSteps) < at(kSlotGiven) ? 0 : logit - log_sum);
    candidates.push_back({0, tables.forced[row(0)], sum, sum / tables.penalties[at(kSlotSteps) + 1]});
    return true;
  }

  // The best extensions of the live hypotheses, at most rules.choices, best first. Returns false if the model's scores
  // are not finite.
  template <class T>
  bool collect(const BestWords& best, const BeamRules& rules, std::vector<Candidate>& candidates) const {
    if (tables.forced[row(0)] != kNoWord) return collect_forced<T>(best, candidates);
    const std::int64_t k = best.ids.cols(), length = at(kSlotSteps) + 1;
    // One more while EOS is not allowed yet, because EOS may be among them and is skipped.
    const std::int64_t wanted = std::min(k, rules.choices + (length < rules.min_length ? 1 : 0));
    const double divisor = tables.penalties[length];
    for (std::int32_t b = 0; b < at(kSlotAlive); ++b) {
      const std::int32_t* ids = best.ids.data<std::int32_t>() + row(b) * k;
      const T* logits = best.logits.data<T>() + row(b) * k;
      const auto log_sum = static_cast<double>(best.log_sums.data<T>()[row(b)]);
      if (!std::isfinite(log_sum)) return false;
      for (std::int64_t i = 0; i < wanted && ids[i] != kNoWord; ++i) {
        if (ids[i] == kEos && length < rules.min_length) continue;
        const double sum = log_p(b) + (static_cast<double>(logits[i]) - log_sum);
        if (sum != kMinusInfinity) candidates.push_back({b, ids[i], sum, sum / divisor});
      }
    }
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.row != b.row ? a.row < b.row : a.word < b.word;
    });
    candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(rules.choices)));
    return true;
  }

  // Inserts an ended hypothesis into the list of the best B that have ended. On a tie the older one stays first.
  void store_ended(const Candidate& candidate) const {
    std::int32_t* ended = tables.ended + slot * 2 * tables.B;
    double* ended_p = tables.ended_p + slot * 2 * tables.B;
    std::int32_t& count = at(kSlotEnded);
    std::int64_t place = count;
    while (place > 0 && candidate.score > ended_p[2 * place - 1]) --place;
    if (place == tables.B) return;
    count = static_cast<std::int32_t>(std::min<std::int64_t>(count + 1, tables.B));
    std::copy_backward(ended + 2 * place, ended + 2 * (count - 1), ended + 2 * count);
    std::copy_backward(ended_p + 2 * place, ended_p + 2 * (count - 1), ended_p + 2 * count);
    ended[2 * place] = at(kSlotSteps);
    ended[2 * place + 1] = candidate.row;
    ended_p[2 * place] = candidate.log_p;
    ended_p[2 * place + 1] = candidate.score;
  }

  // Stores the candidates that end with EOS, and lets the best B of the others live on. Returns one candidate for each
  // row; rows without a hypothesis get padding.
  std::vector<Candidate> choose(const std::vector<Candidate>& candidates) const {
    std::vector<Candidate> alive;
    for (const Candidate& candidate : candidates) {
      if (candidate.word == kEos) {
        store_ended(candidate);
      } else if (std::ssize(alive) < tables.B) {
        alive.push_back(candidate);
      }
    }
    const std::int32_t length = ++at(kSlotSteps);
    at(kSlotAlive) = static_cast<std::int32_t>(alive.size());
    alive.resize(tables.B, {0, kPad, kMinusInfinity, kMinusInfinity});  // padding
    for (std::int64_t b = 0; b < tables.B; ++b) {
      tables.history[(length - 1) * tables.S * tables.B + row(b)] =
          static_cast<std::int32_t>(alive[b].word * tables.B + alive[b].row);
      log_p(b) = alive[b].log_p;
    }
    return alive;
  }

  // Row b continues alive[b]: it takes over the cells of row alive[b].row, and reads the chosen word in the next step.
  void inherit(const std::vector<Candidate>& alive) const {
    const std::int32_t length = at(kSlotSteps);
    std::int32_t ancestors[kMaxBeam];
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::int64_t b = 0; b < tables.B; ++b) ancestors[b] = cells(alive[b].row)[t];
      for (std::int64_t b = 0; b < tables.B; ++b) cells(b)[t] = ancestors[b];
    }
    for (std::int64_t b = 0; b < tables.B; ++b) {
      tables.ids[row(b)] = alive[b].word;
      tables.lengths[row(b)] = length;
      tables.forced[row(b)] = b == 0 ? forced_after(length) : kNoWord;
      cells(b)[length] = own_cell(b, length);
    }
  }

  // Whether the search ends after this step.
  bool is_over(const BeamRules& rules) const {
    const std::int32_t ended = at(kSlotEnded);
    if (at(kSlotAlive) == 0 || at(kSlotSteps) >= at(kSlotLimit)) return true;
    if (rules.ends_when_full) return ended >= tables.B;
    if (ended < rules.n_best) return false;
    // Can a live hypothesis still beat the worst of the wanted results? Log-probabilities only fall from here, and no
    // penalty is larger than that of the longest hypothesis.
    double best_log_p = log_p(0);
    for (std::int32_t b = 1; b < at(kSlotAlive); ++b) best_log_p = std::max(best_log_p, log_p(b));
    const double worst = tables.ended_p[slot * 2 * tables.B + 2 * rules.n_best - 1];
    return worst > best_log_p / tables.penalties[at(kSlotLimit)];
  }

  // Takes one step; returns whether the search is over.
  template <class T>
  bool step(const BestWords& best, const BeamRules& rules) const {
    std::vector<Candidate> candidates;
    if (!collect<T>(best, rules, candidates)) {
      make_idle(kSlotFailed);
      return true;
    }
    if (!candidates.empty()) {  // without candidates the search ends, and the live hypotheses stay as they are
      const std::vector<Candidate> alive = choose(candidates);
      if (!is_over(rules)) {
        inherit(alive);
        return false;
      }
    }
    make_idle(kSlotIdle);
    return true;
  }
};

}  // namespace

void Beam::do_beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                         const BeamTables& tables) const {
  const std::int32_t* words = prefixes ? prefixes.data<const std::int32_t>() : nullptr;
  launch(entering.rows(), [&](std::int64_t i) {
    const std::int32_t* one = entering.data<std::int32_t>() + i * kEnteringColumns;
    Slot{tables, one[kEnteringSlot]}.start(one, words, start);
  });
}

void Beam::do_beam_move(const Array& moves, const BeamTables& tables) const {
  launch(moves.rows(), [&](std::int64_t i) {
    const std::int32_t* move = moves.data<std::int32_t>() + 2 * i;
    Slot{tables, move[0]}.move_to(Slot{tables, move[1]});
  });
}

void Beam::do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const {
  const std::int64_t R = best.ids.rows();
  dispatch(best.logits.dtype(), [&]<class T>() {
    expect_elements<T>({&best.logits, &best.log_sums, &best.asked_logits});
    launch(R / tables.B, [&](std::int64_t s) {
      const Slot slot{tables, s};
      if (slot.at(kSlotState) != kSlotSearching || !slot.step<T>(best, rules)) return;
      std::atomic_ref(*tables.done).fetch_add(1, std::memory_order_relaxed);
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
