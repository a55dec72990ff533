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
};

// PE(pos, channel). kPaper requires an even d_model; kT2T sets the last channel of an odd d_model to zero.
double sinusoid(Sinusoids layout, std::int64_t position, std::int64_t channel, std::int64_t d_model);

// PE of the first positions, [positions, d_model].
std::vector<float> sinusoids(Sinusoids layout, std::int64_t positions, std::int64_t d_model);

// A table of sinusoidal encodings in the backend's memory; row pos is for position pos. It grows on demand, so there is
// no limit on the length of a sentence. A returned table stays valid as long as this object.
class SinusoidTable {
 public:
  SinusoidTable(Sinusoids layout, std::int64_t d_model) : layout_(layout), d_model_(d_model) {}

  // A table with at least this many rows. May be called from several threads.
  Tensor rows(Backend& on, std::int64_t positions, DType dtype);

 private:
  void fill(Backend& on, std::int64_t first, const Array& rows) const;

  Sinusoids layout_;
  std::int64_t d_model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reservation>> memory_;
  Array table_;
};

}  // namespace dragoman::nn
