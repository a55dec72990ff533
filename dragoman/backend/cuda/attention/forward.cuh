// The forward pass of attention by tiles. A team of warps works on one head of one sentence, or on a tile of its
// queries; each warp owns 16 queries. The team goes through the keys tile by tile. Scores and weights stay in
// registers: each query has a running maximum and a running sum of its softmax, and when a larger score appears, the
// sum and the output so far are scaled down accordingly. So the scores of a query never exist all at once.
//
// Shared memory of a team; a box is a Tile, with its number of rows:
//
//   KeysAtOnce::kAll (no sentence has more keys than one tile), kBand (all keys that a query of the team sees fit):
//     | Q: query_rows | K: key_rows | V: key_rows |
//   KeysAtOnce::kTile, with two buffers:
//     | Q: query_rows | K of tiles 0, 2 ... | V of tiles 0, 2 ... | K of tiles 1, 3 ... | V of tiles 1, 3 ... |
//
// The passes of a team:
//   1. Start to copy Q and the first tile of K and V, or all keys and values of the band.
//   2. For each tile i: start to copy tile i + 1 into the other buffer, wait for tile i, and let each warp add the keys
//      of tile i to its rows. The barrier before add_keys: the copies of all threads must have arrived. The barrier
//      after it: no thread may still read a buffer when it is filled again.
//      In a band there is nothing more to copy: each warp goes through the keys that its own queries see.
//   3. Each warp divides its rows by their sums and writes them. On the way the results pass through the warp's own 16
//      rows of Q in shared memory, which no other warp reads.
#pragma once

#include "dragoman/backend/cuda/attention/tiles.cuh"

namespace dragoman::cuda {

namespace {

// Which keys a team has in shared memory at once: all keys of a sentence, the band of keys that a window lets its
// queries see, or one tile after the other.
enum class KeysAtOnce { kAll, kBand, kTile };

// The 16 queries of a warp with their softmax and output so far: `query` is the position of the first one in its
// sentence.
template <int D, int kKeys, bool kDrops>
struct AttendingRows {
  int query;
  float out[D / 8][4] = {};
  float maximum[2] = {-INFINITY, -INFINITY};  // maxima of rows lane / 4 and lane / 4 + 8, times scale and log2(e)
  float sum[2] = {0, 0};                      // sums of the weights of these rows, over this lane's own columns only

  // Adds the keys [key, end), kKeys at most: K and V begin with key `key`, and Q with this warp's queries.
  __device__ void add_keys(const Problem& problem, const Sentence& sentence, int head, int key, int end, Tile<D> Q,
                           Tile<D> K, Tile<D> V) {
    end = min(end, problem.sight.end_key(query + kStep - 1, sentence.n_k));
    const int steps = min(kKeys, in_steps(end - key)) / kStep;
    if (steps <= 0) return;
    // 1. The scores of 16 queries and 16 * steps keys.
    float scores[kKeys / 8][4] = {};
    multiply_rows<D, kKeys / kStep>(Q, K, steps, scores);
    hide_unseen<false>(problem.sight, sentence.n_k, query, key, 2 * steps, scores);
    // 2. The new maxima, and then the weights, as powers of two: 2^(score - maximum).
    const float scale = problem.scale * kLog2e;
    raise_maximum(scale, steps, scores);
    exponentiate(scale, steps, scores);
    if constexpr (kDrops) drop(problem.dropout, sentence, head, key, steps, scores);
#pragma unroll
    for (int s = 0; s < kKeys / kStep; ++s) {  // 3. out += weights V
      if (s >= steps) break;
      std::uint32_t weights[4];
      as_operand(scores[2 * s], scores[2 * s + 1], weights);
      multiply_columns<D>(weights, V.from(s * kStep), out);
    }
  }

  // Raises the maxima to those of the new scores, and scales the sums and the output down by the same factor.
  __device__ void raise_maximum(float scale, int steps, const float (&scores)[kKeys / 8][4]) {
    float new_maximum[2] = {-INFINITY, -INFINITY}, correction[2];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
      if (n >= 2 * steps) break;
#pragma unroll
      for (int e = 0; e < 4; ++e) new_maximum[e / 2] = fmaxf(new_maximum[e / 2], scores[n][e]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      new_maximum[i] = fmaxf(maximum[i], quad_max(new_maximum[i]) * scale);
      correction[i] = maximum[i] == -INFINITY ? 0.0f : power_of_two(maximum[i] - new_maximum[i]);
      maximum[i] = new_maximum[i];
      sum[i] *= correction[i];
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) out[n][e] *= correction[e / 2];
    }
  }

