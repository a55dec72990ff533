// Parameters and buffers of layers. A layer lists its parameters once, by name; initialisation, counting, saving,
// loading and the optimiser all use that list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/autograd/tensor.h"
#include "dragoman/backend/backend.h"

namespace dragoman::params {

// The initial distribution of a parameter.
struct Initial {
  enum class Kind : std::uint8_t { kConstant, kUniform, kNormal, kOrthogonal, kLengths };
  Kind kind = Kind::kConstant;
  double amount = 0;            // the constant, the limit of U(-limit, limit), the standard deviation, or nothing
  bool zero_first_row = false;  // set row 0 to zero: the embedding of the reserved id 0

  static Initial constant(double value) { return {Kind::kConstant, value}; }
  static Initial uniform(double limit) { return {Kind::kUniform, limit}; }
  static Initial normal(double deviation) { return {Kind::kNormal, deviation}; }
  // The lengths of the initial directions of a weight-normalised matrix; see NormedParameter.
  static Initial lengths() { return {Kind::kLengths, 0}; }
  static Initial orthogonal() { return {Kind::kOrthogonal, 0}; }  // a random square matrix with orthonormal rows
};

// How a parameter is used, which decides how it is stored for inference.
enum class Use : std::uint8_t {
  kProduct,     // in x W
  kVocabulary,  // an embedding: for lookup by row, and in x E^T; packed as its transpose
  kExact,       // for lookup by row, or multiplied element by element: neither packed nor rounded
};

// One stored vector or matrix. Several named matrices may lie in it side by side, so that one product computes with all
// of them: W_Q, W_K and W_V are columns of one matrix.
struct Parameter {
  struct Columns {
    std::string name;
    std::int64_t width;
    Initial initial;
  };

  Parameter() = default;
  Parameter(const Shape& shape, const Initial& initial) : shape_(shape), initial_(initial) {}
  Parameter(std::int64_t rows, std::vector<Columns> columns);  // rows = 0 makes a vector
  // Rounds the number of rows in memory up to a multiple of this many. The padding rows stay zero and are neither
  // counted nor saved.
  Parameter& rounded_rows(std::int64_t multiple);
  std::int64_t padding_rows() const;  // number of padding rows
  Parameter& used_as(Use use);        // defaults to kProduct
  Use use() const { return use_; }

  explicit operator bool() const { return shape_.rank() > 0; }  // false if the layer does not have this parameter
  const Shape& shape() const { return shape_; }
  // Exactly one of the two is present: a tensor or, in a block of packed weights, a packed matrix.
  // In training with bfloat16 the tensor is a rounded copy of the values that the optimiser updates.
  const Tensor& tensor() const { return tensor_; }
  const PackedMatrix& packed() const { return packed_; }
  // The element type of results that are computed with this parameter.
  DType dtype() const { return packed_ ? DType::kFloat32 : tensor_.array().dtype(); }

 private:
  friend class ParameterBlock;
  friend class ParameterVisitor;

  Shape shape_;
  Initial initial_;
  std::vector<Columns> columns_;
  std::int64_t row_multiple_ = 1;
  Use use_ = Use::kProduct;
  Array values_;
  Tensor tensor_;
  PackedMatrix packed_;
};

// A weight-normalised matrix (Salimans and Kingma, 2016): the weights of each output are g v / |v|, with a direction v
// and a length g that are learned separately. For inference the matrix W is computed once, when the model is loaded.
struct NormedParameter {
  NormedParameter() = default;
  // The initial lengths are those of the initial directions, so that W is drawn from `initial`. The outputs are the
  // columns of the matrix; for Use::kVocabulary they are its rows.
  NormedParameter(const Shape& shape, const Initial& initial, Use use = Use::kProduct);

  explicit operator bool() const { return static_cast<bool>(W); }
  DType dtype() const { return has_matrix() ? W.dtype() : v.dtype(); }
  // The matrix. In a block for training it is computed at each call.
  Tensor weights() const;
  const PackedMatrix& packed() const { return W.packed(); }

  Parameter v, g;  // directions, in the shape of the matrix, and lengths; in a block for training
  Parameter W;     // in a block for inference

 private:
  bool has_matrix() const { return W.tensor() || W.packed(); }
};
// g v / |v| for every column of v or, for Use::kVocabulary, for every row.
Tensor normed_weights(const Tensor& v, const Tensor& g, Use use);

// Numbers that belong to a layer but are not learned by gradient descent, for example a running mean that the layer
// updates itself. They are saved with the model and restored when a run resumes; the optimiser does not use them.
struct Buffer {
  Buffer() = default;
  Buffer(const Shape& shape, double initial) : shape_(shape), initial_(initial) {}

  explicit operator bool() const { return shape_.rank() > 0; }
  const Shape& shape() const { return shape_; }
  const Array& values() const { return values_; }  // float64 if the parameters are float64, otherwise float32

 private:
  friend class ParameterBlock;
  friend class ParameterVisitor;

  Shape shape_;
  double initial_ = 0;
  Array values_;
};

// A tensor as it is saved: a whole parameter, named columns of a parameter, or a buffer.
struct NamedTensor {
  std::string name;
  Shape shape;
  Initial initial;
  Array values;  // absent if the weights are packed, or before a ParameterBlock has allocated memory
  Use use = Use::kExact;
  PackedMatrix packed = {};       // the packed matrix that holds it, in a block of packed weights
  std::int64_t first_column = 0;  // the first of its columns there
  // Of the matrix W of a NormedParameter: the names of v and g, in whose place it is. Of g: the name of v.
  std::string directions = {}, lengths = {};

  // Whether it is a weight matrix, which may be packed and rounded for inference.
  bool is_weights() const { return shape.rank() == 2 && use != Use::kExact; }
  // Whether it is the matrix of a NormedParameter. Its file may have v and g instead.
  bool is_normed() const { return !lengths.empty(); }
  Transpose packs_as() const { return use == Use::kVocabulary ? Transpose::kYes : Transpose::kNo; }
};

enum class Purpose : std::uint8_t { kInference, kTraining };

class ParameterVisitor {
 public:
  // Weight-normalised matrices are listed as NAME.v and NAME.g for training, and as NAME for inference.
  explicit ParameterVisitor(Purpose purpose = Purpose::kTraining) : purpose_(purpose) {}

  // Visits a parameter, unless the layer does not have it. Named columns are listed under their own names.
  void operator()(const std::string& name, Parameter& parameter);
  void operator()(const std::string& name, NormedParameter& parameter);
  void operator()(const std::string& name, Buffer& buffer);
  // Visits the parameters of a layer under "name.".
  template <class Layer>
  void inside(const std::string& name, Layer& layer) {
    const std::string outer = prefix_;
    prefix_ += name + ".";
    layer.parameters(*this);
    prefix_ = outer;
  }

  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // of the parameters
  const std::vector<Parameter*>& parameters() const { return parameters_; }
  const std::vector<NamedTensor>& buffer_tensors() const { return buffer_tensors_; }
  const std::vector<Buffer*>& buffers() const { return buffers_; }
  // All tensors in a model file: parameters, then buffers.
  std::vector<NamedTensor> saved() const;

 private:
  Purpose purpose_;
  std::string prefix_;
  std::vector<NamedTensor> tensors_, buffer_tensors_;
  std::vector<Parameter*> parameters_;
  std::vector<Buffer*> buffers_;
};

}  // namespace dragoman::params
