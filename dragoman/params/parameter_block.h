// The memory of a model's parameters. All of them lie in one flat block; values, gradients and the optimiser's moments
// have the same layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/autograd/variable.h"
#include "dragoman/params/parameter.h"

namespace dragoman::params {

// Tensors are copied between device and host in ranges of rows of about this many elements, so that saving, loading and
// drawing them need little extra memory.
inline constexpr std::int64_t kStagedElements = 1 << 20;

// Calls work(first row, number of rows) for consecutive ranges of rows that cover a tensor. store_rows() accepts the
// values of one such range at a time. A packed matrix is one range, unless it is packed as its transpose.
template <class Work>
void for_stored_rows(const NamedTensor& tensor, const Work& work) {
  const std::int64_t rows = tensor.shape.rows(), cols = std::max<std::int64_t>(1, tensor.shape.cols());
  const bool whole = tensor.packed && tensor.packs_as() == Transpose::kNo;
  const std::int64_t most = whole ? rows : std::max<std::int64_t>(1, kStagedElements / cols);
  for (std::int64_t first = 0; first < rows; first += most) work(first, std::min(most, rows - first));
}
// Stores the values of a range of rows. `rows` is on the device. It holds floating-point numbers; for packed weights it
// may also hold int8, with the scales in `scales`.
void store_rows(Backend& on, const NamedTensor& tensor, std::int64_t first, const Array& rows,
                const Array& scales = {});

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
  // float32 then, and refresh() must be called after every change of the values, except by the optimiser, which updates
  // the bfloat16 copies itself.
  template <class Model>
  ParameterBlock(Backend& on, DType dtype, Model& model, Purpose purpose) : on_(on) {
    ParameterVisitor visitor(purpose);
    model.parameters(visitor);
    lay_out(visitor, dtype, purpose);
    lay_out_buffers(visitor, accumulation_dtype(dtype));
    list_tensors(model, purpose);
  }
  // For inference. On the CPU, matrices that are not Use::kExact are packed in this form, and all else is float32. On a
  // CUDA device the matrices are plain, in float32 or bfloat16.
  template <class Model>
  ParameterBlock(Backend& on, WeightForm form, Model& model) : on_(on) {
    ParameterVisitor visitor(Purpose::kInference);
    model.parameters(visitor);
    lay_out_packed(visitor, form);
    lay_out_buffers(visitor, DType::kFloat32);
    list_tensors(model, Purpose::kInference);
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
  void lay_out(const ParameterVisitor& visitor, DType compute_dtype, Purpose purpose);
  void lay_out_packed(const ParameterVisitor& visitor, WeightForm form);
  void lay_out_rounded(const ParameterVisitor& visitor);  // for bfloat16 inference; keeps no float32 originals
  void lay_out_buffers(const ParameterVisitor& visitor, DType dtype);
  template <class Model>
  void list_tensors(Model& model, Purpose purpose) {
    ParameterVisitor bound(purpose);
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

}  // namespace dragoman::params
