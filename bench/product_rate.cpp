#include "bench/product_rate.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/timing.h"
#include "dragoman/base/random.h"
#include "dragoman/model/transformer/config.h"

#if defined(DRAGOMAN_BENCH_OPENBLAS)
#include <cblas.h>
#include <openblas_config.h>
#endif

namespace dragoman::bench {
namespace {

// GFLOP/s of one product, by the backend as the model uses it, or by OpenBLAS; 0 in a build without OpenBLAS.
double product_rate(Backend& on, const ProductShape& shape, Library library) {
  const ArenaScope scratch(on.arena());
  Array A = on.empty({shape.M, shape.K}, DType::kFloat32), B = on.empty({shape.K, shape.N}, DType::kFloat32);
  Array C = on.empty({shape.M, shape.N}, DType::kFloat32);
  RandomStream random(1);
  for (Array* x : {&A, &B}) {
    for (std::int64_t i = 0; i < x->count(); ++i) x->data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
  }
  const auto rate = [&](const auto& multiply) {
    multiply();
    std::vector<double> times(7);
    for (double& time : times) time = time_of(multiply);
    return 2e-9 * static_cast<double>(shape.M * shape.N * shape.K) / median(times);
  };
  if (library == Library::kOurs) {
    return rate([&] { on.matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C)); });
  }
#if defined(DRAGOMAN_BENCH_OPENBLAS)
  openblas_set_num_threads(on.threads());
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  return rate([&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(shape.M), size(shape.N), size(shape.K), 1.0f,
                A.data<float>(), size(shape.K), B.data<float>(), size(shape.N), 0.0f, C.data<float>(), size(shape.N));
  });
#else
  return 0;
#endif
}

}  // namespace

std::vector<ProductShape> step_shapes(const model::ModelConfig& model, std::int64_t tokens) {
  const ProductShape cube{2048, 2048, 2048};
  if (model.arch() != model::TransformerConfig::kArch) return {cube};
  const auto& config = model.as<model::TransformerConfig>();
  const auto sizes = config.encoder_sizes();
  const std::int64_t d = config.d_model, keys = sizes.h * sizes.d_k, values = sizes.h * sizes.d_v;
  return {cube,
          {tokens, 2 * keys + values, d},
          {tokens, d, values},
          {tokens, config.d_ff, d},
          {tokens, d, config.d_ff},
          {std::min<std::int64_t>(tokens, 1024), config.V_target, d}};
}

void ProductRates::measure(Backend& on) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) rates_[i].push_back(product_rate(on, shapes_[i], library_));
}

void ProductRates::print() const {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const ProductShape& shape = shapes_[i];
    fmt::print("product {:>6} x {:>6} x {:>6}  {} {:7.1f} GFLOP/s\n", shape.M, shape.N, shape.K,
               library_ == Library::kOurs ? "ours    " : "OpenBLAS", median(rates_[i]));
  }
}

double ProductRates::best() const {
  double best = 0;
  for (const std::vector<double>& rates : rates_) best = std::max(best, median(rates));
  return best;
}

}  // namespace dragoman::bench
