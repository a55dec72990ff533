// The gradients of attention for long sentences, in two launches: dQ by tiles of 64 queries, then dK and dV by tiles
// of 64 keys.
#pragma once

#include "dragoman/backend/cuda/attention/backward.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kLongWarps = 4, kLongRows = kLongWarps * kStep;  // warps and rows of a tile of a long sentence

// The 16 queries of a warp with the sum of their gradient: `query` is the position of the first one in its sentence.
// Scores are not transposed here: their rows are queries. A lane has the statistics of the rows lane / 4 and
// lane / 4 + 8.
template <int D, bool kDrops>
struct QueryRows {
  int query;
  float shifts[2], deltas[2];
  float dQ[D / 8][4] = {};

  // Adds the part of `steps` times kStep keys from `key` on, kSteps at most. The tiles K and V begin with these keys; Q
  // and dO begin with this warp's queries.
  template <int kSteps>
  __device__ void add_keys(const Problem& problem, const Sentence& sentence, int head, int key, int steps, Tile<D> Q,
                           Tile<D> dO, Tile<D> K, Tile<D> V) {
    // 1. Scores Q K^T and dO V^T.
    float weights[2 * kSteps][4] = {}, d_weights[2 * kSteps][4] = {};
    multiply_rows<D, kSteps>(Q, K, steps, weights);
    multiply_rows<D, kSteps>(dO, V, steps, d_weights);
    const float scale = problem.scale * kLog2e;
    hide_unseen<false>(problem.sight, sentence.n_k, query, key, 2 * steps, weights);
    // 2. Turn `d_weights` into dS.
#pragma unroll
    for (int n = 0; n < 2 * kSteps; ++n) {
      if (n >= 2 * steps) break;
      unsigned kept = 0;
      if constexpr (kDrops) {
        kept = kept_by_query(problem.dropout, sentence.first_query + query, sentence.n_q - query,
                             static_cast<unsigned>(head) * sentence.n_k + key + n * 8);
      }
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float weight = power_of_two(weights[n][e] * scale - shifts[e / 2]);
        const float factor = !kDrops ? 1.0f : kept >> e & 1 ? problem.dropout.scale : 0.0f;
        d_weights[n][e] = weight * (factor * d_weights[n][e] - deltas[e / 2]);
      }
    }
    // 3. dQ += dS K, without the scale.
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      if (s >= steps) break;
      std::uint32_t d_scores[4];
      as_operand(d_weights[2 * s], d_weights[2 * s + 1], d_scores);
      multiply_columns<D>(d_scores, K.from(s * kStep), dQ);
    }
  }
};

