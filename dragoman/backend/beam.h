// Beam search for many sentences at once, with all that it remembers in arrays of the device: the contract. It chooses
// what decode/beam.h chooses for one sentence on the host.
//
// A search has one of S slots, and B rows in every step: those of slot s are s B up to (s + 1) B. Its hypotheses have
// the first of them; the rest are computed for nothing. A slot whose search is over, or that never had one, rests: its
// rows read PAD and put their keys and values into cells of their own.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/best_words.h"

namespace dragoman {

inline constexpr std::int64_t kMostBeam = 16;

struct BeamRules {
  std::int64_t choices = 8;     // extensions of each step that are looked at, the best ones: 2 B
  std::int64_t asked = 1;       // results that are wanted
  std::int64_t min_length = 0;  // tokens of a translation, EOS included, at least
  bool ends_when_full = false;  // as soon as B have ended, and not when nothing alive can still win
};

// What is known of a slot's search.
enum SlotColumn : std::int32_t {
  kSlotState,      // a SlotState
  kSlotSteps,      // that it has taken: tokens of its hypotheses
  kSlotAlive,      // hypotheses that go on, or that the limit cut short
  kSlotEnded,      // hypotheses that have ended, and are among the best that have
  kSlotLimit,      // steps that it may take
  kSlotFirstCell,  // token t of row b goes to cell first + b limit + t
  kSlotColumns,
};
enum SlotState : std::int32_t {
  kSlotRests = 0,
  kSlotSearches = 1,
  kSlotFailed = 2,  // the model's scores are not numbers
};

struct BeamSlots {
  // What a decoding step reads, by row.
  Array ids;                         // int32 [S B]
  Array lengths;                     // int32 [S B]: tokens before this one
  Array cells;                       // int32 [S B, T], as in CachedKeys; T is the most steps that a search may take
  Array memory_first, memory_count;  // int32 [S B], as in MemoryRows

  Array slots;      // int32 [S, kSlotColumns]
  Array log_p;      // float64 [S, B]: of those alive, the best first
  Array ended;      // int32 [S, 2 B]: of those that have ended, the best first: the step of EOS, and the row before it
  Array ended_p;    // float64 [S, 2 B]: their log-probabilities and scores
  Array history;    // int32 [T, S B]: B * (the word that was chosen at this step) + the row that it extends
  Array penalties;  // float64 [T + 1]: what log-probabilities of so many tokens are divided by
  Array done;       // int32 [1]: how many searches have come to their end since it was set

  std::int64_t resting_cells = 0;  // row r puts what it computes for nothing into cell resting_cells + r

  std::int64_t beam() const { return log_p.cols(); }
};

// A search that begins: columns of `entering`. One with limit 0 makes its slot rest.
enum EnteringColumn : std::int32_t {
  kEnteringSlot,
  kEnteringLimit,
  kEnteringFirstCell,
  kEnteringMemoryFirst,
  kEnteringMemoryCount,
  kEnteringColumns,
};

struct BeamTables;

class BeamKernels {
 public:
  virtual ~BeamKernels() = default;

  // Begins searches with one hypothesis each, which reads `start`. entering is int32 [n, kEnteringColumns].
  void beam_start(const Array& entering, std::int32_t start, const BeamSlots& slots) const;
  // Brings searches that are under way to other slots: moves is int32 [n, 2], from and to. The slots that they leave
  // rest. No slot is both left and entered.
  void beam_move(const Array& moves, const BeamSlots& slots) const;
  // One step of the first slots, as many as `best` has rows for: the best extensions of what is alive, by score and
  // then by row and word, go on or are put aside if they end. `best` names at least rules.choices words a row, and one
  // more while EOS is too early. A search that is over leaves its cells as they are, but for those where its slot
  // rests.
  void beam_step(const BestWords& best, const BeamRules& rules, const BeamSlots& slots) const;

 private:
  virtual void do_beam_start(const Array& entering, std::int32_t start, const BeamTables& tables) const = 0;
  virtual void do_beam_move(const Array& moves, const BeamTables& tables) const = 0;
  virtual void do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const = 0;
};

// The same as plain addresses, for the kernels. Throws ShapeError for shapes that do not fit each other.
struct BeamTables {
  std::int64_t S = 0, B = 0, T = 0, resting_cells = 0;
  std::int32_t *ids = nullptr, *lengths = nullptr, *cells = nullptr, *memory_first = nullptr, *memory_count = nullptr;
  std::int32_t *slots = nullptr, *ended = nullptr, *history = nullptr, *done = nullptr;
  double *log_p = nullptr, *ended_p = nullptr;
  const double* penalties = nullptr;

  explicit BeamTables(const BeamSlots& of);
};

}  // namespace dragoman
