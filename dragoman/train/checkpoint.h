// Checkpoints: directories named checkpoints/step-N with everything that a run needs to continue as if it had never
// stopped. A checkpoint is written under another name and renamed when it is complete. Its checksums show whether it
// was damaged later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/params/parameter.h"

namespace dragoman::train {

struct Checkpoint {
  std::filesystem::path path;
  std::int64_t step = 0;
};

// All complete checkpoints, ordered by step. Throws an Error if the directory cannot be read.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& model_directory);

// The tensors of a checkpoint.
struct TrainingTensors {
  std::vector<params::NamedTensor> weights;
  // The moments of the optimiser and the moving average. Their names begin with "m." and "v." (the second moments) or
  // "velocity.", and with "average.".
  std::vector<params::NamedTensor> moments;
};

// Writes under another name, flushes to disk and renames. If anything fails, the older checkpoints stay as they are.
Checkpoint write_checkpoint(const std::filesystem::path& model_directory, std::int64_t step, Backend& on,
                            const TrainingTensors& tensors, const Json& state);

// Checks all checksums and returns the `state` that was written. Throws a DamagedFile that names the file if one is
// missing or was changed. Throws an Error of another type if a file cannot be read: it may still be intact.
Json read_state(const Checkpoint& checkpoint);
// The same without checking, for checkpoints that this run has written or checked before.
Json read_unchecked_state(const Checkpoint& checkpoint);
// Reads the tensors of a checkpoint into `tensors`. Throws an Error if a value is not finite, or a second moment is
// negative.
void read_tensors(const Checkpoint& checkpoint, Backend& on, const TrainingTensors& tensors);

// The file of the weights.
std::filesystem::path weights_of(const Checkpoint& checkpoint);

// Removes a checkpoint. If that is interrupted, what is left does not look like a checkpoint.
void remove_checkpoint(const Checkpoint& checkpoint);
// Renames a damaged checkpoint, so that list_checkpoints no longer returns it.
void set_aside_damaged(const Checkpoint& checkpoint);
// Removes the unfinished checkpoints and files that killed runs left behind.
void remove_remnants(const std::filesystem::path& model_directory);

}  // namespace dragoman::train