// dQ of a tile of 64 queries of one sentence and head, and the deltas, which gradients_of_keys reads later. Warp w owns
// queries [16 w, 16 w + 16) of the tile. Shared memory, each field 64 rows long:
//
//   | Q | dO | K of tiles 0, 2 ... | V of tiles 0, 2 ... | O, then K of tiles 1, 3 ... | V of tiles 1, 3 ... | deltas
//
//   1. Copy dO and O, then Q and the first tile of K and V. Compute the deltas while the second group arrives, and
//      write them to global memory. O lies where the keys of tile 1 go: these are copied only after the barrier.
//   2. For each tile i of keys: start to copy tile i + 1 into the other buffer, wait for tile i, and let each warp add
//      its part to dQ, 32 keys at a time.
//   3. Each warp writes its dQ, staged in its own rows of Q.
template <int D, bool kDrops>
__global__ void __launch_bounds__(kLongWarps* kWarp, D > 64 ? 2 : 3)
    gradients_of_queries(Problem problem, Backward<bf16> on, GridPlan plan) {
  extern __shared__ __align__(kAlignment) unsigned char shared[];
  const Team team(plan);
  const Work work(plan, team);
  if (work.sentence >= plan.B) return;
  const Sentence sentence(problem, work.sentence);
  const int first = work.tile * kLongRows, queries = min(kLongRows, sentence.n_q - first);
  if (queries <= 0) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v;

  const Tile<D> Q{shared_address(shared)}, dO = Q.from(kLongRows);
  const auto keys_of = [&](int i) { return dO.from((1 + i % 2 * 2) * kLongRows); };  // the values follow
  const Tile<D> O = keys_of(1);
  const FloatTile deltas{dO.from(5 * kLongRows).address};

  // Outside the keys [from, to) no query of the tile sees a key.
  const int from = problem.sight.first_key(first) / kStep * kStep;
  const int to = problem.sight.end_key(first + queries - 1, sentence.n_k);
  const auto load_keys = [&](int i) {
    const int key = from + i * kLongRows, keys = min(kLongRows, to - key);
    const std::int64_t row = sentence.first_key + key;
    load_rows(team, keys_of(i), on.K.row(row) + head * d_k, on.K.stride, d_k, keys);
    load_rows(team, keys_of(i).from(kLongRows), on.V.row(row) + head * d_v, on.V.stride, d_v, keys);
  };
  // Pass 1.
  const std::int64_t row = sentence.first_query + first;
  load_rows(team, dO, on.dO.row(row) + head * d_v, on.dO.stride, d_v, queries);
  load_rows(team, O, on.O.row(row) + head * d_v, on.O.stride, d_v, queries);
  end_copies();
  load_rows(team, Q, on.Q.row(row) + head * d_k, on.Q.stride, d_k, queries);
  load_keys(0);
  end_copies();
  await_copies<1>();
  compute_deltas(team, dO, O, queries, deltas);
  await_copies<0>();
  team.sync();
  if (team.thread < queries) on.deltas.row(row + team.thread)[head] = deltas.get(team.thread);
  if (on.dQ.data == nullptr) return;

  // Pass 2.
  const int own = team.warp * kStep, rows = min(kStep, queries - own);
  // A number of the row of this lane's element e. Elements 0 and 1 are in one row, elements 2 and 3 in another.
  const auto statistic = [&](const auto& of, int e) { return row_of(e) < rows ? of(own + row_of(e)) : 0.0f; };
  const auto log_sum = [&](int i) { return on.log_sums.row(row + i)[head]; };
  const auto delta = [&](int i) { return deltas.get(i); };
  QueryRows<D, kDrops> sums{.query = first + own,
                            .shifts = {shift_of(statistic(log_sum, 0)), shift_of(statistic(log_sum, 2))},
                            .deltas = {statistic(delta, 0), statistic(delta, 2)}};
  const int tiles = to > from ? static_cast<int>(divide_up(to - from, kLongRows)) : 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) load_keys(i + 1);
    end_copies();
    await_copies<1>();
    team.sync();
    const int begin = from + i * kLongRows, end = min(to, begin + kLongRows);
    for (int key = begin; key < end && rows > 0; key += 2 * kStep) {
      if (problem.sight.sees_none(first + own, kStep, key, 2 * kStep)) continue;
      const Tile<D> K = keys_of(i).from(key - begin);
      sums.template add_keys<2>(problem, sentence, head, key, min(2, in_steps(end - key) / kStep), Q.from(own),
                                dO.from(own), K, K.from(kLongRows));
    }
    team.sync();
  }
  // Pass 3.
  if (rows <= 0) return;
  put_rows<D>(sums.dQ, problem.scale, problem.scale, Q.from(own), destination(on.dQ, row + own, head, d_k), rows);
}

