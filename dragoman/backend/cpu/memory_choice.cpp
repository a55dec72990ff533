// Hard attention over a memory: the choice of a key, and the mix of values that uses it. A piece of work is one row.
#include <cmath>
#include <limits>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/memory_attention.h"
#include "dragoman/backend/cpu/memory_rows.h"
#include "dragoman/base/random.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

constexpr std::int32_t kSoft = -1;  // in place of a key: the row uses soft attention

// The random numbers of one row, as KeyChoice defines them.
struct RowNumbers {
  const KeyChoice& choice;
  std::uint32_t sentence, position;

  RowNumbers(const KeyChoice& choice_, std::int64_t r)
      : choice(choice_),
        sentence(static_cast<std::uint32_t>(choice.sentence.data<std::int32_t>()[r])),
        position(static_cast<std::uint32_t>(choice.position.data<std::int32_t>()[r])) {}

  static double uniform(std::uint32_t word) { return (word + 1.0) * 0x1p-32; }
  bool soft() const {
    return uniform(philox({0xFFFFFFFFu, 0, sentence, choice.update}, choice.key)[0]) <= choice.soft_share;
  }
  // Of the keys 4 block, ..., 4 block + 3.
  Philox4 words(std::int64_t block) const {
    return philox({static_cast<std::uint32_t>(block), position, sentence, choice.update}, choice.key);
  }
};

template <class T>
std::int32_t largest_key(const T* weights, std::int64_t keys) {
  std::int64_t best = 0;
  for (std::int64_t j = 1; j < keys; ++j) {
    if (weights[j] > weights[best]) best = j;
  }
  return static_cast<std::int32_t>(best);
}

template <class T>
std::int32_t drawn_key(const T* weights, std::int64_t keys, const RowNumbers& numbers) {
  if (numbers.soft()) return kSoft;
  const double u = RowNumbers::uniform(numbers.words(0)[0]);
  double cumulative = 0;
  std::int64_t last = 0;  // the last key with a weight, in case rounding leaves the sum below u
  for (std::int64_t j = 0; j < keys; ++j) {
    cumulative += static_cast<double>(weights[j]);
    if (cumulative >= u) return static_cast<std::int32_t>(j);
    if (weights[j] != 0) last = j;
  }
  return static_cast<std::int32_t>(last);
}

// Computes in double: random numbers near 1 would be rounded to 1 in float. `sums` has space for one number per key.
template <class T>
std::int32_t gumbel_key(const T* weights, std::int64_t keys, const RowNumbers& numbers, double* sums, T* relaxed) {
  constexpr double kLargest = 1 - 0x1p-33;
  Philox4 words{};
  std::int64_t best = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    if (j % 4 == 0) words = numbers.words(j / 4);
    const double u = std::min(RowNumbers::uniform(words[static_cast<std::size_t>(j % 4)]), kLargest);
    sums[j] = std::log(static_cast<double>(weights[j])) - std::log(-std::log(u));
    if (sums[j] > sums[best]) best = j;
  }
  double total = 0;
  const double maximum = sums[best];
  for (std::int64_t j = 0; j < keys; ++j) {
    sums[j] = std::exp((sums[j] - maximum) / numbers.choice.temperature);
    total += sums[j];
  }
  for (std::int64_t j = 0; j < keys; ++j) relaxed[j] = static_cast<T>(sums[j] / total);
  return static_cast<std::int32_t>(best);
}

// The gradient of the weights of a row that chose key `chosen`, as the contract defines it. The data of `relaxed` is
// null unless the key was chosen with Gumbel noise; then products[j] = dO . V_j.
template <class T>
struct ChoiceGradient {
  const T *weights, *relaxed, *products;
  std::int32_t chosen;
  T temperature, credit, entropy;
  T mean = 0;  // of the products, with the relaxed weights

  T operator()(std::int64_t j) const {
    if (!(weights[j] > 0)) return 0;
    T gradient = j == chosen ? credit / weights[j] : T{0};
    if (entropy != 0) gradient += entropy * std::log(weights[j]);
    if (relaxed != nullptr) gradient += relaxed[j] * (products[j] - mean) / (temperature * weights[j]);
    return gradient;
  }
};

}  // namespace

