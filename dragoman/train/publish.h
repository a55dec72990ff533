// The weights that a model directory offers to translate with, and the checkpoints that it keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/params/parameter.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run_state.h"

namespace dragoman::train {

// By rising step, without those made because the run was stopped: the ones that means are taken of.
std::vector<Checkpoint> scheduled_checkpoints(const std::filesystem::path& directory);

// Where the best validated weights are kept.
std::filesystem::path best_weights(const std::filesystem::path& directory);
// Keeps weights that are the best so far, under a name with their step: until a checkpoint knows of them, a run that is
// killed goes on from a state for which other weights are the best.
void write_best(const std::filesystem::path& directory, std::int64_t step, Backend& on,
                std::span<const params::NamedTensor> tensors);
// Gives the best weights that the newest checkpoint knows of their final name, and removes those it does not know of.
void settle_best(const std::filesystem::path& directory, const std::optional<Best>& best);

// Writes tensors to a file that appears whole or not at all.
void write_weights(const std::filesystem::path& file, Backend& on, std::span<const params::NamedTensor> tensors);

// Replaces model.safetensors: the mean of the last K checkpoints with --average K, else the moving average, else the
// best validated weights, else the latest. `average` holds the moving average's tensors, if there is one. Returns a
// few words on which it was.
std::string publish_weights(const std::filesystem::path& directory, const RunState& state, Backend& on,
                            std::span<const params::NamedTensor> weights, std::span<const params::NamedTensor> average);

// Removes checkpoints that nobody will need: all but the latest, and of those that were scheduled the latest `keep`,
// but two at least, so that a run can go on if one is damaged.
void prune_checkpoints(const std::filesystem::path& directory, std::int64_t keep);

}  // namespace dragoman::train
