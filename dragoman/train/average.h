// Averages the weights of several checkpoints (Section 6.1 of the paper).
#pragma once

#include <filesystem>
#include <span>

namespace dragoman::train {

// Writes the mean of the files' tensors to `output`. If that fails, an existing file stays as it was. Values are summed
// in double precision, in the order of the files. If a weight is the same in all files, the result has the same bits.
// Throws an Error if the files do not have the same tensors.
void average_weights(std::span<const std::filesystem::path> files, const std::filesystem::path& output);

}  // namespace dragoman::train
