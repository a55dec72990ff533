// How an algorithm of the library, cuBLASLt, is chosen (Products::run):
//   1. Round the number of the batch's rows up, and look for an algorithm that was chosen before for a product like
//      this, that is, one with the same key (`key_of`: shapes, strides, types, alignments and options).
//   2. If there is none, ask the library for its proposals (`proposals_for`) and take one by a rule (`preferred`). If
//      there are no proposals, go to 4.
//   3. If the library rejects the algorithm for the exact number of rows, ask again for exactly these
//      (`choose_exactly`).
//   4. If there is still no algorithm, run() returns false, and the caller runs a plain kernel.
#include "dragoman/backend/cuda/products.h"

#include <algorithm>
#include <array>
#include <span>

#include "dragoman/backend/cuda/cublas.h"
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/memory.h"

namespace dragoman::cuda {

namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

// The library's own status does not tell an error of CUDA that stays from others.
void check_lt(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  check(lasting_error(), what);
  throw DeviceError(join("cuBLASLt failed at ", what, ": ", cublas().status_string(status), "."));
}

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return CUDA_R_32F;
    case DType::kBFloat16: return CUDA_R_16BF;
    default: throw ShapeError(join("a product was given elements of type ", dtype, " but needs float32 or bfloat16"));
  }
}

// The largest of 256, 16, 8, 4 and 2 bytes that the address is a multiple of.
std::uint32_t alignment_of(const Array& x) {
  const auto address = reinterpret_cast<std::uintptr_t>(x.raw());
  for (const std::uint32_t bytes : {256u, 16u, 8u, 4u}) {
    if (address % bytes == 0) return bytes;
  }
  return 2;
}

// Rounds up to a multiple of 16, 128 or 512: the larger the number, the coarser.
std::int64_t rounded_up(std::int64_t rows) {
  const std::int64_t grain = rows > 4096 ? 512 : rows > 512 ? 128 : 16;
  return (rows + grain - 1) / grain * grain;
}

// The numbers of rows that an algorithm is chosen for. The number of the batch's rows is rounded up. If A is not
// transposed, the rows of A and C are the batch's rows. If A alone is transposed, the rows of A and B are, and the sums
// go over them.
struct Rows {
  std::int64_t A, B, C;
};

Rows rows_of(const Product& p) {
  Rows rows{p.A.rows(), p.B.rows(), p.C.rows()};
  if (p.transpose_A == Transpose::kNo) {
    rows.A = rows.C = rounded_up(rows.A);
  } else if (p.transpose_B == Transpose::kNo) {
    rows.A = rows.B = rounded_up(rows.A);
  }
  return rows;
}

// A matrix as the library sees it: it stores matrices by columns, so our rows are its columns.
cublasLtMatrixLayoutOpaque_t layout(const Array& x, std::int64_t rows) {
  cublasLtMatrixLayoutOpaque_t made{};
  check_lt(cublas().init_layout(&made, sizeof made, type_of(x.dtype()), x.cols(), rows,
                                std::max(x.row_stride(), std::max<std::int64_t>(1, x.cols()))),
           "describing a matrix");
  return made;
}

cublasLtMatmulDescOpaque_t description(const Product& p) {
  cublasLtMatmulDescOpaque_t made{};
  check_lt(cublas().init_description(&made, sizeof made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product");
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    check_lt(cublas().set_description(&made, attribute, &value, sizeof value), "describing a product");
  };
  // Stored by columns, our matrices are their transposes: C^T = op(B)^T op(A)^T. So A and B change places.
  set(CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_B == Transpose::kYes ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_A == Transpose::kYes ? CUBLAS_OP_T : CUBLAS_OP_N);
  const cublasLtEpilogue_t epilogue = p.bias && p.relu ? CUBLASLT_EPILOGUE_RELU_BIAS
                                      : p.bias         ? CUBLASLT_EPILOGUE_BIAS
                                      : p.relu         ? CUBLASLT_EPILOGUE_RELU
                                                       : CUBLASLT_EPILOGUE_DEFAULT;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  if (p.bias) {
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(p.bias.raw()));
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type_of(p.bias.dtype()));
  }
  return made;
}

