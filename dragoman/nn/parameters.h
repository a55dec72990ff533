// Parameters of layers, and their memory. A layer lists its parameters once, by name; initialisation, counting, saving,
// loading and the optimiser all use that list. All parameters of a model lie in one flat block; values, gradients and
// the optimiser's moments have the same layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/autograd/tensor.h"
#include "dragoman/autograd/variable.h"

namespace dragoman::nn {

// The initial distribution of a parameter.
struct Initial {
  enum class Kind : std::uint8_t { kConstant, kUniform, kNormal };
  Kind kind = Kind::kConstant;
  double amount = 0;            // the constant, the limit of U(-limit, limit), or the standard deviation
  bool zero_first_row = false;  // set row 0 to zero: the embedding of the reserved id 0

  static Initial constant(double value) { return {Kind::kConstant, value}; }
  static Initial uniform(double limit) { return {Kind::kUniform, limit}; }
  static Initial normal(double deviation) { return {Kind::kNormal, deviation}; }
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
  Parameter(std::int64_t rows, std::vector<Columns> columns);  // rows 0: a vector
  // Rounds the number of rows in memory up to a multiple of this many. The padding rows stay zero and are neither
  // counted nor saved.
  Parameter& rounded_rows(std::int64_t multiple);
  std::int64_t padding_rows() const;
  Parameter& used_as(Use use);  // defaults to kProduct

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

  bool is_weights() const { return shape.rank() == 2 && use != Use::kExact; }
  Transpose packs_as() const { return use == Use::kVocabulary ? Transpose::kYes : Transpose::kNo; }
};

class ParameterVisitor {
 public:
  // Visits a parameter, unless the layer does not have it. Named columns are listed under their own names.
  void operator()(const std::string& name, Parameter& parameter);
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
  std::string prefix_;
  std::vector<NamedTensor> tensors_, buffer_tensors_;
  std::vector<Parameter*> parameters_;
  std::vector<Buffer*> buffers_;
};

// Tensors are copied between device and host in ranges of rows of about this many elements, so that saving, loading and
// drawing them need little extra memory.
inline constexpr std::int64_t kStagedElements = 1 << 20;

// Calls work(first row, number of rows) for consecutive ranges of rows of a tensor, in which its values can be given to
// store_rows(). A matrix that is packed by columns is one range.
template <class Work>
void for_stored_rows(const NamedTensor& tensor, const Work& work) {
  const std::int64_t rows = tensor.shape.rows(), cols = std::max<std::int64_t>(1, tensor.shape.cols());
  const bool whole = tensor.packed && tensor.packs_as() == Transpose::kNo;
  const std::int64_t most = whole ? rows : std::max<std::int64_t>(1, kStagedElements / cols);
  for (std::int64_t first = 0; first < rows; first += most) work(first, std::min(most, rows - first));
}
// Stores the values of a range of rows. `rows` is on the device: floating-point numbers or, for packed weights, also
// int8 with their scales.
void store_rows(Backend& on, const NamedTensor& tensor, std::int64_t first, const Array& rows,
                const Array& scales = {});

enum class Purpose : std::uint8_t { kInference, kTraining };

// A range of the flat block: consecutive parameters that are all vectors (biases, norms) or all matrices.
struct BlockRange {
  std::int64_t first = 0, count = 0;
  bool is_vectors = false;
};

// The memory of all parameters and buffers of a model. The constructor points each Parameter of the model to its part
// of this memory, so the block must outlive every use of the model.
class ParameterBlock {
 public:
  // For any model with parameters(visitor). The values are uninitialised; gradients exist for training only. With
  // bfloat16, parameters that are not Use::kExact are used in bfloat16. In training the values and all gradients are
  // float32 then, and refresh() must be called after every change of the values except the optimiser's.
  template <class Model>
  ParameterBlock(Backend& on, DType dtype, Model& model, Purpose purpose) : on_(on) {
    ParameterVisitor visitor;
    model.parameters(visitor);
    lay_out(visitor, dtype, purpose);
    lay_out_buffers(visitor, statistics_of(dtype));
    list_tensors(model);
  }
  // For inference. On the CPU, matrices that are not Use::kExact are packed in this form, and all else is float32. On a
  // CUDA device the matrices are plain, in float32 or bfloat16.
  template <class Model>
  ParameterBlock(Backend& on, WeightForm form, Model& model) : on_(on) {
    ParameterVisitor visitor;
    model.parameters(visitor);
    lay_out_packed(visitor, form);
    lay_out_buffers(visitor, DType::kFloat32);
    list_tensors(model);
  }
  ParameterBlock(const ParameterBlock&) = delete;
  ParameterBlock& operator=(const ParameterBlock&) = delete;

  // The number of elements of a model's values, including padding rows and gaps for alignment.
  template <class Model>
  static std::int64_t elements(Model& model) {
    ParameterVisitor visitor;
    model.parameters(visitor);
    return starts_of(visitor).back();
  }

  Backend& backend() const { return on_; }
  const Array& values() const { return values_; }        // of all parameters, [count]; absent if they are packed
  const Array& gradients() const { return gradients_; }  // same layout
  const Array& copies() const { return copies_; }        // the values rounded to bfloat16; optional; same layout
  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // of the parameters
  const std::vector<NamedTensor>& buffer_tensors() const { return buffer_tensors_; }
  // All tensors in a model file: parameters, then buffers.
  std::vector<NamedTensor> saved() const { return with_buffers(tensors_); }
  // These tensors, which replace the parameters' own (for example their averages), and then the buffers.
  std::vector<NamedTensor> with_buffers(std::vector<NamedTensor> tensors) const;
  // The ranges of vectors and of matrices that the flat block consists of, in order.
  const std::vector<BlockRange>& ranges() const { return ranges_; }
  // The tensors of the parameters in another array with the block's layout and element type: gradients, moments,
  // averages.
  std::vector<NamedTensor> tensors_in(const Array& flat) const;

  // Updates the bfloat16 copies from the values, if there are copies.
  void refresh();

  // Draws every tensor from its initial distribution, with a random stream keyed by the seed and the tensor's name.
  void initialise(std::uint64_t seed);

  // Call before the first micro-batch of an update: the next gradients overwrite the old ones.
  void begin_update();
  // Call after the last micro-batch: sets the gradients of parameters that received none to zero.
  void finish_update();

 private:
  // The first element of each parameter in the flat block; the last entry is the size of the block.
  static std::vector<std::int64_t> starts_of(const ParameterVisitor& visitor);
  void lay_out(const ParameterVisitor& visitor, DType computed, Purpose purpose);
  void lay_out_packed(const ParameterVisitor& visitor, WeightForm form);
  void lay_out_rounded(const ParameterVisitor& visitor);
  void lay_out_buffers(const ParameterVisitor& visitor, DType dtype);
  template <class Model>
  void list_tensors(Model& model) {
    ParameterVisitor bound;
    model.parameters(bound);
    tensors_ = bound.tensors();
    buffer_tensors_ = bound.buffer_tensors();
  }

  Backend& on_;
  std::unique_ptr<Reservation> value_memory_, gradient_memory_, copy_memory_, buffer_memory_;
  Array values_, gradients_, copies_;
  std::vector<Variable> variables_;
  std::vector<NamedTensor> tensors_, buffer_tensors_;
  std::vector<BlockRange> ranges_;
};

// Exchanges the elements of two arrays with the same layout, without memory for a third one.
void swap_values(Backend& on, const Array& a, const Array& b);

}  // namespace dragoman::nn
