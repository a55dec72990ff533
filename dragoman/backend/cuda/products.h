// Matrix products through cuBLASLt. The algorithm for a shape is chosen from those that the library proposes, by a
// fixed rule and never by timing: so the same run makes the same sums in the same order.
#pragma once

#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>

#include "dragoman/array/arena.h"
#include "dragoman/array/array.h"
#include "dragoman/backend/matmul.h"

namespace dragoman::cuda {

class Context;

// C = op(A) op(B), or C += op(A) op(B) if `accumulate`; then the bias and the ReLU. Matrices are stored by rows; C is
// [m, n], and k is the number of terms of each sum.
struct Product {
  Array A, B, C;
  Transpose transpose_A = Transpose::kNo, transpose_B = Transpose::kNo;
  bool accumulate = false;
  Array bias = {};  // [n], added to every row; optional
  bool relu = false;
};

class Products {
 public:
  explicit Products(const Context& on);

  // Returns false, and does nothing, if the library has no algorithm for these shapes and alignments.
  bool run(const Product& product);

  // Reports to the user that a product runs without the library and is slow. Only the first call reports.
  void report_slow_product(const Product& product);

 private:
  using Key = std::array<std::int64_t, 15>;                                 // all that the choice depends on
  using Algorithms = std::map<Key, std::unique_ptr<cublasLtMatmulAlgo_t>>;  // null if the library has none

  struct DestroyHandle {
    void operator()(cublasLtHandle_t handle) const;
  };

  // Returns false, and does nothing, if this algorithm does not support the product.
  bool multiply(const Product& product, const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const;

  const Context& on_;
  std::unique_ptr<Reservation> workspace_;
  std::unique_ptr<std::remove_pointer_t<cublasLtHandle_t>, DestroyHandle> handle_;
  // The algorithms chosen so far. shared_: by numbers of rows that are rounded up, so that batches of about the same
  // size share an algorithm. exact_: by exact numbers of rows, for products that the shared algorithm does not support.
  Algorithms shared_, exact_;
  bool reported_ = false;
};

}  // namespace dragoman::cuda
