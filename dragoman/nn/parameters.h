// A layer lists its parameters once, by name, and that list serves initialisation, counting, saving, loading and the
// optimiser. Parameters live in flat blocks: values, gradients and the optimiser's moments share one layout.
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

// How a parameter starts.
struct Initial {
  enum class Kind : std::uint8_t { kConstant, kUniform, kNormal };
  Kind kind = Kind::kConstant;
  double amount = 0;            // the constant, the limit of U(-limit, limit), or the standard deviation
  bool zero_first_row = false;  // the row of the reserved id 0

  static Initial constant(double value) { return {Kind::kConstant, value}; }
  static Initial uniform(double limit) { return {Kind::kUniform, limit}; }
  static Initial normal(double deviation) { return {Kind::kNormal, deviation}; }
};

// What a matrix is for, which says how it is packed for inference.
enum class Use : std::uint8_t {
  kProduct,     // x W
  kVocabulary,  // looked up by row, and x E^T: packed as its transpose
  kExact,       // looked up, or multiplied element by element: neither packed nor rounded
};

// One stored vector or matrix. Several named matrices may lie in it side by side, so that one product serves them all:
// W_Q, W_K and W_V are columns of one matrix.
struct Parameter {
  struct Columns {
    std::string name;
    std::int64_t width;
    Initial initial;
  };

  Parameter() = default;
  Parameter(const Shape& shape, const Initial& initial) : shape_(shape), initial_(initial) {}
  Parameter(std::int64_t rows, std::vector<Columns> columns);  // rows 0: a vector
  // Memory is laid out for a multiple of this many rows; the extra ones stay zero and are neither counted nor saved.
  Parameter& rounded_rows(std::int64_t multiple);
  std::int64_t padding_rows() const;  // the extra ones
  Parameter& used_as(Use use);        // kProduct unless told

  explicit operator bool() const { return shape_.rank() > 0; }  // false: the layer goes without it
  const Shape& shape() const { return shape_; }
  // Its memory is the one or the other: a tensor, or, in a block for inference, a packed matrix.
  // In training with bfloat16 the tensor is a rounded copy of the values that the optimiser changes.
  const Tensor& tensor() const { return tensor_; }
  const PackedMatrix& packed() const { return packed_; }
  DType dtype() const { return packed_ ? DType::kFloat32 : tensor_.array().dtype(); }  // of what is computed with it

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

// Numbers that belong to a layer but are not learned by gradients: a running mean, an estimate that the layer itself
// keeps up to date. Saved with the model and resumed with a run; the optimiser does not see them.
struct Buffer {
  Buffer() = default;
  Buffer(const Shape& shape, double initial) : shape_(shape), initial_(initial) {}

  explicit operator bool() const { return shape_.rank() > 0; }
  const Shape& shape() const { return shape_; }
  const Array& values() const { return values_; }  // of the type of statistics: float32, or float64 beside float64

 private:
  friend class ParameterBlock;
  friend class ParameterVisitor;

  Shape shape_;
  double initial_ = 0;
  Array values_;
};

// A tensor as it is saved: a whole parameter, the columns of one that have a name of their own, or a buffer.
struct NamedTensor {
  std::string name;
  Shape shape;
  Initial initial;
  Array values;  // absent before memory is given, and if it is packed
  Use use = Use::kExact;
  PackedMatrix packed = {};       // what it is part of, in a block of packed weights
  std::int64_t first_column = 0;  // its place there

  bool is_weights() const { return shape.rank() == 2 && use != Use::kExact; }
  Transpose packs_as() const { return use == Use::kVocabulary ? Transpose::kYes : Transpose::kNo; }
};

class ParameterVisitor {
 public:
  // Visits a parameter, if the layer has it. Named columns go by their own names.
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
  // All that a model's file holds: parameters, then buffers.
  std::vector<NamedTensor> saved() const;

