// Tries other sizes of tiles and blocks for the float product of the CPU backend, with several numbers of threads, and
// times the products of translation with every kernel. It is to be run once on a new kind of processor, and takes about
// a minute; what it finds goes into backend/cpu/products/tile.h.
//
//   sweep_products [--threads 16]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "bench/flags.h"
#include "bench/packed_products.h"
#include "bench/sweep/candidate.h"
#include "bench/sweep_candidates.h"
#include "bench/timing.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/base/threads.h"

#if defined(DRAGOMAN_BENCH_OPENBLAS)
#include <cblas.h>
#include <openblas_config.h>
#endif

namespace dragoman::bench {
namespace {

struct TrainingProduct {
  const char* name;
  std::int64_t M, N, K;
  bool transposed_A, transposed_B;
};
// Products of a training step of the base model with 2,048 tokens. Those of the vocabulary have a quarter of its words.
constexpr std::int64_t kWords = 9280;
const std::vector<TrainingProduct> kTrainingProducts{
    {"x W_O", 2048, 512, 512, false, false},        {"x W_1", 2048, 2048, 512, false, false},
    {"x W_2", 2048, 512, 2048, false, false},       {"dy W_1^T", 2048, 512, 2048, false, true},
    {"x^T dy (W_O)", 512, 512, 2048, true, false},  {"x^T dy (W_1)", 512, 2048, 2048, true, false},
    {"y E^T", 1024, kWords, 512, false, true},      {"dlogits E", 1024, 512, kWords, false, false},
    {"dlogits^T y", kWords, 512, 1024, true, false}};

std::vector<float> random_floats(std::int64_t count) {
  RandomStream random(1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));
  return values;
}

// Operands of a product, with memory of their own.
struct Memory {
  explicit Memory(const TrainingProduct& p)
      : A(random_floats(p.M * p.K)),
        B(random_floats(p.K * p.N)),
        C(static_cast<std::size_t>(p.M * p.N)),
        operands{p.M, p.N, p.K, p.transposed_A, p.transposed_B, A.data(), B.data(), C.data()} {}
  std::vector<float> A, B, C;
  Operands operands;
};

std::vector<float> packed_memory(const Candidate& candidate, const Operands& operands) {
  return std::vector<float>(static_cast<std::size_t>(candidate.packed_size(operands)));
}

// Compares a candidate with the sums of the definition, for sizes that no tile divides.
void check(const Candidate& candidate) {
  for (const bool tA : {false, true}) {
    for (const bool tB : {false, true}) {
      Memory memory({"", 61, 77, 530, tA, tB});
      const Operands& o = memory.operands;
      ThreadTeam team(2);
      candidate.multiply(team, o, packed_memory(candidate, o).data());
      for (std::int64_t i = 0; i < o.M; ++i) {
        for (std::int64_t j = 0; j < o.N; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < o.K; ++k) {
            sum += static_cast<double>(tA ? o.A[k * o.M + i] : o.A[i * o.K + k]) *
                   static_cast<double>(tB ? o.B[j * o.K + k] : o.B[k * o.N + j]);
          }
          require<Error>(std::abs(sum - static_cast<double>(o.C[i * o.N + j])) < 1e-3, "the candidate ", candidate.name,
                         " gives a wrong product.");
        }
      }
    }
  }
}

// The best of a few calls, after one to warm up.
template <class Multiply>
double seconds(const Multiply& multiply) {
  multiply();
  const std::vector<double> times = times_of(multiply, 3, 0.01);
  return *std::ranges::min_element(times);
}

