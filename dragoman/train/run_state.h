// The state of a training run that a checkpoint stores in addition to the weights and moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dragoman/base/json.h"
#include "dragoman/data/loader.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/plan.h"
#include "dragoman/train/report/figures.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// The best validation so far.
struct Best {
  std::int64_t step = 0;
  Figures scores;
};

// Sums over the updates since the last record in metrics.jsonl.
struct Window {
  Figures losses;  // each mean multiplied by the number of its target tokens
  double seconds = 0;
  std::int64_t target_tokens = 0;
};

struct RunState {
  std::int64_t step = 0;
  data::Position position;  // of the first batch of the next update
  // Sums over all sessions of the run.
  double seconds = 0;  // time spent training
  std::int64_t target_tokens = 0;
  double flops = 0, nominal_flops = 0;  // as in ProgressRecord

  Window window;
  std::optional<Best> best;
  std::int64_t validations_since_best = 0;
  bool scheduled = true;  // false for a checkpoint made because the run was stopped; averages leave it out

  TrainingSettings settings;
  MemoryPlan plan;
  std::string text_key;    // identifies the training text, its weights and how it was prepared
  std::string arithmetic;  // arithmetic_of() the device that computed it; empty in states of older programs
};

// Whether two texts of arithmetic_of() mean the same bits, as far as is known. Older programs wrote nothing, or a GPU
// without the number of its multiprocessors. On the CPU their exp had other bits.
bool is_same_arithmetic(const std::string& before, const std::string& now);

// "dragoman 0.1.0 (1234abc)": this program, as states name it.
std::string program_name();

Json to_json(const RunState& state);
// Throws an Error that begins with `where` for anything that to_json() does not write. It is an OtherVersion if another
// version of the program may have written it.
RunState run_state_from_json(const Json& object, std::string_view where);

// Checks all checksums of a checkpoint and returns its state. Throws a DamagedFile if the checkpoint is damaged, and
// another Error if it cannot be read or another version of the program wrote it.
RunState read_run_state(const Checkpoint& checkpoint);

}  // namespace dragoman::train
