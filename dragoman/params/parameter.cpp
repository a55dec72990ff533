#include "dragoman/params/parameter.h"

#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/weight_norm.h"

namespace dragoman::params {

Parameter::Parameter(std::int64_t rows, std::vector<Columns> columns) : columns_(std::move(columns)) {
  std::int64_t width = 0;
  for (const Columns& part : columns_) width += part.width;
  shape_ = rows == 0 ? Shape{width} : Shape{rows, width};
}

Parameter& Parameter::rounded_rows(std::int64_t multiple) {
  row_multiple_ = multiple;
  return *this;
}

std::int64_t Parameter::padding_rows() const { return (row_multiple_ - shape_.rows() % row_multiple_) % row_multiple_; }

Parameter& Parameter::used_as(Use use) {
  use_ = use;
  return *this;
}

void ParameterVisitor::operator()(const std::string& name, Parameter& parameter) {
  if (!parameter) return;
  parameters_.push_back(&parameter);
  const Array& values = parameter.values_;
  const Use use = parameter.use_;
  if (parameter.columns_.empty()) {
    tensors_.push_back({prefix_ + name, parameter.shape_, parameter.initial_, values, use, parameter.packed_});
    return;
  }
  std::int64_t first = 0;
  for (const Parameter::Columns& part : parameter.columns_) {
    const Shape shape = parameter.shape_.rank() == 1 ? Shape{part.width} : Shape{parameter.shape_.rows(), part.width};
    tensors_.push_back({prefix_ + part.name, shape, part.initial, values ? values.columns(first, part.width) : Array(),
                        use, parameter.packed_, first});
    first += part.width;
  }
}

NormedParameter::NormedParameter(const Shape& shape, const Initial& initial, Use use)
    : v(shape, initial),
      g({use == Use::kVocabulary ? shape.rows() : shape.cols()}, Initial::lengths()),
      W(shape, initial) {
  v.used_as(use);
  g.used_as(Use::kExact);
  W.used_as(use);
}

Tensor NormedParameter::weights() const {
  return has_matrix() ? W.tensor() : normed_weights(v.tensor(), g.tensor(), v.use());
}

Tensor normed_weights(const Tensor& v, const Tensor& g, Use use) {
  if (use != Use::kVocabulary) return ops::weight_norm(v, g);
  return ops::transpose(ops::weight_norm(ops::transpose(v), g));
}

void ParameterVisitor::operator()(const std::string& name, NormedParameter& parameter) {
  if (!parameter) return;
  const std::string directions = name + ".v", lengths = name + ".g";
  if (purpose_ == Purpose::kInference) {
    (*this)(name, parameter.W);
    tensors_.back().lengths = prefix_ + lengths;
  } else {
    (*this)(directions, parameter.v);
    (*this)(lengths, parameter.g);
  }
  tensors_.back().directions = prefix_ + directions;
}

void ParameterVisitor::operator()(const std::string& name, Buffer& buffer) {
  if (!buffer) return;
  buffers_.push_back(&buffer);
  buffer_tensors_.push_back(
      {prefix_ + name, buffer.shape_, Initial::constant(buffer.initial_), buffer.values_, Use::kExact});
}

std::vector<NamedTensor> ParameterVisitor::saved() const {
  std::vector<NamedTensor> all = tensors_;
  all.insert(all.end(), buffer_tensors_.begin(), buffer_tensors_.end());
  return all;
}

}  // namespace dragoman::params