// The time of OpenBLAS; infinite in a build without it.
double openblas_seconds([[maybe_unused]] int threads, [[maybe_unused]] const Operands& o) {
#if defined(DRAGOMAN_BENCH_OPENBLAS)
  openblas_set_num_threads(threads);
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  const double time = seconds([&] {
    cblas_sgemm(CblasRowMajor, o.transposed_A ? CblasTrans : CblasNoTrans, o.transposed_B ? CblasTrans : CblasNoTrans,
                size(o.M), size(o.N), size(o.K), 1.0f, o.A, size(o.transposed_A ? o.M : o.K), o.B,
                size(o.transposed_B ? o.K : o.N), 0.0f, o.C, size(o.N));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // its threads go on spinning for a while
  return time;
#else
  return std::numeric_limits<double>::infinity();
#endif
}

// The time of a backend with products of bfloat16.
double bf16_seconds(const Backend& on, const Operands& o) {
  const auto matrix = [](float* data, std::int64_t rows, std::int64_t cols, bool transposed) {
    return Array(data, transposed ? Shape{cols, rows} : Shape{rows, cols}, DType::kFloat32, Device{});
  };
  const auto transpose = [](bool transposed) { return transposed ? Transpose::kYes : Transpose::kNo; };
  const Array A = matrix(o.A, o.M, o.K, o.transposed_A), B = matrix(o.B, o.K, o.N, o.transposed_B);
  Array C = matrix(o.C, o.M, o.N, false);
  return seconds([&] { on.matmul(A, transpose(o.transposed_A), B, transpose(o.transposed_B), Sink::overwrite(C)); });
}

void sweep_training(int threads) {
  const bool has_bf16 = why_no_bf16_products().empty();
  fmt::print("\nTraining, fp32, GFLOP/s, {} thread{}\n{:<14}", threads, threads == 1 ? "" : "s", "");
  for (const Candidate* candidate : kCandidates) fmt::print(" {:>12}", candidate->name);
  fmt::print(" {:>9}{}\n", "OpenBLAS", has_bf16 ? " ours,bf16" : "");
  ThreadTeam team(threads);
  const auto bf16 = has_bf16 ? make_backend(Device{}, {.threads = threads, .bf16_products = true}) : nullptr;
  double flops_of_all = 0;
  const auto print_rates = [](double flops, const std::vector<double>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      fmt::print(" {:>{}.1f}", flops / times[i], i < std::size(kCandidates) ? 12 : 9);
    }
    fmt::print("\n");
    std::fflush(stdout);
  };
  std::vector<double> times_of_all(std::size(kCandidates) + (has_bf16 ? 2 : 1));
  for (const TrainingProduct& product : kTrainingProducts) {
    const Memory memory(product);
    const double flops = 2e-9 * static_cast<double>(product.M * product.N * product.K);
    flops_of_all += flops;
    std::vector<double> times;
    for (const Candidate* candidate : kCandidates) {
      std::vector<float> packed = packed_memory(*candidate, memory.operands);
      times.push_back(seconds([&] { candidate->multiply(team, memory.operands, packed.data()); }));
    }
    times.push_back(openblas_seconds(threads, memory.operands));
    if (bf16) times.push_back(bf16_seconds(*bf16, memory.operands));
    for (std::size_t i = 0; i < times.size(); ++i) times_of_all[i] += times[i];
    fmt::print("{:<14}", product.name);
    print_rates(flops, times);
  }
  fmt::print("{:<14}", "all");
  print_rates(flops_of_all, times_of_all);
}

// Products with packed weights. A batch of 1, 8 or 32 sentences with a beam of 4 has 4, 32 or 128 rows.
void sweep_translation(const std::string& instructions, WeightForm form, int threads) {
  constexpr std::size_t kBytes = 64 << 20;
  const auto on = make_backend(Device{}, {.threads = threads, .instructions = instructions});
  const std::vector<std::int64_t> rows{4, 32, 128};
  std::vector<double> all(rows.size());
  std::string line;
  for (const PackedProduct& product : kPackedProducts) {
    PackedCopies W(*on, product, form, kBytes);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double time = seconds_of(*on, product, rows[i], W, 0.002);
      all[i] += time;
      line += fmt::format(" {:>7.0f}", 2e-9 * static_cast<double>(rows[i] * product.in * product.out) / time);
    }
  }
  const std::string kernel = form == WeightForm::kFloat32    ? "fp32"
                             : form == WeightForm::kBFloat16 ? "bf16"
                                                             : fmt::format("int8 {}", instructions);
  fmt::print("{:>2} {:<16}{}  |", threads, kernel, line);
  for (const double time : all) fmt::print(" {:>7.2f}", time * 1e3);
  fmt::print("\n");
  std::fflush(stdout);
}

void sweep_translation(const std::vector<int>& thread_counts) {
  fmt::print("\nTranslation: Gop/s with 4, 32 and 128 rows for each product, and milliseconds for all of them\n{:<19}",
             "");
  for (const PackedProduct& product : kPackedProducts)
    fmt::print(" {:>23}", fmt::format("{} x {}", product.in, product.out));
  fmt::print("  | {:>23}\n", "ms");
  const std::string used = used_instructions().name;
  std::vector<std::string> int8;  // the two best sets
  for (const InstructionSet& set : instruction_sets()) {
    if (set.usable() && set.vectors == used_instructions().vectors) int8.push_back(set.name);
  }
  if (int8.size() > 2) int8.erase(int8.begin(), int8.end() - 2);
  for (const int threads : thread_counts) {
    sweep_translation(used, WeightForm::kFloat32, threads);
    if (why_no_bf16_products().empty()) sweep_translation(used, WeightForm::kBFloat16, threads);
    for (const std::string& instructions : int8) sweep_translation(instructions, WeightForm::kInt8, threads);
  }
}

void run(int most_threads) {
  fmt::print("{}\n", cpu_instructions());
  for (const Candidate* candidate : kCandidates) check(*candidate);
  std::vector<int> thread_counts;
  for (int threads = 1; threads <= most_threads; threads *= 2) thread_counts.push_back(threads);
  for (const int threads : thread_counts) sweep_training(threads);
  sweep_translation(thread_counts);
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  int threads = dragoman::available_threads();
  dragoman::bench::read_flags(argc, argv, "Tries other sizes of tiles and blocks for matrix products on the CPU.",
                              {{"--threads", &threads, "the largest number of threads; 1, 2, 4, ... are tried"}});
  try {
    dragoman::bench::run(threads);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "sweep_products: {}\n", error.what());
    return 1;
  }
  return 0;
}
