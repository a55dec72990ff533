// One training step of a preset on random sentences: its time, and the share of the machine's own matrix rate that it
// reaches. The rates are measured in the same run with the same threads: the best of a 2048^3 product and of the step's
// own shapes, for OpenBLAS's sgemm (where it is installed) and for our own product.
//
//   bench_train_step --preset base --tokens 2048 --threads 2
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/model/cost.h"
#include "dragoman/model/presets.h"
#include "dragoman/model/transformer.h"
#include "dragoman/train/trainer.h"

#if defined(DRAGOMAN_BENCH_OPENBLAS)
#include <cblas.h>
#include <openblas_config.h>
#endif

namespace dragoman {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Median time of `repeats` calls.
template <class Work>
double median_time(int repeats, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const double start = seconds();
    work();
    times.push_back(seconds() - start);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

struct ProductShape {
  std::int64_t M, N, K;
};

enum class Library { kOurs, kOpenBlas };

// GFLOP/s of one product, by the backend as the model uses it, or by OpenBLAS; 0 without OpenBLAS.
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
    return 2e-9 * static_cast<double>(shape.M * shape.N * shape.K) / median_time(7, multiply);
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

// The best rate over the shapes.
double best_rate(Backend& on, const std::vector<ProductShape>& shapes, Library library) {
  double best = 0;
  for (const ProductShape& shape : shapes) {
    const double rate = product_rate(on, shape, library);
    fmt::print("product {:>6} x {:>6} x {:>6}  {} {:7.1f} GFLOP/s\n", shape.M, shape.N, shape.K,
               library == Library::kOurs ? "ours    " : "OpenBLAS", rate);
    best = std::max(best, rate);
  }
  return best;
}

std::vector<ProductShape> step_shapes(const model::TransformerConfig& config, std::int64_t tokens) {
  const std::int64_t d = config.d_model, keys = config.h * config.key_width(), values = config.h * config.value_width();
  return {{2048, 2048, 2048},       {tokens, 2 * keys + values, d},
          {tokens, d, values},      {tokens, config.d_ff, d},
          {tokens, d, config.d_ff}, {std::min<std::int64_t>(tokens, 1024), config.V_target, d}};
}

std::vector<data::SentencePair> random_pairs(const model::TransformerConfig& config, std::int64_t tokens,
                                             std::int64_t length) {
  RandomStream random(7);
  std::vector<data::SentencePair> pairs;
  for (std::int64_t made = 0; made < tokens; made += length) {
    data::SentencePair pair;
    for (std::int64_t i = 0; i < std::min(length, tokens - made); ++i) {
      pair.source.push_back(4 + static_cast<std::int32_t>(random.below(config.V_source - 4)));
      pair.target.push_back(4 + static_cast<std::int32_t>(random.below(config.V_target - 4)));
    }
    pairs.push_back(pair);
  }
  return pairs;
}

struct Options {
  std::string preset = "base";
  std::int64_t tokens = 2048, sentence = 32;
  int threads = 0, steps = 5;
};

void run(const Options& options) {
  const model::Preset preset = model::preset(options.preset);
  const auto on = make_backend(Device{}, {.threads = options.threads});
  const std::vector<ProductShape> shapes = step_shapes(preset.model, options.tokens);
  const double ours = best_rate(*on, shapes, Library::kOurs);

  model::Transformer transformer(preset.model);
  nn::ParameterBlock block(*on, DType::kFloat32, transformer, nn::Purpose::kTraining);
  block.initialise(1);
  train::Trainer trainer(transformer, block, preset.training, {.d_model = preset.model.d_model});
  const auto pairs = random_pairs(preset.model, options.tokens, options.sentence);
  trainer.update(pairs);
  const double time = median_time(options.steps, [&] { trainer.update(pairs); });

  const double sentences = static_cast<double>(options.tokens) / static_cast<double>(options.sentence);
  const double flops = sentences * model::training_flops(preset.model, options.sentence, options.sentence);
  const double rate = flops / time * 1e-9;
  fmt::print("{}: {} + {} tokens, {} threads\n", options.preset, options.tokens, options.tokens, on->threads());
  fmt::print("step {:.1f} ms, {:.0f} target tokens/s, {:.1f} GFLOP/s\n", time * 1e3,
             static_cast<double>(options.tokens) / time, rate);
  fmt::print("{:.1f} % of the best product of our own\n", 100 * rate / ours);
#if defined(DRAGOMAN_BENCH_OPENBLAS)
  // Last, because its idle threads keep a processor busy for a while.
  fmt::print("{:.1f} % of the best sgemm of OpenBLAS\n", 100 * rate / best_rate(*on, shapes, Library::kOpenBlas));
#endif
}

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) {
  CLI::App program("training step of a preset, as a share of the machine's matrix rate");
  dragoman::Options options;
  program.add_option("--preset", options.preset, "which model");
  program.add_option("--tokens", options.tokens, "source tokens, and as many target tokens");
  program.add_option("--sentence", options.sentence, "tokens in a sentence");
  program.add_option("--threads", options.threads, "0: all");
  program.add_option("--steps", options.steps, "timed steps");
  CLI11_PARSE(program, argc, argv);
  try {
    dragoman::require<dragoman::UsageError>(options.tokens > 0 && options.sentence > 0 && options.steps > 0,
                                            "tokens, sentence and steps must be above 0.");
    dragoman::run(options);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "bench_train_step: {}\n", error.what());
    return 1;
  }
  return 0;
}
