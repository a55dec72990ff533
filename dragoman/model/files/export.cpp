#include "dragoman/model/files/export.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/backend/quantise.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/files/words.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

StoredType type_in(ExportPrecision precision, const params::NamedTensor& tensor) {
  if (precision == ExportPrecision::kInt8 && tensor.is_weights()) return StoredType::kI8;
  return precision == ExportPrecision::kBFloat16 && tensor.shape.rank() == 2 ? StoredType::kBF16 : StoredType::kF32;
}

std::vector<TensorLabel> labels_in(ExportPrecision precision, std::span<const params::NamedTensor> tensors) {
  std::vector<TensorLabel> labels;
  for (const params::NamedTensor& tensor : tensors) {
    labels.push_back(label_of(tensor, type_in(precision, tensor)));
    if (labels.back().type == StoredType::kI8) labels.push_back(scales_label_of(tensor));
  }
  return labels;
}

// Rounds a tensor with one scale for each row or for each column. The elements that share a scale are a group.
RoundedRows rounded(const std::vector<float>& values, const params::NamedTensor& tensor) {
  const bool scale_per_row = tensor.packs_as() == Transpose::kYes;
  const auto rows = static_cast<std::size_t>(tensor.shape.rows()), cols = static_cast<std::size_t>(tensor.shape.cols());
  const auto group = [&](std::size_t i) { return scale_per_row ? i / cols : i % cols; };
  std::vector<LargestMagnitude> largest(scale_per_row ? rows : cols);
  for (std::size_t i = 0; i < values.size(); ++i) largest[group(i)].add(values[i]);
  std::vector<Quantiser> quantisers;
  RoundedRows result;
  for (const LargestMagnitude& of_group : largest) {
    quantisers.push_back(Quantiser::for_largest(of_group.value()));
    result.scales.push_back(quantisers.back().scale);
  }
  for (std::size_t i = 0; i < values.size(); ++i) result.integers.push_back(quantisers[group(i)](values[i]));
  return result;
}

// The values of a tensor as floats. A weight-normalised matrix is computed if the file has its parts.
std::vector<float> values_of(const SafetensorsFile& file, const params::NamedTensor& tensor, Backend& on) {
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.count()));
  if (!tensor.is_normed() || file.has(tensor.name)) {
    read_rows(file, tensor, 0, values);
    return values;
  }
  const ArenaScope scratch(on.arena());
  on.copy_out(read_normed(file, on, tensor, 0, tensor.shape.rows(), AllowedValues::kAny), values.data());
  return values;
}

void copy_tensor(const SafetensorsFile& file, const params::NamedTensor& tensor, ExportPrecision precision, Backend& on,
                 SafetensorsWriter& output) {
  const StoredType type = type_in(precision, tensor);
  if (type == StoredType::kI8 && file.has(tensor.name) && file.type(tensor.name) == StoredType::kI8) {
    const RoundedRows same = read_rounded(file, tensor, 0, tensor.shape.rows());
    output.write(same.integers);
    return output.write(same.scales);
  }
  const std::vector<float> values = values_of(file, tensor, on);
  require<Error>(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }), "the tensor '",
                 tensor.name, "' holds numbers that are not finite.");
  if (type == StoredType::kF32) return output.write(values);
  if (type == StoredType::kBF16) return output.write_bfloat16(values);
  const RoundedRows integers = rounded(values, tensor);
  output.write(integers.integers);
  output.write(integers.scales);
}

void write_copy(const fs::path& from, const fs::path& to, ExportPrecision precision) {
  ModelInfo info = read_info(from);
  const std::unique_ptr<Seq2Seq> model = info.config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);
  model->parameters(visitor);
  const SafetensorsFile file(weights_file(from));
  const std::vector<params::NamedTensor> tensors = visitor.saved();
  check_tensors(file, tensors);
  const Tokenizers tokenizers = read_tokenizers(from);
  check_vocabularies(from, tokenizers, info.config);
  SafetensorsWriter output(weights_file(to), labels_in(precision, tensors));
  const std::unique_ptr<Backend> on = make_backend(Device{});
  for (const params::NamedTensor& tensor : tensors) copy_tensor(file, tensor, precision, *on, output);
  output.finish();
  write_tokenizers(to, tokenizers, info.joint_vocabulary);
  copy_languages(from, to);
  copy_words(from, to);
  copy_search(from, to);
  const fs::path heads = from / "heads.json";  // see decode/roles/heads_file.h; rounding changes no head's role
  if (fs::exists(status_of(heads))) replace_file(to / "heads.json", read_plain_file(heads, 2 << 20));
  Json provenance = parse_json(info.provenance, "the provenance of a model");
  provenance["exported"] = {{"precision", names(precision)[static_cast<std::size_t>(precision)]},
                            {"from", printable(fs::absolute(from).lexically_normal().filename().string())}};
  info.provenance = provenance.dump();
  write_info(to, info);
}

}  // namespace

void export_model(const fs::path& from, const fs::path& to, ExportPrecision precision) {
  read_info(from);  // throws if there is no model, before anything is created
  make_new_directory(to, [&](const fs::path& unfinished) { write_copy(from, unfinished, precision); });
}

}  // namespace dragoman::model