template <class T>
T config_of(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  cublas().config(&algorithm, attribute, &value, sizeof value, &written);
  return value;
}

// Whether the algorithm's tiles are so small that two blocks run on a multiprocessor at a time. Then one block writes
// its result while the other multiplies.
bool is_small(const cublasLtMatmulAlgo_t& algorithm) {
  const auto tile = config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID);
  const bool small = tile == CUBLASLT_MATMUL_TILE_128x128 || tile == CUBLASLT_MATMUL_TILE_128x160 ||
                     tile == CUBLASLT_MATMUL_TILE_168x128 || tile == CUBLASLT_MATMUL_TILE_176x128;
  constexpr std::uint32_t kCooperative = 4;  // with this option or a higher one, the warps of a block share one tile
  return small && config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION) < kCooperative &&
         config_of<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM) <= 1;
}

// The rule: the library's first proposal, with one exception. If sums are short and there are many blocks, then writing
// takes long compared with multiplying. On an H200 small tiles are 5 to 20 % faster there than the large ones that the
// library prefers.
const cublasLtMatmulHeuristicResult_t& preferred(std::span<const cublasLtMatmulHeuristicResult_t> found,
                                                 const Product& p, const Rows& rows) {
  constexpr std::int64_t kShortSum = 1024, kManyElements = 128 * 128 * 500;  // 500 tiles of 128 x 128
  const std::int64_t k = p.transpose_A == Transpose::kYes ? rows.A : p.A.cols();
  if (k > kShortSum || rows.C * p.C.cols() < kManyElements) return found.front();
  const auto small = std::ranges::find_if(found, [](const auto& one) { return is_small(one.algo); });
  return small == found.end() ? found.front() : *small;
}

// The algorithms that the library proposes, best first.
struct Proposals {
  std::array<cublasLtMatmulHeuristicResult_t, 12> found{};
  int count = 0;

  std::span<const cublasLtMatmulHeuristicResult_t> all() const {
    return std::span(found).first(static_cast<std::size_t>(count));
  }
};

Proposals proposals_for(cublasLtHandle_t handle, const Product& p, const Rows& rows) {
  cublasLtMatrixLayoutOpaque_t A = layout(p.A, rows.A), B = layout(p.B, rows.B), C = layout(p.C, rows.C);
  cublasLtMatmulDescOpaque_t operation = description(p);
  cublasLtMatmulPreferenceOpaque_t preference{};
  check_lt(cublas().init_preference(&preference, sizeof preference), "setting a preference");
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    check_lt(cublas().set_preference(&preference, attribute, &value, sizeof value), "setting a preference");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.B));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.A));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.C));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.C));
  // If several blocks share a sum, their parts must be added in the workspace, in order and in float32: never by
  // atomics, and never in the type of the result, which would round each part to bfloat16.
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  Proposals made;
  const cublasStatus_t status = cublas().heuristic(handle, &operation, &B, &A, &C, &C, &preference,
                                                   static_cast<int>(made.found.size()), made.found.data(), &made.count);
  if (status != CUBLAS_STATUS_SUCCESS) made.count = 0;
  return made;
}

std::unique_ptr<cublasLtMatmulAlgo_t> choose(cublasLtHandle_t handle, const Product& p, const Rows& rows) {
  const Proposals proposals = proposals_for(handle, p, rows);
  if (proposals.count == 0) return nullptr;
  return std::make_unique<cublasLtMatmulAlgo_t>(preferred(proposals.all(), p, rows).algo);
}

