#include "dragoman/backend/embed.h"

#include <gtest/gtest.h>

#include <map>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using EmbedKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, EmbedKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);
using EmbedKernelInDouble = KernelTestInDouble;
INSTANTIATE_TEST_SUITE_P(Devices, EmbedKernelInDouble, ::testing::ValuesIn(double_cases()), kernel_case_name);

constexpr std::int64_t kTokens = 12;

struct Batch {
  Segments segments;
  std::vector<int> ids;
  TokenRows index;
};

Batch make_batch(const Backend& on, const std::vector<int>& lengths) {
  Batch batch{make_segments(on, lengths, 3), {}, {}};
  std::map<int, Doubles> rows_of;
  for (int r = 0; r < batch.segments.R; ++r) {
    batch.ids.push_back(r * r % 7);  // the tokens 0, 1, 2 and 4, most of them more than once
    rows_of[batch.ids.back()].push_back(r);
  }
  Doubles tokens, starts{0}, rows;
  for (const auto& [token, its_rows] : rows_of) {
    tokens.push_back(token);
    rows.insert(rows.end(), its_rows.begin(), its_rows.end());
    starts.push_back(static_cast<double>(rows.size()));
  }
  const auto integers = [&](const Doubles& values) {
    return make_array(on, {static_cast<std::int64_t>(values.size())}, DType::kInt32, values);
  };
  batch.index = {integers(tokens), integers(starts), integers(rows)};
  return batch;
}

TEST_P(EmbedKernel, FollowsItsFormulas) {
  for (const double P_drop : {0.0, 0.3}) {
    const Dropout dropout = Dropout::with(P_drop, 1, 2, 3);
    for (const std::int64_t d : {1, 3, 17, 33, 513}) {
      const Batch batch = make_batch(*on, {4, 1, 1, 60});
      const std::int64_t R = batch.segments.R;
      const Array E = random_view({kTokens, d}, 1), P = random_view({70, d}, 2), dy = random_view({R, d}, 3);
      const Doubles e = values(E), p = values(P), g = values(dy);
      const Doubles sentence = values(batch.segments.sentence), position = values(batch.segments.position);
      Doubles with_P, without_P, dE(static_cast<std::size_t>(kTokens * d), 0.0),
          dP(static_cast<std::size_t>(70 * d), 0.0);
      for (std::int64_t i = 0; i < R * d; ++i) {
        const std::int64_t r = i / d, c = i % d, at = static_cast<std::int64_t>(position[r]) * d + c;
        const std::int64_t token = batch.ids[r];
        const double factor = dropout_factor(dropout, static_cast<int>(sentence[r]), static_cast<int>(position[r]), c);
        const double lookup = token == 0 ? 0 : 2.5 * e[token * d + c];
        with_P.push_back(factor * (lookup + p[at]));
        without_P.push_back(factor * lookup);
        if (token != 0) dE[token * d + c] += 2.5 * factor * g[i];
        dP[at] += factor * g[i];
      }
      Array y = random_view({R, d}, 4);
      on->embed(integers(batch.ids), batch.segments, E, P, 2.5, dropout, y);
      expect_values(y, with_P);
      on->embed(integers(batch.ids), batch.segments, E, {}, 2.5, dropout, y);
      expect_values(y, without_P);
      const auto backward = [&](Sink to_E, Sink to_P) {
        on->embed_backward(dy, batch.index, batch.segments, 2.5, dropout, to_E, to_P);
      };
      expect_in_every_sink({kTokens, d}, dE, [&](Sink sink) { backward(sink, {}); });
      expect_in_every_sink({70, d}, dP, [&](Sink sink) { backward({}, sink); });
    }
  }
}

TEST_P(EmbedKernelInDouble, GradientMatchesFiniteDifferences) {
  const Batch batch = make_batch(*on, {3, 1, 2});
  const Dropout dropout = Dropout::with(0.3, 1, 2, 3);
  const std::int64_t d = 5, R = batch.segments.R;
  const Doubles E = random_values(kTokens * d, 1), P = random_values(4 * d, 2), dy = random_values(R * d, 3);
  const auto loss = [&](const Doubles& e, const Doubles& p) {
    Array y = zeros({R, d});
    on->embed(integers(batch.ids), batch.segments, array({kTokens, d}, e), array({4, d}, p), 2.5, dropout, y);
    return dot(dy, values(y));
  };
  const Array dE = zeros({kTokens, d}), dP = zeros({4, d});
  on->embed_backward(array({R, d}, dy), batch.index, batch.segments, 2.5, dropout, Sink::overwrite(dE),
                     Sink::overwrite(dP));
  expect_near(values(dE), central_differences([&](const Doubles& e) { return loss(e, P); }, E), 1e-8);
  expect_near(values(dP), central_differences([&](const Doubles& p) { return loss(E, p); }, P), 1e-8);
}

TEST_P(EmbedKernel, AnEmptyBatchGivesNoGradient) {
  const Batch batch = make_batch(*on, {});
  expect_in_every_sink({kTokens, 3}, Doubles(kTokens * 3, 0.0), [&](Sink dE) {
    on->embed_backward(zeros({0, 3}), batch.index, batch.segments, 1, {}, dE, {});
  });
}

TEST_P(EmbedKernel, ASentenceLongerThanTheLearnedPositionsIsRefused) {
  const Batch batch = make_batch(*on, {5});
  Array y = zeros({5, 3});
  EXPECT_THROW(on->embed(integers(batch.ids), batch.segments, zeros({kTokens, 3}), zeros({4, 3}), 1, {}, y),
               ShapeError);
}

TEST_P(EmbedKernel, SameBitsWithAnyThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const Batch batch = make_batch(backend, std::vector<int>(30, 9));
    const Array dE = backend.empty({kTokens, 65}, dtype()), dP = backend.empty({9, 65}, dtype());
    const Array dy = make_array(backend, {270, 65}, dtype(), random_values(270 * 65, 1));
    backend.embed_backward(dy, batch.index, batch.segments, 1, Dropout::with(0.1, 1, 2, 3), Sink::overwrite(dE),
                           Sink::overwrite(dP));
    Doubles all = values_of(backend, dE), more = values_of(backend, dP);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  });
}

TEST_P(EmbedKernel, RefusesIdsThatAreNotInTheTable) {
  if (on_cuda()) GTEST_SKIP() << "ids on a GPU are not checked there; the code that makes them checks them";
  const Array E = random({3, 2}, 1);
  Array y = zeros({1, 2});
  for (const int id : {-1, 3}) {
    EXPECT_THROW(on->embed(integers({id}), make_segments(*on, {1}), E, {}, 1.0, {}, y), ShapeError);
  }
}

}  // namespace
}  // namespace dragoman