  // Turns the scores into weights and adds these to the sums. A row that has seen no key yet has the maximum -infinity:
  // its scores are -infinity too, and its weights become 0.
  __device__ void exponentiate(float scale, int steps, float (&scores)[kKeys / 8][4]) {
    const float shift[2] = {maximum[0] == -INFINITY ? 0.0f : maximum[0], maximum[1] == -INFINITY ? 0.0f : maximum[1]};
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
      if (n >= 2 * steps) break;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        scores[n][e] = power_of_two(scores[n][e] * scale - shift[e / 2]);
        sum[e / 2] += scores[n][e];
      }
    }
  }

  __device__ void drop(const DropoutMask& dropout, const Sentence& sentence, int head, int key, int steps,
                       float (&weights)[kKeys / 8][4]) const {
    const unsigned channel = static_cast<unsigned>(head) * sentence.n_k + key;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
      if (n >= 2 * steps) break;
      const unsigned kept = kept_by_query(dropout, sentence.first_query + query, sentence.n_q - query, channel + n * 8);
#pragma unroll
      for (int e = 0; e < 4; ++e) weights[n][e] *= kept >> e & 1 ? dropout.scale : 0.0f;
    }
  }

  // Divides the rows by their sums, and writes them and their log_sums. A query that saw no key gives zeros.
  __device__ void finish(const Forward<bf16>& arrays, const Problem& problem, const Sentence& sentence, int head,
                         Tile<D> stage) {
    const int rows = min(kStep, sentence.n_q - query);
    const std::int64_t first = sentence.first_query + query;
    float inverse[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      sum[i] = quad_sum(sum[i]);
      inverse[i] = sum[i] > 0 ? __fdividef(1.0f, sum[i]) : 0.0f;
      const float log_sum = sum[i] > 0 ? (maximum[i] + __log2f(sum[i])) * kLn2 : -INFINITY;
      const int row = row_of(2 * i);
      if (lane() % 4 == 0 && row < rows) arrays.log_sums.row(first + row)[head] = log_sum;
    }
    put_rows<D>(out, inverse[0], inverse[1], stage,
                {arrays.O.row(first) + head * problem.d_v, arrays.O.stride, problem.d_v, false}, rows);
  }
};

// How many blocks should run on a multiprocessor at a time. This limits the registers of a thread.
constexpr int attending_blocks(int D, int keys, KeysAtOnce at_once, bool drops) {
  if (D > 64 || (drops && at_once != KeysAtOnce::kAll)) return 1;
  return keys <= 32 ? 3 : 2;
}

// kKeys is the most keys that a warp adds at once. With KeysAtOnce::kAll no sentence has more keys than that.
template <int D, int kKeys, KeysAtOnce kAtOnce, bool kDrops>
__global__ void __launch_bounds__(kMaxThreads, attending_blocks(D, kKeys, kAtOnce, kDrops))
    attend(Problem problem, Forward<bf16> arrays, GridPlan plan) {
  extern __shared__ __align__(kAlignment) unsigned char shared[];
  const Team team(plan);
  const Work work(plan, team);
  if (work.sentence >= plan.B || work.head >= problem.h) return;
  const Sentence sentence(problem, work.sentence);
  const int first = work.tile * plan.query_rows, queries = min(plan.query_rows, sentence.n_q - first);
  if (queries <= 0) return;

  const Tile<D> Q{shared_address(shared) + team.number * plan.team_bytes};
  // The keys of tile i; its values follow after plan.key_rows rows.
  const auto keys_of = [&](int i) {
    return Q.from(plan.query_rows + (kAtOnce == KeysAtOnce::kTile ? i % 2 : 0) * 2 * plan.key_rows);
  };
  const int from = kAtOnce == KeysAtOnce::kAll ? 0 : problem.sight.first_key(first) / kStep * kStep;
  const int end = problem.sight.end_key(first + queries - 1, sentence.n_k);
  const auto load_keys = [&](int i) {
    const int key = from + i * kKeys, keys = kAtOnce == KeysAtOnce::kBand ? end - key : min(kKeys, end - key);
    const std::int64_t row = sentence.first_key + key;
    load_rows(team, keys_of(i), arrays.K.row(row) + work.head * problem.d_k, arrays.K.stride, problem.d_k, keys);
    load_rows(team, keys_of(i).from(plan.key_rows), arrays.V.row(row) + work.head * problem.d_v, arrays.V.stride,
              problem.d_v, keys);
  };
  // Pass 1.
  load_rows(team, Q, arrays.Q.row(sentence.first_query + first) + work.head * problem.d_k, arrays.Q.stride, problem.d_k,
            queries);

  const Tile<D> own = Q.from(team.warp * kStep);
  const bool working = team.warp * kStep < queries;
  AttendingRows<D, kKeys, kDrops> rows{.query = first + team.warp * kStep};
  if constexpr (kAtOnce == KeysAtOnce::kAll) {
    load_keys(0);
    end_copies();
    await_copies<0>();
    team.sync();
    if (working) rows.add_keys(problem, sentence, work.head, 0, end, own, keys_of(0), keys_of(0).from(plan.key_rows));
  } else if constexpr (kAtOnce == KeysAtOnce::kBand) {
    load_keys(0);
    end_copies();
    await_copies<0>();
    team.sync();
    // Pass 2.
    const int own_end = working ? problem.sight.end_key(rows.query + kStep - 1, end) : 0;
    for (int key = problem.sight.first_key(rows.query) / kStep * kStep; key < own_end; key += kKeys) {
      const Tile<D> K = keys_of(0).from(key - from);
      rows.add_keys(problem, sentence, work.head, key, end, own, K, K.from(plan.key_rows));
    }
  } else {
    const int tiles = end > from ? static_cast<int>(divide_up(end - from, kKeys)) : 0;
    if (tiles > 0) load_keys(0);
    end_copies();
    if (tiles == 0) {  // finish() writes to `own`, so the copy of the queries to it must have ended
      await_copies<0>();
      team.sync();
    }
    // Pass 2.
    for (int i = 0; i < tiles; ++i) {
      if (i + 1 < tiles) load_keys(i + 1);
      end_copies();       // closes the group of tile i + 1, which is empty if there is no such tile
      await_copies<1>();  // waits for all groups but the last, so for tile i
      team.sync();
      if (working && problem.sight.first_key(rows.query) < from + (i + 1) * kKeys) {
        rows.add_keys(problem, sentence, work.head, from + i * kKeys, end, own, keys_of(i),
                      keys_of(i).from(plan.key_rows));
      }
      team.sync();
    }
  }
  // Pass 3.
  if (working) rows.finish(arrays, problem, sentence, work.head, own);
}

}  // namespace

}  // namespace dragoman::cuda
