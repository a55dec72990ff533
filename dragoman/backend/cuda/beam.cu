// Beam search on the device. In a step one warp works on one slot:
//   1. collect: its lanes score the extensions of the live hypotheses, and rank each by counting the better ones.
//   2. choose: lane 0 goes through the best extensions in order. Those that end with EOS are stored as ended, the
//      others become the new live hypotheses. It also decides whether the search is over.
//   3. inherit_cells: the lanes copy the cell tables, because each row now continues the past of another row.
//   4. The lanes write the inputs of the next step, one row each.
//
// Shared memory of a block, for each of its kSlotWarps warps:
//   | scores: n doubles | log_p: n doubles | words: n ints | order: `choices` ints |     n extensions (Candidates)
//   | Chosen: what the rows of the slot continue with |
#include "dragoman/backend/cuda/beam.h"

#include <algorithm>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kSlotWarps = 2, kThreads = kSlotWarps * kWarp;
constexpr int kMoveThreads = 128;

// One slot of the tables, which backend/beam.h describes.
struct Slot {
  const BeamTables& tables;
  std::int64_t slot;

  __device__ int B() const { return static_cast<int>(tables.B); }
  __device__ std::int64_t row(int b) const { return slot * tables.B + b; }
  __device__ std::int32_t& at(SlotColumn column) const { return tables.slots[slot * kSlotColumns + column]; }
  __device__ std::int32_t* cells(int b) const { return tables.cells + row(b) * tables.T; }
  __device__ std::int32_t* history(int step) const { return tables.history + step * tables.S * tables.B + row(0); }
  __device__ std::int32_t* ended() const { return tables.ended + slot * 2 * tables.B; }
  __device__ double* ended_p() const { return tables.ended_p + slot * 2 * tables.B; }
  // Makes row b idle.
  __device__ void make_idle(int b) const {
    tables.ids[row(b)] = kPad;
    tables.lengths[row(b)] = 0;
    tables.forced[row(b)] = kNoWord;
    cells(b)[0] = static_cast<std::int32_t>(tables.idle_cells + row(b));
  }
};

// Begins searches: one block, which is a warp, for each row of `entering`.
__global__ void start_kernel(BeamTables tables, const std::int32_t* entering, const std::int32_t* prefixes,
                             std::int32_t start) {
  const std::int32_t* fields = entering + static_cast<std::int64_t>(blockIdx.x) * kEnteringColumns;
  const Slot slot{tables, fields[kEnteringSlot]};
  const int b = threadIdx.x, limit = fields[kEnteringLimit], first_cell = fields[kEnteringFirstCell];
  const int prefix = fields[kEnteringPrefix];
  prefixes += fields[kEnteringFirstWord];
  for (int t = threadIdx.x; t < prefix; t += kWarp) slot.history(t)[0] = prefixes[t] * slot.B();
  if (b == 0) {
    slot.at(kSlotState) = limit > 0 ? kSlotSearching : kSlotIdle;
    slot.at(kSlotSteps) = 0;
    slot.at(kSlotAlive) = 1;
    slot.at(kSlotEnded) = 0;
    slot.at(kSlotLimit) = limit;
    slot.at(kSlotFirstCell) = first_cell;
    slot.at(kSlotPrefix) = prefix;
    slot.at(kSlotGiven) = fields[kEnteringGiven];
  }
  if (b >= slot.B()) return;
  tables.memory_first[slot.row(b)] = fields[kEnteringMemoryFirst];
  tables.memory_count[slot.row(b)] = fields[kEnteringMemoryCount];
  tables.log_p[slot.row(b)] = b == 0 ? 0 : -INFINITY;
  if (limit > 0) {
    tables.ids[slot.row(b)] = start;
    tables.lengths[slot.row(b)] = 0;
    tables.forced[slot.row(b)] = b == 0 && prefix > 0 ? prefixes[0] : kNoWord;
    slot.cells(b)[0] = first_cell + b * limit;
  } else {
    slot.make_idle(b);
  }
}

