// Position encodings (Section 3.5 of the paper).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "dragoman/autograd/tensor.h"

namespace dragoman::nn {

enum class Sinusoids : std::uint8_t {
  // PE(pos, 2i)     = sin(pos / 10000^(2i / d_model)),
  // PE(pos, 2i + 1) = cos(pos / 10000^(2i / d_model)).
  kPaper,
  // tensor2tensor: sin(pos f_j) in channel j and cos(pos f_j) in channel d_model / 2 + j, with the frequencies
  // f_j = exp(-j ln(10000) / (d_model / 2 - 1)).
  kT2T,
  // The paper's frequencies in the order of tensor2tensor, as Transformers computes the positions of Marian:
  // sin(pos / 10000^(2j / d_model)) in channel j and the cosine of the same in channel d_model / 2 + j.
  kHalves,
};

// PE(pos, channel). kPaper and kHalves require an even d_model; kT2T sets the last channel of an odd d_model to zero.
double sinusoid(Sinusoids layout, std::int64_t position, std::int64_t channel, std::int64_t d_model);

// PE of positions first, first + 1, ...: [positions, d_model].
std::vector<float> sinusoids(Sinusoids layout, std::int64_t positions, std::int64_t d_model, std::int64_t first = 0);

// A table of sinusoidal encodings in the backend's memory; row r is for position first + r. It grows on demand, so
// there is no limit on the length of a sentence. A returned table stays valid as long as this object.
class SinusoidTable {
 public:
  SinusoidTable(Sinusoids layout, std::int64_t d_model, std::int64_t first = 0)
      : layout_(layout), d_model_(d_model), first_(first) {}

  // A table with at least this many rows. May be called from several threads.
  Tensor rows(Backend& on, std::int64_t positions, DType dtype);

 private:
  void fill(Backend& on, std::int64_t first_row, const Array& rows) const;

  Sinusoids layout_;
  std::int64_t d_model_, first_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reservation>> memory_;
  Array table_;
};

}  // namespace dragoman::nn
