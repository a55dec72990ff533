// Chooses the weights that a model directory offers for translation, and removes old checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/params/parameter.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run_state.h"

namespace dragoman::train {

// The checkpoints that may be averaged, ordered by step: all except those made because the run was stopped.
std::vector<Checkpoint> scheduled_checkpoints(const std::filesystem::path& directory);

// The file of the best validated weights.
std::filesystem::path best_weights(const std::filesystem::path& directory);
// Writes the best weights so far to a file that is named after their step. They get their final name only when a
// checkpoint has recorded them (settle_best): if the run is killed before, it resumes from a state for which other
// weights are the best.
void write_best(const std::filesystem::path& directory, std::int64_t step, Backend& on,
                std::span<const params::NamedTensor> tensors);
// Gives the best weights their final name if they are those that the newest checkpoint recorded; removes others.
void settle_best(const std::filesystem::path& directory, const std::optional<Best>& best);

// Writes tensors to a file. If that fails, an existing file stays as it was.
void write_weights(const std::filesystem::path& file, Backend& on, std::span<const params::NamedTensor> tensors);

// Replaces model.safetensors by the mean of the last K checkpoints (with --average K), else by the moving average, else
// by the best validated weights, else by the latest. `average` has the tensors of the moving average; empty if there is
// none. Returns a few words that say which weights were taken.
std::string publish_weights(const std::filesystem::path& directory, const RunState& state, Backend& on,
                            std::span<const params::NamedTensor> weights, std::span<const params::NamedTensor> average);

// Removes checkpoints that are no longer needed. Keeps the latest, and of the scheduled ones the latest `keep`, but at
// least two, so that a run can resume if one is damaged.
void prune_checkpoints(const std::filesystem::path& directory, std::int64_t keep);

}  // namespace dragoman::train
