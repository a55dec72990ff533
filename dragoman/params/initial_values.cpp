#include "dragoman/params/initial_values.h"

#include <cmath>
#include <cstddef>
#include <numeric>

#include "dragoman/base/error.h"

namespace dragoman::params {

namespace {

constexpr std::uint32_t kInitialPurpose = 0x696E6974;  // purpose of the random streams: "init" in ASCII

// FNV-1a. The initial numbers of a tensor depend on its name, not on the tensors before it.
std::uint64_t hash_name(const std::string& name) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// Gram-Schmidt on the rows of a matrix of normal values. Every row is made orthogonal to the rows above it twice, which
// removes what rounding left the first time. This is the Q of a QR decomposition in which the diagonal of R is
// positive.
std::vector<double> orthogonal(std::int64_t n, RandomStream& random) {
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  for (double& value : matrix) value = random.normal();
  for (std::int64_t i = 0; i < n; ++i) {
    double* row = matrix.data() + i * n;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double* above = matrix.data() + j * n;
        const double product = std::inner_product(row, row + n, above, 0.0);
        for (std::int64_t k = 0; k < n; ++k) row[k] -= product * above[k];
      }
    }
    const double length = std::sqrt(std::inner_product(row, row + n, row, 0.0));
    for (std::int64_t k = 0; k < n; ++k) row[k] /= length;
  }
  return matrix;
}

}  // namespace

// A weight-normalised matrix is drawn as its directions are.
InitialValues::InitialValues(const NamedTensor& tensor, std::uint64_t seed)
    : initial_(tensor.initial),
      random_(seed, kInitialPurpose, hash_name(tensor.is_normed() ? tensor.directions : tensor.name)) {
  if (initial_.zero_first_row) first_row_ = tensor.shape.cols();
  if (initial_.kind != Initial::Kind::kOrthogonal) return;
  require<ShapeError>(tensor.shape.rows() == tensor.shape.cols(), tensor.name, " is ", tensor.shape,
                      ", but only a square matrix can be orthogonal");
  matrix_ = orthogonal(tensor.shape.rows(), random_);
}

void InitialValues::draw(std::vector<double>& values) {
  for (double& value : values) {
    value = one();
    if (drawn_ < first_row_) value = 0;
    ++drawn_;
  }
}

double InitialValues::one() {
  switch (initial_.kind) {
    case Initial::Kind::kConstant: return initial_.amount;
    case Initial::Kind::kUniform: return random_.uniform(-initial_.amount, initial_.amount);
    case Initial::Kind::kNormal: return initial_.amount * random_.normal();
    case Initial::Kind::kOrthogonal: return matrix_[static_cast<std::size_t>(drawn_)];
    case Initial::Kind::kLengths: break;  // initial_lengths() computes them
  }
  return 0;
}

std::vector<double> initial_lengths(const NamedTensor& v, std::uint64_t seed) {
  const bool of_rows = v.packs_as() == Transpose::kYes;
  const auto rows = static_cast<std::size_t>(v.shape.rows()), cols = static_cast<std::size_t>(v.shape.cols());
  std::vector<double> lengths(of_rows ? rows : cols, 0.0), row(cols);
  InitialValues initial(v, seed);
  for (std::size_t r = 0; r < rows; ++r) {
    initial.draw(row);
    for (std::size_t c = 0; c < cols; ++c) lengths[of_rows ? r : c] += row[c] * row[c];
  }
  for (double& length : lengths) length = std::sqrt(length);
  return lengths;
}

}  // namespace dragoman::params
