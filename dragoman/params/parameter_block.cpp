#include "dragoman/params/parameter_block.h"

#include <algorithm>

#include "dragoman/params/initial_values.h"

namespace dragoman::params {

namespace {

// Parameters start at multiples of this many elements: 128 bytes in float32, which suits the tiles of all kernels.
constexpr std::int64_t kAlignment = 32;

std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

}  // namespace

std::vector<NamedTensor> ParameterBlock::with_buffers(std::vector<NamedTensor> tensors) const {
  tensors.insert(tensors.end(), buffer_tensors_.begin(), buffer_tensors_.end());
  return tensors;
}

void ParameterBlock::lay_out_buffers(const ParameterVisitor& visitor, DType dtype) {
  std::int64_t count = 0;
  for (const Buffer* buffer : visitor.buffers()) count += round_up(buffer->shape_.count(), kAlignment);
  if (count == 0) return;
  buffer_memory_ = on_.reserve(static_cast<std::size_t>(count) * size_of(dtype));
  auto* start = static_cast<char*>(buffer_memory_->base());
  for (Buffer* buffer : visitor.buffers()) {
    buffer->values_ = Array(start, buffer->shape_, dtype, on_.device());
    start += static_cast<std::size_t>(round_up(buffer->shape_.count(), kAlignment)) * size_of(dtype);
  }
}

std::vector<std::int64_t> ParameterBlock::starts_of(const ParameterVisitor& visitor) {
  std::vector<std::int64_t> starts{0};
  for (const Parameter* parameter : visitor.parameters()) {
    const std::int64_t rows = parameter->shape_.rows() + parameter->padding_rows();
    starts.push_back(starts.back() + round_up(rows * parameter->shape_.cols(), kAlignment));
  }
  return starts;
}

void ParameterBlock::lay_out(const ParameterVisitor& visitor, DType compute_dtype, Purpose purpose) {
  const bool rounded = compute_dtype == DType::kBFloat16;
  if (rounded && purpose == Purpose::kInference) return lay_out_rounded(visitor);
  const DType dtype = accumulation_dtype(compute_dtype);
  // 1. Where each parameter starts, and the ranges of vectors and of matrices.
  std::vector<std::int64_t> starts = starts_of(visitor);
  const std::int64_t count = starts.back();
  for (std::size_t i = 0; i < visitor.parameters().size(); ++i) {
    const bool is_vector = visitor.parameters()[i]->shape_.rank() == 1;
    if (ranges_.empty() || ranges_.back().is_vectors != is_vector) ranges_.push_back({starts[i], 0, is_vector});
    ranges_.back().count = starts[i + 1] - ranges_.back().first;
  }
  starts.pop_back();
  // 2. One block of memory each for the values, their bfloat16 copies and the gradients.
  const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * size_of(dtype);
  const auto start_of = [&](const Array& block, std::int64_t start) {
    return static_cast<char*>(block.raw()) + start * static_cast<std::int64_t>(size_of(block.dtype()));
  };
  value_memory_ = on_.reserve(bytes);  // new memory is zero, so the padding rows are too
  values_ = Array(value_memory_->base(), {count}, dtype, on_.device());
  if (rounded) {
    copy_memory_ = on_.reserve(static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * size_of(compute_dtype));
    copies_ = Array(copy_memory_->base(), {count}, compute_dtype, on_.device());
  }
  if (purpose == Purpose::kTraining) {
    gradient_memory_ = on_.reserve(bytes);
    gradients_ = Array(gradient_memory_->base(), {count}, dtype, on_.device());
    variables_.resize(visitor.parameters().size());
  }
  // 3. Point each parameter to its part of these blocks. Its tensor is the bfloat16 copy if there is one.
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Parameter& parameter = *visitor.parameters()[i];
    Variable* variable = nullptr;
    if (purpose == Purpose::kTraining) {
      variable = &variables_[i];
      variable->shape = parameter.shape_;
      variable->dtype = dtype;
      variable->persistent = true;
      variable->gradient = Array(start_of(gradients_, starts[i]), parameter.shape_, dtype, on_.device())
                               .with_padding_rows(parameter.padding_rows());
    }
    parameter.packed_ = {};
    parameter.values_ = Array(start_of(values_, starts[i]), parameter.shape_, dtype, on_.device());
    const Array computed_with = rounded && parameter.use_ != Use::kExact
                                    ? Array(start_of(copies_, starts[i]), parameter.shape_, compute_dtype, on_.device())
                                    : parameter.values_;
    parameter.tensor_ = Tensor(on_, computed_with.with_padding_rows(parameter.padding_rows()), variable);
  }
}

void ParameterBlock::lay_out_rounded(const ParameterVisitor& visitor) {
  const auto dtype_of = [](const Parameter& parameter) {
    return parameter.use_ == Use::kExact ? DType::kFloat32 : DType::kBFloat16;
  };
  std::size_t bytes = 0;
  std::vector<std::size_t> starts;
  for (const Parameter* parameter : visitor.parameters()) {
    starts.push_back(bytes);
    const std::int64_t rows = parameter->shape_.rows() + parameter->padding_rows();
    // 2 * kAlignment elements of bfloat16 take 128 bytes.
    bytes += static_cast<std::size_t>(round_up(rows * parameter->shape_.cols(), 2 * kAlignment)) *
             size_of(dtype_of(*parameter));
  }
  value_memory_ = on_.reserve(std::max<std::size_t>(1, bytes));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Parameter& parameter = *visitor.parameters()[i];
    void* start = static_cast<char*>(value_memory_->base()) + starts[i];
    parameter.packed_ = {};
    parameter.values_ = Array(start, parameter.shape_, dtype_of(parameter), on_.device());
    parameter.tensor_ = Tensor(on_, parameter.values_.with_padding_rows(parameter.padding_rows()));
  }
}

