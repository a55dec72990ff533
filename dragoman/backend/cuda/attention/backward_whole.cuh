// The gradients of attention for short sentences: one team has a whole sentence and head in shared memory.
#pragma once

#include "dragoman/backend/cuda/attention/backward.cuh"

namespace dragoman::cuda {

namespace {

// dS^T of one sentence and head in shared memory: rows are keys, columns queries.
struct ScoreTile {
  unsigned address;
  int stride;

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
  const ScoreTile scores{O.address, layout.score_stride(layout.query_rows)};
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

}  // namespace

}  // namespace dragoman::cuda
