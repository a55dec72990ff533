// Reads and writes the tensors of a model in a safetensors file. A matrix may be stored rounded to 8-bit integers. Then
// the file also has NAME.scale, with one number for each column, [1, out], or, for an embedding, for each row, [V, 1].
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/model/safetensors.h"
#include "dragoman/nn/parameters.h"

namespace dragoman::model {

// The label of a model's tensor.
TensorLabel label_of(const nn::NamedTensor& tensor, StoredType type = StoredType::kF32);
// The label of a tensor's scales.
TensorLabel scales_of(const nn::NamedTensor& tensor);

// Writes the tensors' values as float32. Returns the Hash of the file in hex.
std::string write_safetensors(const std::filesystem::path& path, Backend& on, std::span<const nn::NamedTensor> tensors);

// Throws an Error unless the file holds exactly these names with these shapes, and scales for the rounded tensors.
void check_tensors(const SafetensorsFile& file, std::span<const nn::NamedTensor> tensors);

// kInt8 if the file holds a rounded tensor, otherwise kFloat32.
WeightForm stored_form(const SafetensorsFile& file);

// Which values a tensor may hold: any, finite ones, or finite ones that are not negative.
enum class Values : std::uint8_t { kAny, kFinite, kNotNegative };

// Calls check_tensors(), then reads every tensor of the list into its memory, plain or packed. Numbers and rounded
// integers are converted to the type of the memory. Needs extra memory for at most one tensor. Throws an Error if a
// value is not allowed.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const nn::NamedTensor> tensors,
                  Values values = Values::kAny);
// The same with a rule for each tensor.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const nn::NamedTensor> tensors,
                  const std::function<Values(const nn::NamedTensor&)>& values);

// Reads rows of a tensor as floats, from row `first` on. Rounded values become integer times scale.
void read_rows(const SafetensorsFile& file, const nn::NamedTensor& tensor, std::int64_t first, std::span<float> values);

// A rounded tensor, or some rows of one that has a scale for each row.
struct RoundedRows {
  std::vector<std::int8_t> integers;
  std::vector<float> scales;
};
RoundedRows read_rounded(const SafetensorsFile& file, const nn::NamedTensor& tensor, std::int64_t first,
                         std::int64_t rows);

}  // namespace dragoman::model