void ParameterBlock::refresh() {
  if (copies_) on_.scaled(values_, 1.0, Sink::overwrite(copies_));
}

void ParameterBlock::lay_out_packed(const ParameterVisitor& visitor, WeightForm form) {
  if (on_.device().kind == Device::Kind::kCuda) {
    require<UsageError>(form != WeightForm::kInt8,
                        "weights of 8-bit integers are for the CPU; a CUDA device computes in bf16 or fp32.");
    return lay_out(visitor, form == WeightForm::kBFloat16 ? DType::kBFloat16 : DType::kFloat32, Purpose::kInference);
  }
  const auto is_packed = [](const Parameter& parameter) {
    return parameter.shape_.rank() == 2 && parameter.use_ != Use::kExact;
  };
  // The numbers of inputs and outputs of a packed matrix. A vocabulary matrix is packed as its transpose.
  const auto in = [](const Parameter& parameter) {
    return parameter.shape_.dim(parameter.use_ == Use::kVocabulary ? 1 : 0);
  };
  const auto out = [](const Parameter& parameter) {
    return parameter.shape_.dim(parameter.use_ == Use::kVocabulary ? 0 : 1);
  };
  std::size_t bytes = 0;
  std::vector<std::size_t> starts;
  for (const Parameter* parameter : visitor.parameters()) {
    starts.push_back(bytes);
    bytes += is_packed(*parameter)
                 ? on_.packed_bytes(form, in(*parameter), out(*parameter))
                 : static_cast<std::size_t>(round_up(parameter->shape_.count(), kAlignment)) * sizeof(float);
  }
  value_memory_ = on_.reserve(std::max<std::size_t>(1, bytes));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Parameter& parameter = *visitor.parameters()[i];
    void* start = static_cast<char*>(value_memory_->base()) + starts[i];
    parameter.values_ = {};
    parameter.tensor_ = {};
    parameter.packed_ = {};
    if (is_packed(parameter)) {
      parameter.packed_ = on_.packed_in(start, form, in(parameter), out(parameter));
    } else {
      parameter.values_ = Array(start, parameter.shape_, DType::kFloat32, on_.device());
      parameter.tensor_ = Tensor(on_, parameter.values_);
    }
  }
}

void store_rows(Backend& on, const NamedTensor& tensor, std::int64_t first, const Array& rows, const Array& scales) {
  if (!tensor.packed) return on.scaled(rows, 1.0, Sink::overwrite(tensor.values.row_range(first, rows.rows())));
  const bool transposed = tensor.packs_as() == Transpose::kYes;
  on.pack(rows, tensor.packs_as(), scales, tensor.first_column + (transposed ? first : 0), tensor.packed);
}

std::vector<NamedTensor> ParameterBlock::tensors_in(const Array& flat) const {
  require<ShapeError>(flat.shape() == values_.shape() && flat.dtype() == values_.dtype(), "the parameters are ",
                      values_.dtype(), " ", values_.shape(), ", but the array is ", flat.dtype(), " ", flat.shape());
  std::vector<NamedTensor> tensors = tensors_;
  for (NamedTensor& tensor : tensors) {
    const auto place = static_cast<const char*>(tensor.values.raw()) - static_cast<const char*>(values_.raw());
    tensor.values = tensor.values.moved_to(static_cast<char*>(flat.raw()) + place);
  }
  return tensors;
}

void ParameterBlock::initialise(std::uint64_t seed) {
  std::vector<double> host;
  const auto named = [this](const std::string& name) { return *std::ranges::find(tensors_, name, &NamedTensor::name); };
  for (const NamedTensor& tensor : saved()) {
    if (tensor.initial.kind == Initial::Kind::kLengths) {
      host = initial_lengths(named(tensor.directions), seed);
      const ArenaScope scratch(on_.arena());
      Array drawn = on_.empty(tensor.shape, DType::kFloat64);
      on_.copy_in(host.data(), drawn);
      on_.scaled(drawn, 1.0, Sink::overwrite(tensor.values));
      continue;
    }
    InitialValues initial(tensor, seed);
    for_stored_rows(tensor, [&](std::int64_t first, std::int64_t rows) {
      const Shape shape{rows, tensor.shape.cols()};
      host.resize(static_cast<std::size_t>(shape.count()));
      initial.draw(host);
      const ArenaScope scratch(on_.arena());
      Array drawn = on_.empty(shape, DType::kFloat64);
      on_.copy_in(host.data(), drawn);
      const Array staged = tensor.packed ? on_.empty(shape, DType::kFloat32) : drawn;
      if (tensor.packed) on_.scaled(drawn, 1.0, Sink::overwrite(staged));
      store_rows(on_, tensor, first, staged);
    });
  }
  refresh();
}

void ParameterBlock::begin_update() {
  for (Variable& variable : variables_) variable.written = false;
}

void ParameterBlock::finish_update() {
  for (Variable& variable : variables_) {
    if (!variable.written) on_.fill(variable.gradient, 0.0);
  }
}

void swap_values(Backend& on, const Array& a, const Array& b) {
  for (std::int64_t first = 0; first < a.count(); first += kStagedElements) {
    const std::int64_t count = std::min(kStagedElements, a.count() - first);
    const Array in_a = a.columns(first, count), in_b = b.columns(first, count);
    const ArenaScope scratch(on.arena());
    const Array kept = on.empty({count}, a.dtype());
    on.scaled(in_a, 1.0, Sink::overwrite(kept));
    on.scaled(in_b, 1.0, Sink::overwrite(in_a));
    on.scaled(kept, 1.0, Sink::overwrite(in_b));
  }
}

}  // namespace dragoman::params
