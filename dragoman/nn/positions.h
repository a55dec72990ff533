// Position encodings (Section 3.5 of the paper).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "dragoman/autograd/tensor.h"

namespace dragoman::nn {

enum class Sinusoids : std::uint8_t {
  kPaper,  // PE(pos, 2i) = sin(pos / 10000^(2i / d_model)),  PE(pos, 2i + 1) = cos(the same)
  kT2T,    // sines in the first half, cosines in the second; frequencies exp(-j ln(10000) / (d_model / 2 - 1))
};

// PE(pos, c) for one position. The paper's layout requires an even d_model; the other leaves an odd last channel zero.
double sinusoid(Sinusoids layout, std::int64_t position, std::int64_t channel, std::int64_t d_model);

// Sinusoidal encodings as a table in the backend's memory, row pos for position pos. It grows on demand: there is no
// longest sentence. Tables handed out stay valid as long as this object does.
class SinusoidTable {
 public:
  SinusoidTable(Sinusoids layout, std::int64_t d_model) : layout_(layout), d_model_(d_model) {}

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
