// Batches as the lengths of their sentences: what a step's time depends on, without the text. In a file a line is a
// pair of sentences, "n_source n_target" in tokens with EOS, and an empty line ends a batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/data/epoch.h"

namespace dragoman::bench {

using BatchLengths = std::vector<data::PairLengths>;

std::int64_t source_tokens(const BatchLengths& batch);
std::int64_t target_tokens(const BatchLengths& batch);

// Sentences of `sentence` tokens on either side, the last one shorter if it has to be: `tokens` of each side in all.
BatchLengths equal_lengths(std::int64_t tokens, std::int64_t sentence);

// Throws an Error if the file cannot be read, and a UsageError that names the line for anything but such lines.
std::vector<BatchLengths> read_batch_lengths(const std::string& path);
std::string to_text(const BatchLengths& batch);

// Sentences of these lengths with ids drawn at random from all but the special ones.
data::HostBatch random_batch(const BatchLengths& lengths, const data::BatchOptions& options);

}  // namespace dragoman::bench
