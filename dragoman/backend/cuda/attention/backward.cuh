// The gradients of attention by tiles. With P the weights, Z the dropout factors and delta the row sums of dO O,
//   dV = (P Z)^T dO,   dS = P (Z (dO V^T) - delta),   dQ = scale dS K,   dK = scale dS^T Q.
// A warp that owns 16 keys sums their dK and dV over the queries; a warp that owns 16 queries sums their dQ over the
// keys. So no sum is split between warps, and the result does not depend on their timing.
//
// There are two ways:
//   - Short sentences: gradients_of_whole. One team has a whole sentence and head in shared memory. Each warp first
//     owns keys and leaves its part of dS in shared memory; then it owns queries and reads dS from there.
//   - Long sentences: gradients_of_queries, then gradients_of_keys. Each computes dS for itself, in its own order.
// In both, P is computed again from the scores and the log_sums that the forward pass saved.
#pragma once

#include "dragoman/backend/cuda/attention/tiles.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kLongWarps = 4, kLongRows = kLongWarps * kStep;  // warps and rows of a tile of a long sentence

// deltas[i] = dO[i] . O[i] for all rows of the tiles. A thread reads only what it has copied itself, so no barrier is
// needed before this. The lanes that have the pieces of a row are neighbours and add up their parts.
template <int D>
__device__ void compute_deltas(const Team& team, Tile<D> dO, Tile<D> O, int rows, FloatTile deltas) {
  const OwnPieces<D> own(team);
  for (int row = own.row; row < in_steps(rows); row += own.step) {
    float sum = product_of_pieces(read_piece(dO.piece(row, own.piece)), read_piece(O.piece(row, own.piece)));
#pragma unroll
    for (int step = Tile<D>::kPieces / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (own.piece == 0) deltas.put(row, sum);
  }
}

// The log_sum as a logarithm to base 2: P = 2^(score - shift) for scores times log2(e). A query that sees no key has
// the log_sum -infinity; all its scores are -infinity, so that with a shift of 0 its weights become 0.
__device__ float shift_of(float log_sum) { return log_sum == -INFINITY ? 0.0f : log_sum * kLog2e; }
__device__ float2 shift_of(float2 log_sums) { return {shift_of(log_sums.x), shift_of(log_sums.y)}; }

// The 16 keys of a warp with the sums of their gradients: `key` is the position of the first one in its sentence.
// Scores are transposed here: their rows are keys, their columns queries. So P^T and dS^T are left operands as they
// come.
template <int D, bool kDrops>
struct KeyRows {
  int key;
  float dK[D / 8][4] = {}, dV[D / 8][4] = {};

  // Adds the part of the 16 queries from `query` on. The tiles Q and dO, log_sums and deltas begin with these queries;
  // K and V begin with this warp's keys. Returns dS^T in d_scores, as the left operand of a product.
  __device__ void add_queries(const Problem& problem, const Sentence& sentence, int head, int query, Tile<D> K,
                              Tile<D> V, Tile<D> Q, Tile<D> dO, FloatTile log_sums, FloatTile deltas,
                              std::uint32_t (&d_scores)[4]) {
    // 1. Scores K Q^T and V dO^T, 16 x 16 each.
    float weights[2][4] = {}, d_weights[2][4] = {};
    multiply_rows<D, 1>(K, Q, 1, weights);
    multiply_rows<D, 1>(V, dO, 1, d_weights);
    const float scale = problem.scale * kLog2e;
    hide_unseen<true>(problem.sight, sentence.n_k, query, key, 2, weights);
    // 2. Turn `weights` into (P Z)^T and `d_weights` into dS^T.
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      unsigned kept = 0;
      if constexpr (kDrops) {
        kept = kept_by_key(problem.dropout, sentence.first_query + query + n * 8, sentence.n_q - query - n * 8,
                           static_cast<unsigned>(head) * sentence.n_k + key);
      }
      const float2 shifts = shift_of(log_sums.get_two(n * 8 + column_of(0)));
      const float2 delta = deltas.get_two(n * 8 + column_of(0));
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float weight = power_of_two(weights[n][e] * scale - (e % 2 == 0 ? shifts.x : shifts.y));
        const float factor = !kDrops ? 1.0f : kept >> e & 1 ? problem.dropout.scale : 0.0f;
        d_weights[n][e] = weight * (factor * d_weights[n][e] - (e % 2 == 0 ? delta.x : delta.y));
        weights[n][e] = factor * weight;
      }
    }
    // 3. dV += (P Z)^T dO and dK += dS^T Q, without the scale.
    std::uint32_t operand[4];
    as_operand(weights[0], weights[1], operand);
    multiply_columns<D>(operand, dO, dV);
    as_operand(d_weights[0], d_weights[1], d_scores);
    multiply_columns<D>(d_scores, Q, dK);
  }

  // Writes dK and dV through `stage`, 16 rows of shared memory that no other warp uses.
  __device__ void finish(const Backward<bf16>& on, const Problem& problem, const Sentence& sentence, int head,
                         Tile<D> stage) const {
    const int rows = min(kStep, sentence.n_k - key), first = sentence.first_key + key;
    // dK before dV: where K and V are one tensor, the sink of dK overwrites its gradient and the sink of dV adds to it.
    if (on.dK.data != nullptr) {
      put_rows<D>(dK, problem.scale, problem.scale, stage, destination(on.dK, first, head, problem.d_k), rows);
    }
    if (on.dV.data != nullptr) put_rows<D>(dV, 1, 1, stage, destination(on.dV, first, head, problem.d_v), rows);
  }
};