// Moves searches to other slots: one block for each.
__global__ void move_kernel(BeamTables tables, const std::int32_t* moves) {
  const Slot from{tables, moves[2 * blockIdx.x]}, to{tables, moves[2 * blockIdx.x + 1]};
  const int B = from.B(), steps = from.at(kSlotSteps), cells = min(static_cast<int>(tables.T), steps + 1);
  for (int i = threadIdx.x; i < B * cells; i += kMoveThreads)
    to.cells(i / cells)[i % cells] = from.cells(i / cells)[i % cells];
  const int filled = max(steps, from.at(kSlotPrefix));  // steps of the history
  for (int i = threadIdx.x; i < B * filled; i += kMoveThreads) to.history(i / B)[i % B] = from.history(i / B)[i % B];
  const int i = threadIdx.x;
  if (i < kSlotColumns) (&to.at(kSlotState))[i] = (&from.at(kSlotState))[i];
  if (i < 2 * B) {
    to.ended()[i] = from.ended()[i];
    to.ended_p()[i] = from.ended_p()[i];
  }
  if (i < B) {
    tables.ids[to.row(i)] = tables.ids[from.row(i)];
    tables.lengths[to.row(i)] = tables.lengths[from.row(i)];
    tables.memory_first[to.row(i)] = tables.memory_first[from.row(i)];
    tables.memory_count[to.row(i)] = tables.memory_count[from.row(i)];
    tables.forced[to.row(i)] = tables.forced[from.row(i)];
    tables.log_p[to.row(i)] = tables.log_p[from.row(i)];
  }
  __syncthreads();
  if (i == 0) from.at(kSlotState) = kSlotIdle;
  if (i < B) from.make_idle(i);
}

// The best words of each row, as best_words found them.
struct TopWords {
  const std::int32_t* ids;
  const float *logits, *log_sums, *asked_logits;
  std::int64_t ids_stride, logits_stride;
  int k;
};

struct Rules {
  int choices, n_best, min_length;
  bool ends_when_full;
};

// The extensions of a slot's live hypotheses, n at most, in shared memory.
struct Candidates {
  double *scores, *log_p;
  int *words, *order;  // order[i] is the number of the i-th best extension

  static std::size_t bytes(int n, int choices) {
    return static_cast<std::size_t>(divide_up(n * (2 * sizeof(double) + sizeof(int)) + choices * sizeof(int), 8) * 8);
  }
  __device__ Candidates(char* shared, int n)
      : scores(reinterpret_cast<double*>(shared)),
        log_p(scores + n),
        words(reinterpret_cast<int*>(log_p + n)),
        order(words + n) {}
};

// What the rows of a slot continue with: row b extends the old row rows[b] by words[b].
struct Chosen {
  double log_p[kMaxBeam];
  int rows[kMaxBeam], words[kMaxBeam];
  int alive;
  bool over;
};

// Step 1. Scores the extensions of the live hypotheses and ranks the best rules.choices of them in candidates.order.
// Returns how many are ranked, or -1 if the model's scores are NaN or infinite.
__device__ int collect(const Slot& slot, const TopWords& top, const Rules& rules, const Candidates& candidates) {
  const int lane = threadIdx.x % kWarp, length = slot.at(kSlotSteps) + 1;
  const bool too_early = length < rules.min_length;  // to end with EOS
  const int per_row = min(top.k, rules.choices + (too_early ? 1 : 0)), n = slot.at(kSlotAlive) * per_row;
  const double divisor = slot.tables.penalties[length];
  bool failed = false;
  int valid = 0;
  for (int i = lane; i < n; i += kWarp) {
    const std::int64_t row = slot.row(i / per_row);
    const int word = top.ids[row * top.ids_stride + i % per_row];
    const float log_sum = top.log_sums[row];
    failed = failed || !isfinite(log_sum);
    double log_p = slot.tables.log_p[row] + (static_cast<double>(top.logits[row * top.logits_stride + i % per_row]) -
                                             static_cast<double>(log_sum));
    if (word == kNoWord || (too_early && word == kEos)) log_p = -INFINITY;
    valid += log_p != -INFINITY;
    candidates.log_p[i] = log_p;
    candidates.scores[i] = log_p / divisor;
    candidates.words[i] = word;
  }
  failed = __any_sync(kAllLanes, failed);
  valid = warp_sum(valid);
  __syncwarp();
  if (failed) return -1;
  // The rank of an extension is the number of better ones: by score, then by row, then by word.
  for (int i = lane; i < n; i += kWarp) {
    if (candidates.log_p[i] == -INFINITY) continue;
    const double score = candidates.scores[i];
    const int word = candidates.words[i], first = i - i % per_row, end = first + per_row;  // its own row's extensions
    int better = 0;
    for (int other = 0; other < n; ++other) {
      const double theirs = candidates.scores[other];
      better +=
          theirs > score || (theirs == score && (other < first || (other < end && candidates.words[other] < word)));
    }
    if (better < rules.choices) candidates.order[better] = i;
  }
  __syncwarp();
  return min(valid, rules.choices);
}

