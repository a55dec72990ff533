#include "dragoman/model/model_config.h"

#include <algorithm>

#include "dragoman/model/limits.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::model {

std::unique_ptr<Seq2Seq> ModelConfig::make_model() const { return held().make(); }

std::int64_t ModelConfig::multiply_adds(std::int64_t n, std::int64_t m) const {
  require<UsageError>(n >= 0 && m >= 0, "a sentence cannot have ", std::min(n, m), " tokens.");
  const Checked count = held().cost(n, m);
  require<UsageError>(!count.overflowed, "the cost of ", n, " source and ", m,
                      " target tokens is too large to count; choose shorter sentences.");
  return count.value;
}

void ModelConfig::validate() const {
  held().validate();
  Checked count = 0;
  for (const ParameterInfo& tensor : parameter_table(*this)) count = count + tensor.count;
  require<UsageError>(count.at_most(kMaxParameters),
                      "these sizes make a model of more than 2^40 parameters; choose smaller ones.");
}

std::vector<ParameterInfo> parameter_table(const ModelConfig& config) {
  const std::unique_ptr<Seq2Seq> model = config.make_model();
  params::ParameterVisitor visitor;
  model->parameters(visitor);
  std::vector<ParameterInfo> table;
  for (const params::NamedTensor& tensor : visitor.tensors()) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < tensor.shape.rank(); ++axis) shape.push_back(tensor.shape.dim(axis));
    table.push_back({tensor.name, shape, tensor.shape.count()});
  }
  return table;
}

std::int64_t parameter_count(const ModelConfig& config) {
  std::int64_t count = 0;
  for (const ParameterInfo& tensor : parameter_table(config)) count += tensor.count;
  return count;
}

bool have_same_shapes(const ModelConfig& a, const ModelConfig& b) {
  const auto same = [](const ParameterInfo& one, const ParameterInfo& other) {
    return one.name == other.name && one.shape == other.shape;
  };
  return std::ranges::equal(parameter_table(a), parameter_table(b), same);
}

}  // namespace dragoman::model
