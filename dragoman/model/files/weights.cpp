#include "dragoman/model/files/weights.h"
#include "dragoman/base/strings.h"
#include "dragoman/params/parameter_block.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace dragoman::model {
namespace {

std::string tensor_text(const SafetensorsFile& file, const std::string& name) {
  return join("'", file.path().string(), "': the tensor '", name, "'");
}

// Whether a rounded tensor has a scale for each row. Otherwise it has one for each column.
bool has_scale_per_row(const params::NamedTensor& tensor) { return tensor.packs_as() == Transpose::kYes; }

void check_tensor(const SafetensorsFile& file, const TensorLabel& expected) {
  // An exported copy has the matrix NAME in place of its directions NAME.v and lengths NAME.g.
  const bool is_exported = expected.name.ends_with(".v") && file.has(expected.name.substr(0, expected.name.size() - 2));
  require<Error>(file.has(expected.name), "'", file.path().string(), "' has no tensor '", expected.name,
                 "', which this model needs",
                 is_exported ? "; it is an exported copy, which can translate but not be trained." : ".");
  require<Error>(file.shape(expected.name) == expected.shape, tensor_text(file, expected.name), " is [",
                 fmt::format("{}", fmt::join(file.shape(expected.name), ", ")), "], but this model needs [",
                 fmt::format("{}", fmt::join(expected.shape, ", ")), "].");
}

bool is_rounded(const SafetensorsFile& file, const params::NamedTensor& tensor) {
  return file.type(tensor.name) == StoredType::kI8;
}

void require_values(std::span<const float> numbers, AllowedValues values, const std::string& where) {
  if (values == AllowedValues::kAny) return;
  require<Error>(std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }), where,
                 " holds numbers that are not finite; the file is damaged, or its training failed.");
  require<Error>(values == AllowedValues::kFinite || std::ranges::all_of(numbers, [](float x) { return x >= 0; }),
                 where, " holds numbers below 0, which are not allowed; the file is damaged.");
}

// A temporary copy of host memory on the device.
Array staged(Backend& on, const Shape& shape, DType dtype, const void* host) {
  Array rows = on.empty(shape, dtype);
  on.copy_in(host, rows);
  return rows;
}

// Whether the file has directions and lengths in place of this matrix.
bool is_in_parts(const SafetensorsFile& file, const params::NamedTensor& tensor) {
  return tensor.is_normed() && !file.has(tensor.name);
}

// Such a part of a weight-normalised matrix, as a tensor of its own.
params::NamedTensor directions_of(const params::NamedTensor& tensor) {
  return {.name = tensor.directions, .shape = tensor.shape, .initial = {}, .values = {}};
}
params::NamedTensor lengths_of(const params::NamedTensor& tensor) {
  const bool of_rows = tensor.packs_as() == Transpose::kYes;
  return {.name = tensor.lengths,
          .shape = Shape{of_rows ? tensor.shape.rows() : tensor.shape.cols()},
          .initial = {},
          .values = {}};
}

}  // namespace

TensorLabel label_of(const params::NamedTensor& tensor, StoredType type) {
  TensorLabel label{.name = tensor.name, .shape = {}, .type = type};
  for (int axis = 0; axis < tensor.shape.rank(); ++axis) label.shape.push_back(tensor.shape.dim(axis));
  return label;
}

TensorLabel scales_label_of(const params::NamedTensor& tensor) {
  TensorLabel label{.name = tensor.name + ".scale", .shape = {1, tensor.shape.cols()}};
  if (has_scale_per_row(tensor)) label.shape = {tensor.shape.rows(), 1};
  return label;
}

std::string write_safetensors(const std::filesystem::path& path, Backend& on,
                              std::span<const params::NamedTensor> tensors) {
  std::vector<TensorLabel> labels;
  for (const params::NamedTensor& tensor : tensors) labels.push_back(label_of(tensor));
  SafetensorsWriter file(path, labels);
  std::vector<float> host;
  for (const params::NamedTensor& tensor : tensors) {
    tensor.values.for_row_ranges(params::kStagedElements, [&](const Array& piece) {
      const ArenaScope scratch(on.arena());
      Array rows = on.empty(piece.shape(), DType::kFloat32);
      on.scaled(piece, 1.0, Sink::overwrite(rows));
      host.resize(static_cast<std::size_t>(piece.count()));
      on.copy_out(rows, host.data());
      file.write(host);
    });
  }
  return file.finish();
}

void check_tensors(const SafetensorsFile& file, std::span<const params::NamedTensor> tensors) {
  std::size_t expected = tensors.size();
  for (const params::NamedTensor& tensor : tensors) {
    if (is_in_parts(file, tensor)) {
      check_tensor(file, label_of(directions_of(tensor)));
      check_tensor(file, label_of(lengths_of(tensor)));
      ++expected;
      continue;
    }
    check_tensor(file, label_of(tensor));
    if (!is_rounded(file, tensor)) continue;
    require<Error>(tensor.is_weights(), tensor_text(file, tensor.name),
                   " is rounded to integers, which only weights may be.");
    check_tensor(file, scales_label_of(tensor));
    ++expected;
  }
  require<Error>(file.count() == expected, "'", file.path().string(), "' has ",
                 counted(static_cast<std::int64_t>(file.count()), "tensor"), ", but this model has ", expected, ".");
}

