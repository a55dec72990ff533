// Reads and writes the tensors of a model in a safetensors file. A matrix may be stored rounded to 8-bit integers. Then
// the file also has a tensor NAME.scale: one scale for each column, as [1, columns]. An embedding has one for each row
// instead, as [V, 1].
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/params/parameter.h"

namespace dragoman::model {

// The name, shape and type under which a model's tensor is stored.
TensorLabel label_of(const params::NamedTensor& tensor, StoredType type = StoredType::kF32);
// The same for the scales of a tensor that is stored rounded.
TensorLabel scales_label_of(const params::NamedTensor& tensor);

// Writes the tensors' values as float32. Returns the Hash of the file in hex.
std::string write_safetensors(const std::filesystem::path& path, Backend& on,
                              std::span<const params::NamedTensor> tensors);

// Throws an Error unless the file holds exactly these names with these shapes, and scales for the rounded tensors. In
// place of a weight-normalised matrix it may hold its directions and lengths.
void check_tensors(const SafetensorsFile& file, std::span<const params::NamedTensor> tensors);

// kInt8 if the file holds a rounded tensor, otherwise kFloat32.
WeightForm stored_form(const SafetensorsFile& file);

// Which values a tensor may hold: any, finite ones, or finite ones that are not negative.
enum class AllowedValues : std::uint8_t { kAny, kFinite, kNotNegative };

// Calls check_tensors(), then reads every tensor of the list into its memory, which may be packed for the kernels. The
// stored floats or integers are converted to the element type of that memory. Needs extra memory for at most one
// tensor. Throws an Error if a value is not allowed.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const params::NamedTensor> tensors,
                  AllowedValues values = AllowedValues::kAny);
// The same with a rule for each tensor.
void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const params::NamedTensor> tensors,
                  const std::function<AllowedValues(const params::NamedTensor&)>& values);

// Reads rows of a tensor as floats, from row `first` on. Rounded values become integer times scale.
void read_rows(const SafetensorsFile& file, const params::NamedTensor& tensor, std::int64_t first,
               std::span<float> values);

// Rows of a weight-normalised matrix of which the file has directions and lengths: float32, on the device. All rows
// must be read at once, unless the matrix is normalised by rows (Use::kVocabulary).
Array read_normed(const SafetensorsFile& file, Backend& on, const params::NamedTensor& tensor, std::int64_t first,
                  std::int64_t rows, AllowedValues values);

// A rounded tensor, or some rows of one that has a scale for each row.
struct RoundedRows {
  std::vector<std::int8_t> integers;
  std::vector<float> scales;
};
RoundedRows read_rounded(const SafetensorsFile& file, const params::NamedTensor& tensor, std::int64_t first,
                         std::int64_t rows);

}  // namespace dragoman::model