// dS^T of one sentence and head in shared memory: rows are keys, columns queries. The row stride is an odd number of
// 16-byte pieces, so that the same columns of eight rows lie in different banks.
struct ScoreTile {
  unsigned address;
  int stride;

  __host__ __device__ static constexpr int stride_of(int query_rows) { return query_rows + 8; }

  // Stores dS^T of 16 keys and 16 queries, given as the left operand of a product.
  __device__ void put(int key, int query, const std::uint32_t (&d_scores)[4]) const {
    const unsigned above = at(key + row_of(0), query + column_of(0)), below = at(key + row_of(2), query + column_of(0));
    write_word(above, d_scores[0]);
    write_word(below, d_scores[1]);
    write_word(above + 16, d_scores[2]);
    write_word(below + 16, d_scores[3]);
  }
  // Loads dS (not transposed) of 16 queries and 16 keys, as the left operand of a product.
  __device__ void get(int query, int key, std::uint32_t (&d_scores)[4]) const {
    const int l = lane();
    load_transposed(d_scores, at(key + l % 8 + l / 16 * 8, query + l / 8 % 2 * 8));
  }

 private:
  __device__ unsigned at(int row, int column) const { return address + (row * stride + column) * 2; }
};

// Shared memory of a team of gradients_of_whole; a box shows its number of rows or elements:
//
//   | Q: query_rows | dO: query_rows | K: key_rows | V: warp_rows | O, later dS^T: score_elements | log_sums | deltas |
//
//   - O is needed for the deltas alone; dS^T takes its place afterwards.
//   - V has warp_rows = max(query_rows, key_rows) rows, 16 for each warp, which stages there what it writes.
//   - log_sums and deltas are query_rows floats each.
struct WholeLayout {
  int query_rows, key_rows, warp_rows, score_elements;

  __host__ __device__ WholeLayout(int D, int query_rows_, int key_rows_)
      : query_rows(query_rows_),
        key_rows(key_rows_),
        warp_rows(query_rows > key_rows ? query_rows : key_rows),
        score_elements(larger(query_rows * D, key_rows * ScoreTile::stride_of(query_rows))) {}

  __host__ __device__ static constexpr int larger(int a, int b) { return a > b ? a : b; }
  __host__ int bytes(int D) const {
    const int elements = (2 * query_rows + key_rows + warp_rows) * D + score_elements;
    return static_cast<int>(divide_up(elements * 2 + query_rows * 8, kAlignment) * kAlignment);
  }
};

