// Looks at every number of a file of weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/model/files/safetensors.h"

namespace dragoman::health {

struct WeightsReport {
  std::int64_t tensors = 0, numbers = 0;
  std::string types;                 // "float32", or "float32 and int8"
  std::int64_t not_finite = 0;       // numbers that are infinite or not a number
  std::vector<std::string> damaged;  // names of the tensors that hold some
  std::vector<std::string> zero;     // names of the matrices in which every number is 0
};

// Needs memory for a part of one tensor. Throws an Error if the file cannot be read.
WeightsReport examine_weights(const model::SafetensorsFile& file);

}  // namespace dragoman::health
