#include "dragoman/model/export/foreign_tensors.h"

#include <utility>

#include "dragoman/model/registry/foreign_networks.h"

namespace dragoman::model {
namespace {

using foreign::Channels;
using foreign::Rows;

// A matrix, or a vector as a matrix of one row.
struct Matrix {
  std::size_t rows = 1, columns = 1;
  std::vector<float> values;

  Matrix with_rows(const auto& of) const {
    Matrix result{.rows = of.size(), .columns = columns, .values = {}};
    result.values.reserve(of.size() * columns);
    for (const auto row : of) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * columns);
      result.values.insert(result.values.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    }
    return result;
  }
  Matrix transposed() const {
    Matrix result{.rows = columns, .columns = rows, .values = std::vector<float>(values.size())};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        result.values[column * rows + row] = values[row * columns + column];
      }
    }
    return result;
  }
};

}  // namespace

ForeignTensors::ForeignTensors(const OurModel& model, ForeignLayout layout)
    : model_(model), layout_(std::move(layout)) {
  const ModelConfig config = config_of(layout_.network);
  std::map<std::string, std::vector<std::int64_t>> ours;
  for (const ParameterInfo& info : parameter_table(config)) ours.emplace(info.name, info.shape);
  for (const foreign::Parameter& parameter : foreign_parameters(config, layout_.origin)) {
    const foreign::Place& place = parameter.places.front();
    std::vector<Part>& parts = parts_[place.tensor];
    parts.resize(static_cast<std::size_t>(place.parts));
    parts[static_cast<std::size_t>(place.part)] = {parameter, ours.at(parameter.name)};
  }
  for (const auto& [name, parts] : parts_) {
    std::vector<std::int64_t>& shape = shapes_[name];
    shape = parts.front().shape;
    if (parts.front().parameter.is_transposed) std::swap(shape[0], shape[1]);
    shape[0] = 0;
    for (const Part& part : parts) shape[0] += exported_rows(part);
  }
}

std::int64_t ForeignTensors::exported_rows(const Part& part) const {
  switch (part.parameter.rows) {
    case Rows::kSourceWords: return std::ssize(layout_.words.source);
    case Rows::kTargetWords:
    case Rows::kOutputBias: return std::ssize(layout_.words.target);
    case Rows::kOther: break;
  }
  return part.parameter.is_transposed ? part.shape[1] : part.shape[0];
}

std::vector<float> ForeignTensors::part_values(const Part& part) const {
  const foreign::Parameter& parameter = part.parameter;
  const bool is_vector = part.shape.size() == 1;
  const auto first = static_cast<std::size_t>(part.shape[0]);
  Matrix matrix{.rows = is_vector ? 1 : first,
                .columns = is_vector ? first : static_cast<std::size_t>(part.shape[1]),
                .values = model_.values(parameter.name)};
  if (matrix.values.empty()) matrix.values.resize(matrix.rows * matrix.columns, 0.0f);
  switch (parameter.rows) {
    case Rows::kSourceWords: matrix = matrix.with_rows(layout_.words.source); break;
    case Rows::kTargetWords: matrix = matrix.with_rows(layout_.words.target); break;
    case Rows::kOutputBias: return matrix.transposed().with_rows(layout_.words.target).values;
    case Rows::kOther: break;
  }
  if (!layout_.channels.empty() && parameter.channels == Channels::kRows) matrix = matrix.with_rows(layout_.channels);
  if (!layout_.channels.empty() && parameter.channels == Channels::kColumns) {
    matrix = matrix.transposed().with_rows(layout_.channels).transposed();
  }
  return parameter.is_transposed ? matrix.transposed().values : matrix.values;
}

std::vector<float> ForeignTensors::values(const std::string& name) const {
  std::vector<float> values;
  for (const Part& part : parts_.at(name)) {
    const std::vector<float> more = part_values(part);
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

}  // namespace dragoman::model
