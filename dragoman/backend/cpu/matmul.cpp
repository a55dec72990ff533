#include "dragoman/backend/cpu/matmul.h"

#include <type_traits>

#include "dragoman/backend/cpu/products/bf16.h"
#include "dragoman/backend/cpu/products/finish.h"
#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// For the rows of one block: multiplies dy by the derivative of ReLU and dropout at y (unless y is null), and sums dy
// by column into `sums` (unless it is null).
template <class T>
void gate_block(Matrix<T> dy, const Matrix<T>* y, T scale, std::int64_t block, T* sums) {
  if (sums != nullptr) std::fill_n(sums, dy.cols, T{0});
  for_rows(dy.rows, block, [&](std::int64_t r) {
    T* row = dy.row(r);
    if (y != nullptr) {
      const T* gate = y->row(r);
      for (std::int64_t j = 0; j < dy.cols; ++j) row[j] = gate[j] > T{0} ? row[j] * scale : T{0};
    }
    if (sums != nullptr) {
      for (std::int64_t j = 0; j < dy.cols; ++j) sums[j] += row[j];
    }
  });
}

// C = op(A) op(B), or += if it accumulates; then finish(extent) for each block of C.
template <class T, class Finish>
void compute_product(const Context& on, const Product<T>& p, Matrix<T> C, bool accumulate, const Finish& finish) {
  const ArenaScope scratch(on.arena());
  if constexpr (std::is_same_v<T, float>) {
    if (const Bf16Kernel* kernel = on.bf16_products()) {
      const Bf16Operands operands{*kernel};
      if (OperationCounter* counter = on.operations()) counter->add_executed(p.M * operands.size_of_B(p));
      const Array packed = on.empty({packed_size(operands, p)}, DType::kBFloat16);
      return run_product(on, operands, p, static_cast<std::uint16_t*>(packed.raw()), C, accumulate, finish);
    }
  }
  const FloatOperands<T> operands;
  if (OperationCounter* counter = on.operations()) counter->add_executed(p.K * elements_computed<T>(p.M, p.N));
  const Array packed = on.empty({packed_size(operands, p)}, kDTypeOf<T>);
  run_product(on, operands, p, packed.data<T>(), C, accumulate, finish);
}

}  // namespace

void Matmul::do_matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const {
  dispatch(A.dtype(), [&]<class T>() {
    const Product<T> p = product<T>(A, transpose_A, B, transpose_B);
    const auto c = matrix<T>(C.array);
    compute_product(*this, p, c, C.accumulates(), [](const Extent&) {});
  });
}

void Matmul::do_linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto out = matrix<T>(y);
    const T* bias = b ? b.data<T>() : nullptr;
    compute_product(*this, product<T>(x, Transpose::kNo, W, Transpose::kNo), out, false,
                    [&](const Extent& e) { finish_block(e, bias, activation, out); });
  });
}

void Matmul::do_linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation,
                                Sink dx, Sink dW, Sink db) const {
  const ArenaScope scratch(arena());
  const std::int64_t blocks = divide_up(dy.rows(), kRowBlock);
  if (activation.relu || db.wanted()) {
    Array partial = db.wanted() ? empty({blocks, dy.cols()}, dy.dtype()) : Array();
    dispatch(dy.dtype(), [&]<class T>() {
      const auto d = matrix<T>(dy), value = matrix<T>(y);
      const T scale = static_cast<T>(activation.dropout.on() ? activation.dropout.scale() : 1.0);
      launch(blocks, [&](std::int64_t block) {
        gate_block(d, activation.relu ? &value : nullptr, scale, block,
                   partial ? matrix<T>(partial).row(block) : nullptr);
      });
    });
    if (db.wanted()) sum_rows(partial, db);
  }
  matmul(dy, Transpose::kNo, W, Transpose::kYes, dx);
  matmul(x, Transpose::kYes, dy, Transpose::kNo, dW);
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
