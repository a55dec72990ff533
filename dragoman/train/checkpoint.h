// Checkpoints: directories named checkpoints/step-N that hold all a run needs to go on as if it had never stopped. Each
// appears whole or not at all, and its checksums tell if it was damaged since.
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

// By rising step; what is not finished is not among them. Throws an Error if the directory cannot be read.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& model_directory);

// The tensors that a checkpoint holds.
struct TrainingTensors {
  std::vector<params::NamedTensor> weights;
  // Of the optimiser, and the moving average: their names begin with "m.", "v." (second moments) and "average.".
  std::vector<params::NamedTensor> moments;
};

// Writes aside, flushes and renames. At any failure the older checkpoints stay as they are.
Checkpoint write_checkpoint(const std::filesystem::path& model_directory, std::int64_t step, Backend& on,
                            const TrainingTensors& tensors, const Json& state);

// What `state` was, once all checksums are found right. Throws a DamagedFile that names the file if one is missing or
// was changed, and another Error if one cannot be read: nothing is known about its bytes then.
Json read_state(const Checkpoint& checkpoint);
// The same without looking at checksums: for checkpoints that this run wrote or read before.
Json read_unchecked_state(const Checkpoint& checkpoint);
// Throws an Error if a tensor holds anything but numbers, or second moments hold negative ones.
void read_tensors(const Checkpoint& checkpoint, Backend& on, const TrainingTensors& tensors);

// The weights alone.
std::filesystem::path weights_of(const Checkpoint& checkpoint);

// Removes a checkpoint, so that no half of it is ever taken for a whole one.
void remove_checkpoint(const Checkpoint& checkpoint);
// Gives a damaged checkpoint a name that nothing takes for a checkpoint's.
void set_aside_damaged(const Checkpoint& checkpoint);
// Removes what killed runs left unfinished: checkpoints, and files of the run.
void remove_remnants(const std::filesystem::path& model_directory);

}  // namespace dragoman::train