// Stores a hypothesis that ended, if it is among the best B. The list is sorted by score; of equal scores the older one
// stays first.
__device__ void add_ended(const Slot& slot, int step, int row, double log_p, double score) {
  std::int32_t* ended = slot.ended();
  double* ended_p = slot.ended_p();
  const int count = slot.at(kSlotEnded);
  int place = count;
  while (place > 0 && score > ended_p[2 * place - 1]) --place;
  if (place == slot.B()) return;
  const int new_count = min(count + 1, slot.B());
  for (int i = new_count - 1; i > place; --i) {
    ended[2 * i] = ended[2 * i - 2];
    ended[2 * i + 1] = ended[2 * i - 1];
    ended_p[2 * i] = ended_p[2 * i - 2];
    ended_p[2 * i + 1] = ended_p[2 * i - 1];
  }
  ended[2 * place] = step;
  ended[2 * place + 1] = row;
  ended_p[2 * place] = log_p;
  ended_p[2 * place + 1] = score;
  slot.at(kSlotEnded) = new_count;
}

// Whether the search is over after this step.
__device__ bool is_over(const Slot& slot, int length, const Rules& rules, const Chosen& chosen) {
  const int limit = slot.at(kSlotLimit), ended = slot.at(kSlotEnded);
  if (chosen.alive == 0 || length >= limit) return true;
  if (rules.ends_when_full) return ended >= slot.B();
  if (ended < rules.n_best) return false;
  // A log-probability only falls as the hypothesis grows, and no penalty is larger than that of the longest. So this is
  // the best score that a live hypothesis can still reach.
  double best_log_p = chosen.log_p[0];
  for (int b = 1; b < chosen.alive; ++b) best_log_p = fmax(best_log_p, chosen.log_p[b]);
  return slot.ended_p()[2 * rules.n_best - 1] > best_log_p / slot.tables.penalties[limit];
}

// Step 1 while the prefix lasts: its next word is the only extension.
__device__ int collect_forced(const Slot& slot, const TopWords& top, int word, const Candidates& candidates) {
  const int step = slot.at(kSlotSteps);
  const float log_sum = top.log_sums[slot.row(0)];
  if (!isfinite(log_sum)) return -1;
  if (threadIdx.x % kWarp == 0) {
    double log_p = slot.tables.log_p[slot.row(0)];
    if (step >= slot.at(kSlotGiven)) {
      log_p += static_cast<double>(top.asked_logits[slot.row(0)]) - static_cast<double>(log_sum);
    }
    candidates.log_p[0] = log_p;
    candidates.scores[0] = log_p / slot.tables.penalties[step + 1];
    candidates.words[0] = word;
    candidates.order[0] = 0;
  }
  __syncwarp();
  return 1;
}

// Step 2, by one lane: goes through the best extensions in order.
__device__ void choose(const Slot& slot, int kept, int per_row, const Rules& rules, const Candidates& candidates,
                       Chosen& chosen) {
  const int step = slot.at(kSlotSteps);
  int alive = 0;
  for (int c = 0; c < kept; ++c) {
    const int i = candidates.order[c], word = candidates.words[i];
    if (word == kEos) {
      add_ended(slot, step, i / per_row, candidates.log_p[i], candidates.scores[i]);
    } else if (alive < slot.B()) {
      chosen.rows[alive] = i / per_row;
      chosen.words[alive] = word;
      chosen.log_p[alive++] = candidates.log_p[i];
    }
  }
  chosen.alive = alive;
  for (int b = alive; b < slot.B(); ++b) {  // padding rows
    chosen.rows[b] = 0;
    chosen.words[b] = kPad;
    chosen.log_p[b] = -INFINITY;
  }
  chosen.over = is_over(slot, step + 1, rules, chosen);
}

