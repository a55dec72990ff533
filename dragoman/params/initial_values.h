// Draws the initial values of a tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/params/parameter.h"

namespace dragoman::params {

// Gives the values of a tensor row by row.
class InitialValues {
 public:
  // The values depend on the seed and on the tensor's name, not on the tensors before it.
  InitialValues(const NamedTensor& tensor, std::uint64_t seed);

  // The next values.
  void draw(std::vector<double>& values);

 private:
  double one();

  Initial initial_;
  RandomStream random_;
  std::int64_t drawn_ = 0, first_row_ = 0;  // first_row_: number of elements of a first row that is zero
  std::vector<double> matrix_;              // all values of an orthogonal matrix
};

// The lengths of the directions of a weight-normalised matrix, computed from the initial values of its tensor v.
std::vector<double> initial_lengths(const NamedTensor& v, std::uint64_t seed);

}  // namespace dragoman::params
