// Matrix products through cuBLASLt. An algorithm is chosen from what the library offers for a shape by rule, never as
// the winner of a race against the clock: the same run makes the same sums in the same order.
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

// C = op(A) op(B), by rows: C is [m, n], and k the length of the sums.
struct Product {
  Array A, B, C;
  Transpose transpose_A = Transpose::kNo, transpose_B = Transpose::kNo;
  bool accumulate = false;
  Array bias = {};  // [n], added to every row, or absent
  bool relu = false;
};

class Products {
 public:
  explicit Products(const Context& on);

  // False if the library has no algorithm for these shapes and alignments: nothing was done.
  bool run(const Product& product);

  // Tells the user, at the first call, that a product runs without the library and is slow.
  void report_slow_product(const Product& product);

 private:
  using Key = std::array<std::int64_t, 15>;                                 // what an algorithm is chosen by
  using Algorithms = std::map<Key, std::unique_ptr<cublasLtMatmulAlgo_t>>;  // nothing where there is none

  struct End {
    void operator()(cublasLtHandle_t handle) const;
  };

  // False if this algorithm cannot do it: nothing was done.
  bool multiply(const Product& product, const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const;

  const Context& on_;
  std::unique_ptr<Reservation> workspace_;
  std::unique_ptr<std::remove_pointer_t<cublasLtHandle_t>, End> handle_;
  // By numbers of rows that are rounded up, so that batches of about one size share an algorithm; and by exact ones,
  // for what the shared one cannot do.
  Algorithms shared_, exact_;
  bool reported_ = false;
};

}  // namespace dragoman::cuda
