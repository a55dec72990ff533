#include "dragoman/ops/matmul.h"

namespace dragoman::ops {

Tensor matmul(const Tensor& A, const Tensor& B, Transpose transpose_B) {
  const bool transposed = transpose_B == Transpose::kYes;
  const auto [rows_B, cols_B] = B.dims<2>();
  Backend& on = A.backend();
  Array C = on.empty({A.rows(), transposed ? rows_B : cols_B}, A.array().dtype());
  on.matmul(A.array(), Transpose::kNo, B.array(), transpose_B, Sink::overwrite(C));

  return record(C, {A, B}, [&on, transposed, A = A.array(), B = B.array()](const Array& dC, Sinks& d) {
    const Transpose other = transposed ? Transpose::kNo : Transpose::kYes;
    on.matmul(dC, Transpose::kNo, B, other, d.into(0));
    if (transposed) {
      on.matmul(dC, Transpose::kYes, A, Transpose::kNo, d.into(1));
    } else {
      on.matmul(A, Transpose::kYes, dC, Transpose::kNo, d.into(1));
    }
  });
}

}  // namespace dragoman::ops