WeightForm stored_form(const SafetensorsFile& file) {
  const std::vector<TensorLabel> labels = file.labels();
  const auto rounded = [](const TensorLabel& label) { return label.type == StoredType::kI8; };
  return std::ranges::any_of(labels, rounded) ? WeightForm::kInt8 : WeightForm::kFloat32;
}

RoundedRows read_rounded(const SafetensorsFile& file, const params::NamedTensor& tensor, std::int64_t first,
                         std::int64_t rows) {
  const std::int64_t cols = tensor.shape.cols();
  RoundedRows read{.integers = std::vector<std::int8_t>(static_cast<std::size_t>(rows * cols)),
                   .scales = std::vector<float>(static_cast<std::size_t>(has_scale_per_row(tensor) ? rows : cols))};
  file.read(tensor.name, first * cols, read.integers);
  file.read(scales_label_of(tensor).name, has_scale_per_row(tensor) ? first : 0, read.scales);
  require<Error>(std::ranges::find(read.integers, std::int8_t{-128}) == read.integers.end(),
                 tensor_text(file, tensor.name), " holds -128; its integers must be from -127 to 127.");
  require<Error>(std::ranges::all_of(read.scales, [](float scale) { return std::isfinite(scale) && scale >= 0; }),
                 tensor_text(file, scales_label_of(tensor).name), " holds a scale that is negative or not finite.");
  return read;
}

void read_rows(const SafetensorsFile& file, const params::NamedTensor& tensor, std::int64_t first,
               std::span<float> values) {
  const std::int64_t cols = tensor.shape.cols();
  if (!is_rounded(file, tensor)) return file.read(tensor.name, first * cols, values);
  const RoundedRows read = read_rounded(file, tensor, first, static_cast<std::int64_t>(values.size()) / cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(cols), column = i % static_cast<std::size_t>(cols);
    values[i] = static_cast<float>(read.integers[i]) * read.scales[has_scale_per_row(tensor) ? row : column];
  }
}

Array read_normed(const SafetensorsFile& file, Backend& on, const params::NamedTensor& tensor, std::int64_t first,
                  std::int64_t rows, AllowedValues values) {
  std::vector<float> host;
  const auto part = [&](const params::NamedTensor& of, std::int64_t first_element, const Shape& shape) {
    host.resize(static_cast<std::size_t>(shape.count()));
    file.read(of.name, first_element, host);
    require_values(host, values, tensor_text(file, of.name));
    return Tensor(on, staged(on, shape, DType::kFloat32, host.data()));
  };
  const bool of_rows = tensor.packs_as() == Transpose::kYes;
  const std::int64_t cols = tensor.shape.cols();
  const Tensor v = part(directions_of(tensor), first * cols, {rows, cols});
  const Tensor g = part(lengths_of(tensor), of_rows ? first : 0, {of_rows ? rows : cols});
  return params::normed_weights(v, g, tensor.use).array();
}

void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const params::NamedTensor> tensors,
                  AllowedValues values) {
  read_tensors(file, on, tensors, [values](const params::NamedTensor&) { return values; });
}

void read_tensors(const SafetensorsFile& file, Backend& on, std::span<const params::NamedTensor> tensors,
                  const std::function<AllowedValues(const params::NamedTensor&)>& values) {
  check_tensors(file, tensors);
  std::vector<float> host;
  for (const params::NamedTensor& tensor : tensors) {
    if (is_in_parts(file, tensor)) {
      const auto read = [&](std::int64_t first, std::int64_t rows) {
        const ArenaScope scratch(on.arena());
        store_rows(on, tensor, first, read_normed(file, on, tensor, first, rows, values(tensor)));
      };
      tensor.packs_as() == Transpose::kYes ? params::for_stored_rows(tensor, read) : read(0, tensor.shape.rows());
      continue;
    }
    params::for_stored_rows(tensor, [&](std::int64_t first, std::int64_t rows) {
      const ArenaScope scratch(on.arena());
      const Shape shape{rows, tensor.shape.cols()};
      if (tensor.packed && is_rounded(file, tensor)) {
        const RoundedRows read = read_rounded(file, tensor, first, rows);
        const Array integers = staged(on, shape, DType::kInt8, read.integers.data());
        const Shape scales{static_cast<std::int64_t>(read.scales.size())};
        return store_rows(on, tensor, first, integers, staged(on, scales, DType::kFloat32, read.scales.data()));
      }
      host.resize(static_cast<std::size_t>(shape.count()));
      read_rows(file, tensor, first, host);
      require_values(host, values(tensor), tensor_text(file, tensor.name));
      store_rows(on, tensor, first, staged(on, shape, DType::kFloat32, host.data()));
    });
  }
}

}  // namespace dragoman::model
