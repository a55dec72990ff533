// The records of a training run as a table.
#pragma once

#include <span>
#include <string>

#include "dragoman/base/json.h"

namespace dragoman::train {

// Comma-separated values: a header line with the keys of metrics.jsonl, then a line for each record. A cell is empty if
// the record has no such key, and nan if its number was not finite. Samples are left out.
std::string records_csv(std::span<const Json> records);

}  // namespace dragoman::train
