// Batches described by the lengths of their sentences, since the time of a step depends on these and not on the text.
// In a file, a line is a pair of sentences, "n_source n_target" in tokens including EOS, and an empty line ends a
// batch.
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

// A batch of `tokens` tokens on each side, in sentences of `sentence` tokens; the last one may be shorter.
BatchLengths equal_lengths(std::int64_t tokens, std::int64_t sentence);

// Throws an Error if the file cannot be read, and a UsageError that names the line if a line has another form.
std::vector<BatchLengths> read_batch_lengths(const std::string& path);
// The batch in the format of the file.
std::string to_text(const BatchLengths& batch);

// A batch of sentences of these lengths. Ids are drawn at random from all but the special ones.
data::HostBatch random_batch(const BatchLengths& lengths, const data::BatchOptions& options);

}  // namespace dragoman::bench
