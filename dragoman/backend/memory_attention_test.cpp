#include "dragoman/backend/memory_attention.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

// A row for each count. The rows have their memory rows in reverse order, and before each range of memory rows there is
// one that no query uses.
struct Sizes {
  std::vector<int> counts;
  std::int64_t a = 1, d_v = 1;

  std::int64_t n() const { return static_cast<std::int64_t>(counts.size()); }
  std::vector<int> first() const {
    std::vector<int> rows(counts.size());
    int next = 0;
    for (std::size_t r = counts.size(); r-- > 0; next += counts[r]) rows[r] = ++next;
    return rows;
  }
  std::int64_t memory_rows() const { return counts.empty() ? 1 : first().front() + counts.front(); }
  std::int64_t longest() const { return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()); }
};

const std::vector<Sizes> kSizes = {{{1}, 1, 1},
                                   {{}, 3, 2},
                                   {{0, 2}, 3, 5},
                                   {{5, 1, 17, 33, 3}, 37, 19},
                                   {{4, 70, 9}, 128, 130},
                                   {{3, 2, 2, 8, 1, 6, 2, 5, 3}, 16, 64}};

class MemoryAttentionKernel : public KernelTest {
 protected:
  MemoryRows memory(const Sizes& sizes) const {
    return {integers(sizes.first()), integers(sizes.counts), sizes.longest()};
  }
  // The inputs of a call, with the arrays of each row.
  struct Inputs {
    Array q, K, v, V, dO;
  };
  Inputs inputs(const Sizes& sizes) const {
    return {.q = random_view({sizes.n(), sizes.a}, 1),
            .K = random_view({sizes.memory_rows(), sizes.a}, 2),
            .v = random({sizes.a}, 3),
            .V = random_view({sizes.memory_rows(), sizes.d_v}, 4),
            .dO = random_view({sizes.n(), sizes.d_v}, 5)};
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, MemoryAttentionKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);
class MemoryAttentionKernelInDouble : public MemoryAttentionKernel {};
INSTANTIATE_TEST_SUITE_P(Devices, MemoryAttentionKernelInDouble, ::testing::ValuesIn(double_cases()), kernel_case_name);

// The definitions, on plain numbers and for all rows: `weights` and `d_weights` are [n, w], the others as in the
// contract. v is empty for dot products.
struct Definition {
  Sizes sizes;
  std::int64_t w;
  Doubles q, K, v, V;
  double scale;

  // Calls work(r, j, memory row of key j) for all keys.
  template <class Work>
  void for_keys(const Work& work) const {
    const std::vector<int> first = sizes.first();
    for (std::int64_t r = 0; r < sizes.n(); ++r) {
      for (std::int64_t j = 0; j < sizes.counts[static_cast<std::size_t>(r)]; ++j) {
        work(r, j, first[static_cast<std::size_t>(r)] + j);
      }
    }
  }
  static double at(const Doubles& x, std::int64_t row, std::int64_t column, std::int64_t cols) {
    return x[static_cast<std::size_t>(row * cols + column)];
  }
  static double& at(Doubles& x, std::int64_t row, std::int64_t column, std::int64_t cols) {
    return x[static_cast<std::size_t>(row * cols + column)];
  }
  static Doubles zeros(std::int64_t count) { return Doubles(static_cast<std::size_t>(count), 0.0); }