void MemoryAttention::do_choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice,
                                     Array& chosen, Array& relaxed) const {
  const bool random = choice.kind != KeyChoice::Kind::kLargest, gumbel = choice.kind == KeyChoice::Kind::kGumbel;
  if (random) expect_elements<std::int32_t>({&choice.sentence, &choice.position});
  const KeysOfRows keys(memory);
  const ArenaScope scratch(arena());
  const Array sums = gumbel ? empty({weights.rows(), memory.longest}, DType::kFloat64) : Array();
  dispatch(weights.dtype(), [&]<class T>() {
    expect_elements<T>({&relaxed});
    const auto W = matrix<const T>(weights);
    std::int32_t* key = chosen.data<std::int32_t>();
    launch(W.rows, [&](std::int64_t r) {
      const std::int64_t n = keys.count[r];
      const T* row = W.row(r);
      switch (choice.kind) {
        case KeyChoice::Kind::kLargest: key[r] = largest_key(row, n); break;
        case KeyChoice::Kind::kDrawn: key[r] = drawn_key(row, n, RowNumbers(choice, r)); break;
        case KeyChoice::Kind::kGumbel: {
          T* relaxed_row = matrix<T>(relaxed).row(r);
          key[r] = gumbel_key(row, n, RowNumbers(choice, r), matrix<double>(sums).row(r), relaxed_row);
          std::fill(relaxed_row + n, relaxed_row + W.cols, T{0});
          break;
        }
      }
      if (n == 0) key[r] = kSoft;  // there is no key to choose
    });
  });
}

void MemoryAttention::do_chosen_mix(const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory,
                                    Array& O) const {
  const KeysOfRows keys(memory);
  const std::int32_t* key = chosen.data<std::int32_t>();
  dispatch(V.dtype(), [&]<class T>() {
    expect_elements<T>({&weights, &O});
    const auto W = matrix<T>(weights), values = matrix<T>(V), Y = matrix<T>(O);
    launch(W.rows, [&](std::int64_t r) {
      const Matrix<T> v = keys.of(r, values);
      if (key[r] == kSoft) return mix_rows(W.row(r), v, Y.row(r));
      assert(key[r] < v.rows && "the chosen key is one of the row's keys");
      std::copy_n(v.row(key[r]), v.cols, Y.row(r));
    });
  });
}

void MemoryAttention::do_chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen,
                                             const Array& relaxed, double temperature, const HardCredit& credit,
                                             const Array& V, const MemoryRows& memory, Sink d_weights, Sink dV) const {
  if (dV.wanted() && !dV.accumulates()) fill(dV.array, 0);
  const KeysOfRows keys(memory);
  const std::int32_t* key = chosen.data<std::int32_t>();
  const ArenaScope scratch(arena());
  const bool with_products = !relaxed.absent() && d_weights.wanted();
  const Array products = with_products ? empty({weights.rows(), memory.longest}, V.dtype()) : Array();
  dispatch(V.dtype(), [&]<class T>() {
    expect_elements<T>({&dO, &weights, &relaxed, &credit.credit, &d_weights.array, &dV.array});
    const auto DY = matrix<T>(dO), W = matrix<T>(weights), values = matrix<T>(V), DV = sink_matrix<T>(dV);
    const T* credits = credit.credit ? credit.credit.data<T>() : nullptr;
    const WeightGradients<T> DW(d_weights);
    launch(W.rows, [&](std::int64_t r) {
      const Matrix<T> v = keys.of(r, values), dv = sink_rows(keys, r, DV);
      if (key[r] == kSoft) return mix_rows_backward(r, DY.row(r), W.row(r), v, DW, dv);
      if (dv.data != nullptr) add_scaled(T{1}, DY.row(r), v.cols, dv.row(key[r]));
      if (!DW.wanted()) return;
      ChoiceGradient<T> gradient{.weights = W.row(r),
                                 .relaxed = nullptr,
                                 .products = nullptr,
                                 .chosen = key[r],
                                 .temperature = static_cast<T>(temperature),
                                 .credit = credits == nullptr ? T{0} : credits[r],
                                 .entropy = static_cast<T>(credit.entropy)};
      if (with_products) {
        T* product = matrix<T>(products).row(r);
        for (std::int64_t j = 0; j < v.rows; ++j) product[j] = dot(DY.row(r), v.row(j), v.cols);
        gradient.relaxed = matrix<T>(relaxed).row(r);
        gradient.products = product;
        gradient.mean = dot(gradient.relaxed, gradient.products, v.rows);
      }
      DW.put(r, v.rows, gradient);
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
