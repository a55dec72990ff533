// The tensors of a model as a safetensors file. A matrix may be stored rounded to 8-bit integers; beside it then lies
// NAME.scale: one number for each column, [1, out], or, for vocabularies, for each row, [V, 1].
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

// The tensors' values as a file of float32; returns its Hash in hex.
std::string write_safetensors(const std::filesystem::path& path, Backend& on, std::span<const nn::NamedTensor> tensors);

// Throws an Error unless the file holds exactly these names with these shapes, and scales for what is rounded.
void check_tensors(const SafetensorsFile& file, std::span<const nn::NamedTensor> tensors);

// kInt8 if the file holds anything rounded.
WeightForm stored_form(const SafetensorsFile& file);

// What rows may hold: anything, numbers that one can compute with, or such numbers from 0 on.
enum class Values : std::uint8_t { kAny, kFinite, kNotNegative };

// Reads every tensor of the list after check_tensors(), each into its memory, plain or packed. Numbers and integers are
// converted to what the memory is of. No more than one tensor is held beside that.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const nn::NamedTensor> tensors,
                  Values values = Values::kAny);
// The same with a rule for each tensor.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const nn::NamedTensor> tensors,
                  const std::function<Values(const nn::NamedTensor&)>& values);

// Rows of a tensor, from `first` on, as numbers: those that were rounded come back as integer times scale.
void read_rows(const SafetensorsFile& file, const nn::NamedTensor& tensor, std::int64_t first, std::span<float> values);

// A rounded tensor, or some rows of one whose scales go by row.
struct RoundedRows {
  std::vector<std::int8_t> integers;
  std::vector<float> scales;
};
RoundedRows read_rounded(const SafetensorsFile& file, const nn::NamedTensor& tensor, std::int64_t first,
                         std::int64_t rows);

}  // namespace dragoman::model