// All gradients of one sentence and head, by one team. Warp w owns keys [16 w, 16 w + 16) in pass 2 and queries
// [16 w, 16 w + 16) in pass 3.
//   1. Copy everything to shared memory. dO and O come first, so that the deltas are computed while the rest arrives.
//   2. By keys: each warp goes through the queries, sums dK and dV in registers, leaves dS^T in shared memory, and
//      writes dK and dV.
//   3. By queries: each warp reads its rows of dS, sums dQ = dS K over the keys, and writes dQ.
// Keys come first because they need both P and dS, and queries need dS alone: so one matrix passes through shared
// memory instead of two. Both passes skip the same 16 x 16 blocks without a visible key, so that pass 3 reads no block
// of dS that pass 2 has not written. dK and dV are staged in the warp's own rows of V, which only this warp reads; dQ
// is staged there too, since pass 3 does not need V.
template <int D, bool kDrops>
__global__ void __launch_bounds__(kMaxThreads, D > 64 ? 1 : 2)
    gradients_of_whole(Problem problem, Backward<bf16> on, GridPlan plan) {
  extern __shared__ __align__(kAlignment) unsigned char shared[];
  const Team team(plan);
  const Work work(plan, team);
  if (work.sentence >= plan.B || work.head >= problem.h) return;
  const Sentence sentence(problem, work.sentence);
  const int n_q = sentence.n_q, n_k = sentence.n_k, head = work.head, d_k = problem.d_k, d_v = problem.d_v;

  const WholeLayout layout(D, plan.query_rows, plan.key_rows);
  const Tile<D> Q{shared_address(shared) + team.number * plan.team_bytes};
  const Tile<D> dO = Q.from(layout.query_rows), K = dO.from(layout.query_rows), V = K.from(layout.key_rows);
  const Tile<D> O = V.from(layout.warp_rows);
  const ScoreTile scores{O.address, ScoreTile::stride_of(layout.query_rows)};
  const FloatTile log_sums{O.address + layout.score_elements * 2}, deltas = log_sums.from(layout.query_rows);

  // Pass 1.
  const std::int64_t row = sentence.first_query, key_row = sentence.first_key;
  load_rows(team, dO, on.dO.row(row) + head * d_v, on.dO.stride, d_v, n_q);
  load_rows(team, O, on.O.row(row) + head * d_v, on.O.stride, d_v, n_q);
  end_copies();
  load_rows(team, Q, on.Q.row(row) + head * d_k, on.Q.stride, d_k, n_q);
  load_rows(team, K, on.K.row(key_row) + head * d_k, on.K.stride, d_k, n_k);
  load_rows(team, V, on.V.row(key_row) + head * d_v, on.V.stride, d_v, n_k);
  load_floats(team, log_sums, on.log_sums.row(row) + head, on.log_sums.stride, n_q);
  end_copies();
  await_copies<1>();
  compute_deltas(team, dO, O, n_q, deltas);
  await_copies<0>();
  team.sync();

  // Pass 2.
  const int own = team.warp * kStep;
  if (own < n_k) {
    KeyRows<D, kDrops> keys{.key = own};
    for (int query = 0; query < n_q; query += kStep) {
      if (problem.sight.sees_none(query, kStep, own, kStep)) continue;
      std::uint32_t d_scores[4];
      keys.add_queries(problem, sentence, head, query, K.from(own), V.from(own), Q.from(query), dO.from(query),
                       log_sums.from(query), deltas.from(query), d_scores);
      scores.put(own, query, d_scores);
    }
    keys.finish(on, problem, sentence, head, V.from(own));
  }
  // Pass 3.
  if (on.dQ.data == nullptr) return;
  team.sync();
  if (own < n_q) {
    float dQ[D / 8][4] = {};
    for (int key = 0; key < n_k; key += kStep) {
      if (problem.sight.sees_none(own, kStep, key, kStep)) continue;
      std::uint32_t d_scores[4];
      scores.get(own, key, d_scores);
      multiply_columns<D>(d_scores, K.from(key), dQ);
    }
    put_rows<D>(dQ, problem.scale, problem.scale, V.from(own), destination(on.dQ, row + own, head, d_k),
                min(kStep, n_q - own));
  }
}

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
// queries [16 w, 16 w + 16) of the tile. Shared memory, 64 rows a box:
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

  const int from = problem.sight.first_key(first) / kStep * kStep;
  const int last = problem.sight.end_key(first + queries - 1, sentence.n_k);
  const auto load_keys = [&](int i) {
    const int key = from + i * kLongRows, keys = min(kLongRows, last - key);
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
  const auto statistic = [&](const auto& of, int i) { return row_of(i) < rows ? of(own + row_of(i)) : 0.0f; };
  const auto log_sum = [&](int i) { return on.log_sums.row(row + i)[head]; };
  const auto delta = [&](int i) { return deltas.get(i); };
  QueryRows<D, kDrops> sums{.query = first + own,
                            .shifts = {shift_of(statistic(log_sum, 0)), shift_of(statistic(log_sum, 2))},
                            .deltas = {statistic(delta, 0), statistic(delta, 2)}};
  const int tiles = last > from ? static_cast<int>(divide_up(last - from, kLongRows)) : 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) load_keys(i + 1);
    end_copies();
    await_copies<1>();
    team.sync();
    const int begin = from + i * kLongRows, end = min(last, begin + kLongRows);
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
// Warp w owns keys [16 w, 16 w + 16) of the tile. Shared memory, 64 rows a box:
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
  const auto accumulation_dtype = [&](int i) {                                         // log_sums; deltas follow
    return FloatTile{V.from(5 * kLongRows).address}.from(i % 2 * 2 * kLongRows);
  };
  const int from = problem.sight.first_query(first) / kStep * kStep;
  const int last = problem.sight.end_query(first + keys - 1, sentence.n_q);
  const auto load_queries = [&](int i) {
    const int query = from + i * kLongRows, queries = min(kLongRows, last - query);
    const std::int64_t row = sentence.first_query + query;
    load_rows(team, queries_of(i), on.Q.row(row) + head * d_k, on.Q.stride, d_k, queries);
    load_rows(team, queries_of(i).from(kLongRows), on.dO.row(row) + head * d_v, on.dO.stride, d_v, queries);
    load_floats(team, accumulation_dtype(i), on.log_sums.row(row) + head, on.log_sums.stride, queries);
    load_floats(team, accumulation_dtype(i).from(kLongRows), on.deltas.row(row) + head, on.deltas.stride, queries);
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
  const int tiles = last > from ? static_cast<int>(divide_up(last - from, kLongRows)) : 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) load_queries(i + 1);
    end_copies();
    await_copies<1>();
    team.sync();
    const int begin = from + i * kLongRows, end = min(last, begin + kLongRows);
    for (int query = begin; query < end && rows > 0; query += kStep) {
      if (problem.sight.sees_none(query, kStep, first + own, kStep)) continue;
      const Tile<D> Q = queries_of(i).from(query - begin);
      const FloatTile statistics = accumulation_dtype(i).from(query - begin);
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