 private:
  std::string prefix_;
  std::vector<NamedTensor> tensors_, buffer_tensors_;
  std::vector<Parameter*> parameters_;
  std::vector<Buffer*> buffers_;
};

// Tensors pass between device and host in ranges of rows of about this many elements, so that saving, loading and
// drawing them takes no room to speak of.
inline constexpr std::int64_t kStagedElements = 1 << 20;

// Calls work(first row, rows) for ranges of rows in which a tensor's values may be given to store_rows(), one after the
// other. A matrix that is packed by columns is given whole.
template <class Work>
void for_stored_rows(const NamedTensor& tensor, const Work& work) {
  const std::int64_t rows = tensor.shape.rows(), cols = std::max<std::int64_t>(1, tensor.shape.cols());
  const bool whole = tensor.packed && tensor.packs_as() == Transpose::kNo;
  const std::int64_t most = whole ? rows : std::max<std::int64_t>(1, kStagedElements / cols);
  for (std::int64_t first = 0; first < rows; first += most) work(first, std::min(most, rows - first));
}
// The values of a range of rows, on the device: floating-point numbers, or, for packed weights, int8 with their scales.
void store_rows(Backend& on, const NamedTensor& tensor, std::int64_t first, const Array& rows,
                const Array& scales = {});

enum class Purpose : std::uint8_t { kInference, kTraining };

// A part of the flat block: neighbouring parameters that are all vectors (biases, norms), or that are all matrices.
struct BlockRange {
  std::int64_t first = 0, count = 0;
  bool is_vectors = false;
};

// The memory of all parameters of a model, and of its buffers. Binds each Parameter's tensor to it; the model must not
// be used after it is gone.
class ParameterBlock {
 public:
  // Any model with parameters(visitor). Values are uninitialised; gradients exist for training only. With bfloat16,
  // whatever is not exact is computed with in bfloat16; in training its values and all gradients are float32, and
  // refresh() must follow every change of the values that the optimiser did not make.
  template <class Model>
  ParameterBlock(Backend& on, DType dtype, Model& model, Purpose purpose) : on_(on) {
    ParameterVisitor visitor;
    model.parameters(visitor);
    lay_out(visitor, dtype, purpose);
    lay_out_buffers(visitor, statistics_of(dtype));
    list_tensors(model);
  }
  // For inference: matrices that are multiplied are packed in this form, everything else is float32. A CUDA device
  // multiplies plain matrices, of float32 or bfloat16.
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

  // How many elements the values of a model take, rows and gaps that alignment adds included.
  template <class Model>
  static std::int64_t elements(Model& model) {
    ParameterVisitor visitor;
    model.parameters(visitor);
    return starts_of(visitor).back();
  }

  Backend& backend() const { return on_; }
  const Array& values() const { return values_; }        // all of them, [count]; absent if they are packed
  const Array& gradients() const { return gradients_; }  // same layout
  const Array& copies() const { return copies_; }        // the values rounded to bfloat16, or absent; same layout
  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // of the parameters
  const std::vector<NamedTensor>& buffer_tensors() const { return buffer_tensors_; }
  // All that a model's file holds: parameters, then buffers.
  std::vector<NamedTensor> saved() const { return with_buffers(tensors_); }
  // Tensors in the place of the parameters' own, such as those of an average, and the buffers.
  std::vector<NamedTensor> with_buffers(std::vector<NamedTensor> tensors) const;
  // The flat block from its beginning to its end.
  const std::vector<BlockRange>& ranges() const { return ranges_; }
  // The tensors as they lie in another array of the block's layout and element type: gradients, moments, averages.
  std::vector<NamedTensor> tensors_in(const Array& flat) const;

  // Rounds the values to the copies, if there are any.
  void refresh();

  // Draws every tensor by its own rule, from a stream keyed by the seed and the tensor's name.
  void initialise(std::uint64_t seed);

  // Before the first micro-batch of an update: the next gradients overwrite what is there.
  void begin_update();
  // After the last one: parameters that no gradient reached get zeros.
  void finish_update();

 private:
  // Where each parameter begins in the flat block, and last where the block ends.
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

// Exchanges the elements of two arrays of one layout, without room for a third.
void swap_values(Backend& on, const Array& a, const Array& b);

}  // namespace dragoman::nn