  Doubles weights() const {
    Doubles y = zeros(sizes.n() * w), sums = zeros(sizes.n());
    for_keys([&](std::int64_t r, std::int64_t j, std::int64_t m) {
      double score = 0;
      for (std::int64_t c = 0; c < sizes.a; ++c) {
        const double x = at(q, r, c, sizes.a), k = at(K, m, c, sizes.a);
        score += v.empty() ? x * k : v[static_cast<std::size_t>(c)] * std::tanh(x + k);
      }
      sums[static_cast<std::size_t>(r)] += at(y, r, j, w) = std::exp(scale * score);
    });
    for_keys(
        [&](std::int64_t r, std::int64_t j, std::int64_t) { at(y, r, j, w) /= sums[static_cast<std::size_t>(r)]; });
    return y;
  }
  struct ScoreGradients {
    Doubles dq, dK, dv;
  };
  ScoreGradients weights_backward(const Doubles& d_weights, const Doubles& weights) const {
    ScoreGradients d{zeros(sizes.n() * sizes.a), zeros(sizes.memory_rows() * sizes.a), zeros(sizes.a)};
    Doubles mean = zeros(sizes.n());
    for_keys([&](std::int64_t r, std::int64_t j, std::int64_t) {
      mean[static_cast<std::size_t>(r)] += at(weights, r, j, w) * at(d_weights, r, j, w);
    });
    for_keys([&](std::int64_t r, std::int64_t j, std::int64_t m) {
      const double ds = scale * at(weights, r, j, w) * (at(d_weights, r, j, w) - mean[static_cast<std::size_t>(r)]);
      for (std::int64_t c = 0; c < sizes.a; ++c) {
        const double x = at(q, r, c, sizes.a), k = at(K, m, c, sizes.a);
        if (v.empty()) {
          at(d.dq, r, c, sizes.a) += ds * k;
          at(d.dK, m, c, sizes.a) += ds * x;
          continue;
        }
        const double hidden = std::tanh(x + k), d_sum = ds * v[static_cast<std::size_t>(c)] * (1 - hidden * hidden);
        d.dv[static_cast<std::size_t>(c)] += ds * hidden;
        at(d.dq, r, c, sizes.a) += d_sum;
        at(d.dK, m, c, sizes.a) += d_sum;
      }
    });
    return d;
  }
  Doubles mix(const Doubles& weights) const {
    Doubles O = zeros(sizes.n() * sizes.d_v);
    for_keys([&](std::int64_t r, std::int64_t j, std::int64_t m) {
      for (std::int64_t c = 0; c < sizes.d_v; ++c) {
        at(O, r, c, sizes.d_v) += at(weights, r, j, w) * at(V, m, c, sizes.d_v);
      }
    });
    return O;
  }
  struct MixGradients {
    Doubles d_weights, dV;
  };
  MixGradients mix_backward(const Doubles& dO, const Doubles& weights) const {
    MixGradients d{zeros(sizes.n() * w), zeros(sizes.memory_rows() * sizes.d_v)};
    for_keys([&](std::int64_t r, std::int64_t j, std::int64_t m) {
      for (std::int64_t c = 0; c < sizes.d_v; ++c) {
        at(d.d_weights, r, j, w) += at(dO, r, c, sizes.d_v) * at(V, m, c, sizes.d_v);
        at(d.dV, m, c, sizes.d_v) += at(weights, r, j, w) * at(dO, r, c, sizes.d_v);
      }
    });
    return d;
  }
};

// a b for a matrix b with `cols` columns.
Doubles product(const Doubles& a, const Doubles& b, std::size_t cols) {
  const std::size_t inner = b.size() / cols, rows = a.size() / inner;
  Doubles y(rows * cols, 0.0);
  for (std::size_t i = 0; i < rows * cols; ++i) {
    for (std::size_t k = 0; k < inner; ++k) y[i] += a[i / cols * inner + k] * b[k * cols + i % cols];
  }
  return y;
}

TEST_P(MemoryAttentionKernel, WorkedExample) {
  const Doubles H = {1, 0, 0.5, -1, -0.5, 2}, s = {0.8, -0.3};
  const MemoryRows three{integers({0}), integers({3}), 3};
  const Array V = array({3, 2}, H);
  Array weights = zeros({1, 3}), context = zeros({1, 2});
  const auto expect = [&](const Array& q, const Array& K, const Array& v, double scale, const Doubles& alpha,
                          const Doubles& c) {
    on->memory_weights(q, K, v, scale, three, weights);
    on->memory_mix(weights, V, three, context);
    expect_near(values(weights), alpha, 2e-6);
    expect_near(values(context), c, 2e-6);
  };
  const Array q = array({1, 2}, s);
  expect(q, V, {}, 1, {0.483060, 0.437091, 0.079849}, {0.661681, -0.277392});
  expect(q, V, {}, std::sqrt(0.5), {0.452125, 0.421259, 0.126617}, {0.599445, -0.168025});
  // The additive score v . tanh(s W_s + h W_h + b).
  const Doubles b = {0.05, 0, -0.1};
  const Doubles projected = map(product(s, {0.6, -0.2, 0.1, 0.3, 0.5, -0.4}, 3), b, std::plus<>());
  expect(array({1, 3}, projected), array({3, 3}, product(H, {0.2, 0.4, -0.6, -0.5, 0.1, 0.3}, 3)),
         array({3}, {1, -0.7, 0.5}), 1, {0.303453, 0.462165, 0.234383}, {0.417344, 0.006601});
}

TEST_P(MemoryAttentionKernel, WeightsAndMixFollowTheirDefinitions) {
  for (const Sizes& sizes : kSizes) {
    const Inputs in = inputs(sizes);
    for (const bool additive : {false, true}) {
      const std::int64_t w = sizes.longest() + 2;
      const double scale = 0.3;
      const Array v = additive ? in.v : Array();
      Array weights = random_view({sizes.n(), w}, 6), O = random_view({sizes.n(), sizes.d_v}, 7);
      on->memory_weights(in.q, in.K, v, scale, memory(sizes), weights);
      on->memory_mix(weights, in.V, memory(sizes), O);
      const Definition is{sizes,        w,    values(in.q), values(in.K), additive ? values(in.v) : Doubles(),
                          values(in.V), scale};
      expect_values(weights, is.weights(), 4);
      expect_values(O, is.mix(is.weights()), 10);
      for (std::int64_t r = 0; r < sizes.n(); ++r) {  // nothing is left of what was there
        const std::int64_t keys = sizes.counts[static_cast<std::size_t>(r)];
        for (const double rest : values(weights.row_range(r, 1).columns(keys, w - keys))) EXPECT_EQ(rest, 0);
      }
    }
  }
}

TEST_P(MemoryAttentionKernel, BackwardFollowsItsDefinitionInEverySink) {
  for (const Sizes& sizes : kSizes) {
    const Inputs in = inputs(sizes);
    const MemoryRows rows = memory(sizes);
    const std::int64_t w = sizes.longest() + 1, m = sizes.memory_rows();
    Array weights = random_view({sizes.n(), w}, 6);
    const Array d_weights = random_view({sizes.n(), w}, 8);
    for (const bool additive : {false, true}) {
      const double scale = 0.3;
      const Array v = additive ? in.v : Array();
      const Definition is{sizes,        w,    values(in.q), values(in.K), additive ? values(in.v) : Doubles(),
                          values(in.V), scale};
      on->memory_weights(in.q, in.K, v, scale, rows, weights);
      const auto scores = is.weights_backward(values(d_weights), values(weights));
      const auto backward = [&](Sink dq, Sink dK, Sink dv) {
        on->memory_weights_backward(d_weights, weights, in.q, in.K, v, scale, rows, dq, dK, dv);
      };
      const auto other = [&](const Shape& shape) { return Sink::overwrite(zeros(shape)); };
      const Sink dv = additive ? other({sizes.a}) : Sink();
      expect_in_every_sink(
          {sizes.n(), sizes.a}, scores.dq, [&](Sink dq) { backward(dq, {}, {}); }, 20);
      expect_in_every_sink(
          {sizes.n(), sizes.a}, scores.dq,
          [&](Sink dq) {
            backward(dq, other({m, sizes.a}), dv);
          },
          20);
      expect_in_every_sink(
          {m, sizes.a}, scores.dK, [&](Sink dK) { backward({}, dK, {}); }, 20);
      expect_in_every_sink(
          {m, sizes.a}, scores.dK,
          [&](Sink dK) {
            backward(other({sizes.n(), sizes.a}), dK, dv);
          },
          20);
      if (additive)
        expect_in_every_sink(
            {1, sizes.a}, scores.dv, [&](Sink sum) { backward({}, {}, sum); }, 20);

      const auto mix = is.mix_backward(values(in.dO), values(weights));
      const auto mix_backward = [&](Sink dw, Sink dV) { on->memory_mix_backward(in.dO, weights, in.V, rows, dw, dV); };
      expect_in_every_sink(
          {sizes.n(), w}, mix.d_weights, [&](Sink dw) { mix_backward(dw, {}); }, 20);
      expect_in_every_sink(
          {m, sizes.d_v}, mix.dV,
          [&](Sink dV) {
            mix_backward(other({sizes.n(), w}), dV);
          },
          20);
    }
  }
}

TEST_P(MemoryAttentionKernelInDouble, GradientMatchesFiniteDifferences) {
  const Sizes sizes{{3, 1, 6}, 5, 4};
  const MemoryRows rows = memory(sizes);
  const std::int64_t w = 6, m = sizes.memory_rows();
  const Inputs in = inputs(sizes);
  const Doubles q = values(in.q), K = values(in.K), v = values(in.v), V = values(in.V), dO = values(in.dO);
  for (const bool additive : {false, true}) {
    const auto v_array = [&](const Doubles& v_now) { return additive ? array({sizes.a}, v_now) : Array(); };
    Array weights = zeros({3, w}), O = zeros({3, sizes.d_v});
    const auto loss = [&](const Doubles& q_now, const Doubles& K_now, const Doubles& v_now, const Doubles& V_now) {
      on->memory_weights(array({3, sizes.a}, q_now), array({m, sizes.a}, K_now), v_array(v_now), 0.7, rows, weights);
      on->memory_mix(weights, array({m, sizes.d_v}, V_now), rows, O);
      return dot(values(O), dO);
    };
    loss(q, K, v, V);
    const Array d_weights = zeros({3, w}), dq = zeros({3, sizes.a}), dK = zeros({m, sizes.a}), dv = zeros({sizes.a}),
                dV = zeros({m, sizes.d_v});
    on->memory_mix_backward(in.dO, weights, in.V, rows, Sink::overwrite(d_weights), Sink::overwrite(dV));
    on->memory_weights_backward(d_weights, weights, in.q, in.K, v_array(v), 0.7, rows, Sink::overwrite(dq),
                                Sink::overwrite(dK), additive ? Sink::overwrite(dv) : Sink());
    const double close = 1e-8;
    expect_near(values(dq), central_differences([&](const Doubles& x) { return loss(x, K, v, V); }, q), close);
    expect_near(values(dK), central_differences([&](const Doubles& x) { return loss(q, x, v, V); }, K), close);
    expect_near(values(dV), central_differences([&](const Doubles& x) { return loss(q, K, v, x); }, V), close);
    if (additive) {
      expect_near(values(dv), central_differences([&](const Doubles& x) { return loss(q, K, x, V); }, v), close);
    }
  }
}

TEST_P(MemoryAttentionKernel, ARowDependsNeitherOnTheOthersNorOnTheWidthOfTheWeights) {
  const Sizes sizes{{9, 33, 1, 20}, 37, 70};
  const Inputs in = inputs(sizes);
  const std::vector<int> first = sizes.first();
  const std::int64_t m = sizes.memory_rows();
  // The results for rows [top, top + count), with weights that are `w` wide: of each row its weights, context,
  // gradients of weights and query; then the gradients of all keys and values.
  const auto run = [&](std::int64_t top, std::int64_t count, std::int64_t w, bool additive) {
    const Array q = in.q.row_range(top, count), dO = in.dO.row_range(top, count);
    const auto begin = static_cast<std::ptrdiff_t>(top), end = static_cast<std::ptrdiff_t>(top + count);
    const MemoryRows rows{integers({first.begin() + begin, first.begin() + end}),
                          integers({sizes.counts.begin() + begin, sizes.counts.begin() + end}), w};
    Array weights = zeros({count, w}), O = zeros({count, sizes.d_v});
    const Array d_weights = zeros({count, w}), dq = zeros({count, sizes.a}), dK = zeros({m, sizes.a}),
                dV = zeros({m, sizes.d_v});
    const Array v = additive ? in.v : Array();
    on->memory_weights(q, in.K, v, 0.5, rows, weights);
    on->memory_mix(weights, in.V, rows, O);
    on->memory_mix_backward(dO, weights, in.V, rows, Sink::overwrite(d_weights), Sink::overwrite(dV));
    on->memory_weights_backward(d_weights, weights, q, in.K, v, 0.5, rows, Sink::overwrite(dq), Sink::overwrite(dK),
                                {});
    return std::vector<Array>{weights, O, d_weights, dq, dK, dV};
  };
  for (const bool additive : {false, true}) {
    const std::vector<Array> all = run(0, 4, 50, additive);
    for (std::int64_t r = 0; r < 4; ++r) {
      const std::int64_t keys = sizes.counts[static_cast<std::size_t>(r)], from = first[static_cast<std::size_t>(r)];
      const std::vector<Array> one = run(r, 1, keys, additive);
      for (const std::size_t i : {0, 2}) {
        EXPECT_EQ(values(all[i].row_range(r, 1).columns(0, keys)), values(one[i]));
      }
      for (const std::size_t i : {1, 3}) EXPECT_EQ(values(all[i].row_range(r, 1)), values(one[i]));
      for (const std::size_t i : {4, 5}) {
        EXPECT_EQ(values(all[i].row_range(from, keys)), values(one[i].row_range(from, keys)));
      }
    }
  }
}

TEST_P(MemoryAttentionKernel, ResultsDoNotDependOnTheNumberOfThreads) {
  const Sizes sizes{std::vector<int>(70, 3), 20, 9};
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& with) {
    const auto made = [&](const Shape& shape, std::uint64_t seed) {
      return make_array(with, shape, dtype(), random_values(shape.count(), seed));
    };
    const auto numbers = [&](const std::vector<int>& x) {
      return make_array(with, {sizes.n()}, DType::kInt32, {x.begin(), x.end()});
    };
    const MemoryRows rows{numbers(sizes.first()), numbers(sizes.counts), 3};
    const Array q = made({70, 20}, 1), K = made({sizes.memory_rows(), 20}, 2), v = made({20}, 3),
                d_weights = made({70, 3}, 4), dv = made({20}, 5);
    Array weights = made({70, 3}, 6);
    with.memory_weights(q, K, v, 1, rows, weights);
    with.memory_weights_backward(d_weights, weights, q, K, v, 1, rows, {}, {}, Sink::overwrite(dv));
    return values_of(with, dv);
  });
}

TEST_P(MemoryAttentionKernel, ManyKeysAndLargeScoresDoNotOverflow) {
  const Sizes sizes{{5000}, 2, 1};
  Doubles K(2 * static_cast<std::size_t>(sizes.memory_rows()), 0.0);
  K[2 * 4000] = 300;  // key 3999, because memory row 0 belongs to nobody
  Array weights = zeros({1, 5000}), O = zeros({1, 1});
  on->memory_weights(array({1, 2}, {300, 0}), array({5001, 2}, K), {}, 1, memory(sizes), weights);
  EXPECT_EQ(values(weights)[3999], 1);
  const Array V = random({5001, 1}, 1);
  on->memory_mix(weights, V, memory(sizes), O);
  EXPECT_EQ(values(O)[0], values(V)[4000]);
}

}  // namespace
}  // namespace dragoman
