// The contract of the beam search kernels: beam search for many sentences at once, with all its state in arrays on the
// device. It chooses the same hypotheses as decode/search/beam.h, which searches for one sentence on the host.
//
// There are S slots, and a slot holds at most one search. In every decoding step slot s owns the B rows
// [s B, (s + 1) B). The live hypotheses use the first of these rows; the others are padding: they are computed, and
// nobody reads the result. A slot without a search, or whose search is over, is idle: its rows read PAD and write their
// keys and values into cells that belong to no search.
//
// A search may have a prefix: words that its hypotheses must begin with. While the prefix lasts, the search has one
// hypothesis, in row 0 of its slot, and a step extends it by the next word of the prefix. best_words supplies the
// word's logit (BestWords::asked).
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/best_words.h"

namespace dragoman {

inline constexpr std::int64_t kMaxBeam = 16;

struct BeamRules {
  std::int64_t choices = 8;     // how many of the best extensions a step considers: 2 B
  std::int64_t n_best = 1;      // number of results that the caller wants
  std::int64_t min_length = 0;  // least number of tokens of a translation, EOS included
  bool ends_when_full = false;  // stop as soon as B hypotheses have ended; default: when no live one can still win
};

// The columns of BeamSlots::slots: the state of one slot's search.
enum SlotColumn : std::int32_t {
  kSlotState,      // a SlotState
  kSlotSteps,      // steps taken so far, which is the number of tokens of its hypotheses
  kSlotAlive,      // number of live hypotheses; after the search, of those that were live at its end
  kSlotEnded,      // number of ended hypotheses that are kept: the best B at most
  kSlotLimit,      // most steps that it may take
  kSlotFirstCell,  // token t of row b goes to cell first + b limit + t
  kSlotPrefix,     // number of words of the prefix
  kSlotGiven,      // so many words of the prefix count as certain: they add nothing to the log-probability
  kSlotColumns,
};
enum SlotState : std::int32_t {
  kSlotIdle = 0,
  kSlotSearching = 1,
  kSlotFailed = 2,  // the model's scores are NaN or infinite
};

struct BeamSlots {
  // Inputs of the decoding step, one entry per row.
  Array ids;                         // int32 [S B]
  Array lengths;                     // int32 [S B]: number of tokens before the current one
  Array cells;                       // int32 [S B, T], as in CachedKeys; T is the largest step limit of a search
  Array memory_first, memory_count;  // int32 [S B], as in MemoryRows
  Array forced;                      // int32 [S B]: the word of the prefix that must come next; kNoWord if any may

  Array slots;  // int32 [S, kSlotColumns]
  Array log_p;  // float64 [S, B]: log-probabilities of the live hypotheses, best first
  // "The row it extends" is a number within the slot: 0 to B - 1.
  Array ended;    // int32 [S, 2 B]: for each ended hypothesis, best first: the step of its EOS, the row it extends
  Array ended_p;  // float64 [S, 2 B]: for each ended hypothesis, in the same order: log-probability, score
  // int32 [T, S B]: for each step and row: B * (the chosen word) + the row it extends. The words of a prefix are in row
  // 0 of the slot from the start.
  Array history;
  Array penalties;  // float64 [T + 1]: score = log-probability / penalties[number of tokens]
  Array done;       // int32 [1]: counts the searches that have ended since the caller last set it

  std::int64_t idle_cells = 0;  // an idle row r writes its keys and values into cell idle_cells + r

  std::int64_t beam() const { return log_p.cols(); }
};

// The columns of `entering`, which has one row for each search to begin. A limit of 0 makes the slot idle.
enum EnteringColumn : std::int32_t {
  kEnteringSlot,
  kEnteringLimit,
  kEnteringFirstCell,
  kEnteringMemoryFirst,
  kEnteringMemoryCount,
  kEnteringPrefix,     // number of words of the prefix, which must be below the limit,
  kEnteringFirstWord,  // the place of the first of them in `prefixes`,
  kEnteringGiven,      // and how many of them count as certain
  kEnteringColumns,
};

struct BeamTables;

class BeamKernels {
 public:
  virtual ~BeamKernels() = default;

  // Begins searches, each with one hypothesis whose first input is the token `start`. entering is int32
  // [n, kEnteringColumns]; prefixes is int32 [words of all prefixes], or absent if there are none.
  void beam_start(const Array& entering, const Array& prefixes, std::int32_t start, const BeamSlots& slots) const;
  // Moves running searches to other slots: moves is int32 [n, 2], the old and the new slot. The old slots become idle.
  // No slot may be both an old and a new one.
  void beam_move(const Array& moves, const BeamSlots& slots) const;
  // One step of the first slots, as many as `best` has rows for. Takes the best extensions of the live hypotheses, in
  // the order of score (best first), then row, then word: one that ends with EOS is stored in `ended`, the others live
  // on. `best` must hold at least rules.choices words per row, and one more while EOS is not yet allowed; and the
  // logits of the words in slots.forced as asked_logits. A word of a prefix is chosen even if it is EOS and comes
  // before rules.min_length.
  // When a search is over, the keys and values in its cells stay as they are; its rows become idle.
  void beam_step(const BestWords& best, const BeamRules& rules, const BeamSlots& slots) const;

 private:
  virtual void do_beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                             const BeamTables& tables) const = 0;
  virtual void do_beam_move(const Array& moves, const BeamTables& tables) const = 0;
  virtual void do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const = 0;
};

// BeamSlots as plain pointers, for the kernels. Throws ShapeError if the shapes do not fit each other.
struct BeamTables {
  std::int64_t S = 0, B = 0, T = 0, idle_cells = 0;
  std::int32_t *ids = nullptr, *lengths = nullptr, *cells = nullptr, *memory_first = nullptr, *memory_count = nullptr,
               *forced = nullptr;
  std::int32_t *slots = nullptr, *ended = nullptr, *history = nullptr, *done = nullptr;
  double *log_p = nullptr, *ended_p = nullptr;
  const double* penalties = nullptr;

  explicit BeamTables(const BeamSlots& of);
};

}  // namespace dragoman