// dK and dV of a tile of 64 keys of one sentence and head. Runs after gradients_of_queries, which writes the deltas.
// Warp w owns keys [16 w, 16 w + 16) of the tile. Shared memory, each field 64 rows long:
//
//   | K | V | Q of tiles 0, 2 ... | dO of tiles 0, 2 ... | Q of tiles 1, 3 ... | dO of tiles 1, 3 ... | statistics |
//   statistics, 64 floats each:  | log_sums, deltas of tiles 0, 2 ... | log_sums, deltas of tiles 1, 3 ... |
//
//   1. Start to copy K, V and the first tile of queries.
//   2. For each tile i of queries: start to copy tile i + 1 into the other buffer, wait for tile i, and let each warp
//      add its part to dK and dV, 16 queries at a time.
//   3. Each warp writes its dK and dV, staged in its own rows of V.
template <int D, bool kDrops>
__global__ void __launch_bounds__(kLongWarps* kWarp, D > 64 ? 2 : 3)
    gradients_of_keys(Problem problem, Backward<bf16> on, GridPlan plan) {
  extern __shared__ __align__(kAlignment) unsigned char shared[];
  const Team team(plan);
  const Work work(plan, team);
  if (work.sentence >= plan.B) return;
  const Sentence sentence(problem, work.sentence);
  const int first = work.tile * kLongRows, keys = min(kLongRows, sentence.n_k - first);
  if (keys <= 0) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v;

  const Tile<D> K{shared_address(shared)}, V = K.from(kLongRows);
  const auto queries_of = [&](int i) { return V.from((1 + i % 2 * 2) * kLongRows); };  // dO follows
  const auto statistics_of = [&](int i) {                                              // log_sums; deltas follow
    return FloatTile{V.from(5 * kLongRows).address}.from(i % 2 * 2 * kLongRows);
  };
  // Outside the queries [from, to) no query sees a key of the tile.
  const int from = problem.sight.first_query(first) / kStep * kStep;
  const int to = problem.sight.end_query(first + keys - 1, sentence.n_q);
  const auto load_queries = [&](int i) {
    const int query = from + i * kLongRows, queries = min(kLongRows, to - query);
    const std::int64_t row = sentence.first_query + query;
    load_rows(team, queries_of(i), on.Q.row(row) + head * d_k, on.Q.stride, d_k, queries);
    load_rows(team, queries_of(i).from(kLongRows), on.dO.row(row) + head * d_v, on.dO.stride, d_v, queries);
    load_floats(team, statistics_of(i), on.log_sums.row(row) + head, on.log_sums.stride, queries);
    load_floats(team, statistics_of(i).from(kLongRows), on.deltas.row(row) + head, on.deltas.stride, queries);
  };
  // Pass 1.
  const std::int64_t row = sentence.first_key + first;
  load_rows(team, K, on.K.row(row) + head * d_k, on.K.stride, d_k, keys);
  load_rows(team, V, on.V.row(row) + head * d_v, on.V.stride, d_v, keys);
  load_queries(0);
  end_copies();

  // Pass 2.
  const int own = team.warp * kStep, rows = min(kStep, keys - own);
  KeyRows<D, kDrops> sums{.key = first + own};
  const int tiles = to > from ? static_cast<int>(divide_up(to - from, kLongRows)) : 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) load_queries(i + 1);
    end_copies();
    await_copies<1>();
    team.sync();
    const int begin = from + i * kLongRows, end = min(to, begin + kLongRows);
    for (int query = begin; query < end && rows > 0; query += kStep) {
      if (problem.sight.sees_none(query, kStep, first + own, kStep)) continue;
      const Tile<D> Q = queries_of(i).from(query - begin);
      const FloatTile statistics = statistics_of(i).from(query - begin);
      std::uint32_t d_scores[4];
      sums.add_queries(problem, sentence, head, query, K.from(own), V.from(own), Q, Q.from(kLongRows), statistics,
                       statistics.from(kLongRows), d_scores);
    }
    team.sync();
  }
  // Pass 3.
  if (tiles == 0) {  // the results are staged in V, so the copy to it must have ended
    await_copies<0>();
    team.sync();
  }
  if (rows > 0) sums.finish(on, problem, sentence, head, V.from(own));
}

}  // namespace

}  // namespace dragoman::cuda