// The first proposal that the library supports for exactly these numbers of rows.
std::unique_ptr<cublasLtMatmulAlgo_t> choose_exactly(cublasLtHandle_t handle, const Product& p, const Rows& exact) {
  cublasLtMatrixLayoutOpaque_t A = layout(p.A, exact.A), B = layout(p.B, exact.B), C = layout(p.C, exact.C);
  cublasLtMatmulDescOpaque_t operation = description(p);
  const Proposals proposals = proposals_for(handle, p, exact);
  for (const cublasLtMatmulHeuristicResult_t& one : proposals.all()) {
    cublasLtMatmulHeuristicResult_t result{};
    const cublasStatus_t status = cublas().check(handle, &operation, &B, &A, &C, &C, &one.algo, &result);
    if (status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= kWorkspaceBytes) {
      return std::make_unique<cublasLtMatmulAlgo_t>(one.algo);
    }
  }
  return nullptr;
}

std::array<std::int64_t, 15> key_of(const Product& p, const Rows& rows) {
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  return {rows.A,
          rows.B,
          rows.C,
          p.A.cols(),
          p.B.cols(),
          p.A.row_stride(),
          p.B.row_stride(),
          p.C.row_stride(),
          number(p.transpose_A),
          number(p.transpose_B),
          number(p.A.dtype()) << 8 | number(p.C.dtype()),
          number(alignment_of(p.A)),
          number(alignment_of(p.B)),
          number(alignment_of(p.C)),
          (p.bias ? 1 : 0) | (p.relu ? 2 : 0) | (p.accumulate ? 4 : 0)};
}

}  // namespace

Products::Products(const Context& on) : on_(on) {
  if (on.dry()) return;
  cublasLtHandle_t made = nullptr;
  check_lt(cublas().create(&made), "starting up");
  handle_.reset(made);
  workspace_ = on.reserve(kWorkspaceBytes);
}

void Products::DestroyHandle::operator()(cublasLtHandle_t handle) const {
  const std::lock_guard lock(recording_mutex());  // destroying the handle waits for the device
  cublas().destroy(handle);
}

bool Products::run(const Product& p) {
  if (on_.dry()) return true;
  const cudaStream_t stream = on_.stream();
  const auto chosen = [&](Algorithms& algorithms, const Rows& rows, const auto& choose_for) {
    const Key key = key_of(p, rows);
    auto known = algorithms.find(key);
    if (known == algorithms.end()) known = algorithms.emplace(key, choose_for(handle_.get(), p, rows)).first;
    return known->second.get();
  };
  const cublasLtMatmulAlgo_t* algorithm = chosen(shared_, rows_of(p), choose);
  if (algorithm == nullptr) return false;
  if (multiply(p, *algorithm, stream)) return true;
  algorithm = chosen(exact_, {p.A.rows(), p.B.rows(), p.C.rows()}, choose_exactly);
  return algorithm != nullptr && multiply(p, *algorithm, stream);
}

void Products::report_slow_product(const Product& p) {
  if (reported_) return;
  reported_ = true;
  on_.report(join("cuBLASLt has no algorithm for a product of ", p.A.dtype(), " matrices ", p.A.shape(), " and ",
                  p.B.shape(),
                  ", so a plain kernel computes it, which is slow; use widths that are multiples of 8 to avoid this"));
}

bool Products::multiply(const Product& p, const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
  cublasLtMatrixLayoutOpaque_t A = layout(p.A, p.A.rows()), B = layout(p.B, p.B.rows()), C = layout(p.C, p.C.rows());
  cublasLtMatmulDescOpaque_t operation = description(p);
  const float one = 1, beta = p.accumulate ? 1 : 0;
  const Timed timed(on_.profiler(), stream, [&] {
    const bool transposed = p.transpose_A == Transpose::kYes;
    return join("product [", p.C.rows(), ", ", p.C.cols(), "] over ", transposed ? p.A.rows() : p.A.cols(),
                p.C.dtype() == DType::kFloat32 ? " to float32" : "", p.accumulate ? ", added" : "");
  });
  const cublasStatus_t status =
      cublas().matmul(handle_.get(), &operation, &one, p.B.raw(), &B, p.A.raw(), &A, &beta, p.C.raw(), &C, p.C.raw(),
                      &C, &algorithm, workspace_->base(), kWorkspaceBytes, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  check_lt(status, "a product");
  return true;
}

}  // namespace dragoman::cuda
