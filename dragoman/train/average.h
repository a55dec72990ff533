// The mean of several checkpoints' weights (Section 6.1 of the paper).
#pragma once

#include <filesystem>
#include <span>

namespace dragoman::train {

// Writes the mean of the files' tensors to `output`, which appears whole or not at all. Values are summed in double, in
// the order of the files: the mean of equal weights is those weights, bit for bit. Throws an Error if the files do not
// hold the same tensors.
void average_weights(std::span<const std::filesystem::path> files, const std::filesystem::path& output);

}  // namespace dragoman::train