// Step 3. Row b of the slot takes over the cells of row chosen.rows[b]. A lane handles all rows of one token: it reads
// all of them before it writes any, so that no row is overwritten too early.
__device__ void inherit_cells(const Slot& slot, int length, const Chosen& chosen) {
  for (int t = threadIdx.x % kWarp; t < length; t += kWarp) {
    std::int32_t ancestors[kMaxBeam];
#pragma unroll
    for (int b = 0; b < kMaxBeam; ++b) {
      if (b < slot.B()) ancestors[b] = slot.cells(chosen.rows[b])[t];
    }
#pragma unroll
    for (int b = 0; b < kMaxBeam; ++b) {
      if (b < slot.B()) slot.cells(b)[t] = ancestors[b];
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    step_kernel(BeamTables tables, TopWords top, Rules rules, int slots, int candidates_bytes) {
  extern __shared__ double shared[];
  __shared__ Chosen all_chosen[kSlotWarps];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const Slot slot{tables, static_cast<std::int64_t>(blockIdx.x) * kSlotWarps + warp};
  if (slot.slot >= slots || slot.at(kSlotState) != kSlotSearching) return;
  const int B = slot.B(), length = slot.at(kSlotSteps) + 1, limit = slot.at(kSlotLimit),
            first_cell = slot.at(kSlotFirstCell), prefix = slot.at(kSlotPrefix), forced = tables.forced[slot.row(0)];
  const int per_row = min(top.k, rules.choices + (length < rules.min_length ? 1 : 0));
  const Candidates candidates(reinterpret_cast<char*>(shared) + warp * candidates_bytes, slot.at(kSlotAlive) * per_row);
  Chosen& chosen = all_chosen[warp];

  const int kept =
      forced == kNoWord ? collect(slot, top, rules, candidates) : collect_forced(slot, top, forced, candidates);
  if (kept <= 0) {  // no extension: the search ends, and its live hypotheses stay as they are
    if (lane == 0) {
      slot.at(kSlotState) = kept < 0 ? kSlotFailed : kSlotIdle;
      atomicAdd(tables.done, 1);
    }
    if (lane < B) slot.make_idle(lane);
    return;
  }
  if (lane == 0) choose(slot, kept, per_row, rules, candidates, chosen);
  __syncwarp();
  const bool over = chosen.over;
  // Steps 3 and 4.
  if (!over) inherit_cells(slot, length, chosen);
  if (lane < B) {
    slot.history(length - 1)[lane] = chosen.words[lane] * B + chosen.rows[lane];
    tables.log_p[slot.row(lane)] = chosen.log_p[lane];
    if (over) {
      slot.make_idle(lane);
    } else {
      tables.ids[slot.row(lane)] = chosen.words[lane];
      tables.lengths[slot.row(lane)] = length;
      tables.forced[slot.row(lane)] = lane == 0 && length < prefix ? slot.history(length)[0] / B : kNoWord;
      slot.cells(lane)[length] = first_cell + lane * limit + length;
    }
  }
  if (lane == 0) {
    slot.at(kSlotSteps) = length;
    slot.at(kSlotAlive) = chosen.alive;
    if (over) {
      slot.at(kSlotState) = kSlotIdle;
      atomicAdd(tables.done, 1);
    }
  }
}

}  // namespace

void Beam::do_beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                         const BeamTables& tables) const {
  launch(*this, start_kernel, entering.rows(), kWarp, 0, tables, elements<const std::int32_t>(entering),
         elements<const std::int32_t>(prefixes), start);
}

void Beam::do_beam_move(const Array& moves, const BeamTables& tables) const {
  launch(*this, move_kernel, moves.rows(), kMoveThreads, 0, tables, elements<const std::int32_t>(moves));
}

void Beam::do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const {
  const std::int64_t R = best.ids.rows(), k = best.ids.cols();
  const TopWords top{.ids = elements<const std::int32_t>(best.ids),
                     .logits = elements<const float>(best.logits),
                     .log_sums = elements<const float>(best.log_sums),
                     .asked_logits = elements<const float>(best.asked_logits),
                     .ids_stride = best.ids.row_stride(),
                     .logits_stride = best.logits.row_stride(),
                     .k = static_cast<int>(k)};
  const Rules step_rules{.choices = static_cast<int>(rules.choices),
                         .n_best = static_cast<int>(rules.n_best),
                         .min_length = static_cast<int>(rules.min_length),
                         .ends_when_full = rules.ends_when_full};
  const int candidates = static_cast<int>(tables.B * std::min(k, rules.choices + 1));
  const std::size_t bytes = Candidates::bytes(candidates, step_rules.choices);
  const std::int64_t count = R / tables.B;
  launch(*this, step_kernel, divide_up(count, kSlotWarps), kThreads, kSlotWarps * bytes, tables, top, step_rules,
         static_cast<int>(count), static_cast<int>(bytes));
}

}  // namespace dragoman::cuda
