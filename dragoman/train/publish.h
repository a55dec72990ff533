// The weights that a model directory offers to translate with, and the checkpoints that it keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "dragoman/nn/parameters.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run_state.h"

namespace dragoman::train {

// Where the best validated weights are kept.
std::filesystem::path best_weights(const std::filesystem::path& directory);

// Writes tensors to a file that appears whole or not at all.
void write_weights(const std::filesystem::path& file, Backend& on, std::span<const nn::NamedTensor> tensors);

// Replaces model.safetensors: the mean of the last K checkpoints with --average K, else the moving average, else the
// best validated weights, else the latest. `average` holds the moving average's tensors, if there is one. Returns a
// few words on which it was.
std::string publish_weights(const std::filesystem::path& directory, const RunState& state, Backend& on,
                            std::span<const nn::NamedTensor> weights, std::span<const nn::NamedTensor> average);

// The weights of the latest `count` checkpoints that were scheduled, oldest first; fewer if there are not so many.
std::vector<std::filesystem::path> latest_weights(const std::filesystem::path& directory, std::int64_t count);

// Removes checkpoints that nobody will need: all but the latest `keep`, of which those that were not scheduled go as
// soon as there is a later one.
void prune_checkpoints(const std::filesystem::path& directory, std::int64_t keep);

}  // namespace dragoman::train
