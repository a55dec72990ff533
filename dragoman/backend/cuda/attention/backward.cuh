// The gradients of attention by tiles. P are the weights, Z the dropout factors, and * multiplies element by element:
//   dV = (P * Z)^T dO,   dS = P * (Z * (dO V^T) - delta),   dQ = scale dS K,   dK = scale dS^T Q,
// where delta is, for each query, the sum of its row of dO * O.
//
// A warp that owns 16 keys sums their dK and dV over the queries; a warp that owns 16 queries sums their dQ over the
// keys. So no sum is split between warps, and the result does not depend on their timing.
//
// There are two ways:
//   1. Short sentences, backward_whole.cuh: one team of warps has a whole sentence and head in shared memory. Each warp
//      first owns keys and leaves its part of dS in shared memory; then it owns queries and reads dS from there.
//   2. Long sentences, backward_long.cuh: one kernel computes dQ, and another one dK and dV. Each computes dS for
//      itself, in its own order.
// In both, P is computed again from the scores and the log_sums that the forward pass saved. This file has what they
// share.
#pragma once

#include "dragoman/backend/cuda/attention/tiles.cuh"

namespace dragoman::cuda {

namespace {

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
    // 2. Turn `weights` into (P * Z)^T and `d_weights` into dS^T.
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
    // 3. dV += (P * Z)^T dO and dK += dS^T Q, without the scale.
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

}  // namespace

}  // namespace dragoman::cuda
