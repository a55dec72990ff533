// Embedding lookup and its gradients. The sums of dE and dP are made in an order that depends on the batch alone.
#include "dragoman/backend/cuda/embed.h"

#include <algorithm>
#include <cassert>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / kWarp;
constexpr std::int64_t kChunk = 8 * kWarp;  // columns that a warp handles: eight per lane

template <class T, class TE, class TP>
struct Lookup {
  const std::int32_t *ids, *position;
  Matrix<const TE> E;
  Matrix<const TP> P;  // optional
  float scale;
  DropoutMask dropout;
  Matrix<T> y;
};

// One thread per eight channels of a row.
template <bool kPacked, class T, class TE, class TP>
__global__ void __launch_bounds__(kThreads) embed_eights(Lookup<T, TE, TP> args) {
  const std::int64_t d = args.y.cols, eights = divide_up(d, 8);
  const std::int64_t index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= args.y.rows * eights) return;
  const std::int64_t r = index / eights, group = index - r * eights;
  const std::int32_t id = args.ids[r];
  assert(id >= 0 && id < args.E.rows && "ids are checked before they enter a batch");
  Eight<TE> e{};  // stays zero for token 0 (PAD)
  Eight<TP> p{};
  if (id != 0) e = load_eight<kPacked>(args.E.row(id), 8 * group, d);
  if (args.P.data != nullptr) p = load_eight<kPacked>(args.P.row(args.position[r]), 8 * group, d);
  Philox4 words{};  // drawn while the loads are under way
  if (args.dropout.on()) words = args.dropout.words(r, static_cast<std::uint32_t>(group));
  Eight<float> y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.at[i] = args.scale * e[i] + p[i];
  if (args.dropout.on()) {
#pragma unroll
    for (int i = 0; i < 8; ++i) y.at[i] *= args.dropout.factor(words, i);
  }
  store_eight<kPacked>(rounded_to<T>(y), args.y.row(r), 8 * group, d);
}

// Adds columns [first, first + 8) of row r of dy, times the dropout factors, to the sum.
template <bool kPacked, class T>
__device__ void add_row(const Matrix<const T>& dy, const DropoutMask& dropout, std::int64_t r, std::int64_t first,
                        Eight<float>& sum) {
  const Eight<T> x = load_eight<kPacked>(dy.row(r), first, dy.cols);
  if (dropout.on()) {
    const Philox4 words = dropout.words(r, static_cast<std::uint32_t>(first / 8));
#pragma unroll
    for (int i = 0; i < 8; ++i) sum.at[i] += dropout.factor(words, i) * x[i];
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) sum.at[i] += x[i];
  }
}

// Returns to each thread the sum of column threadIdx.x of a chunk over the block's warps, added in their order.
// `shared` is [kWarps][kChunk].
__device__ inline float sum_of_warps(const Eight<float>& sum, float* shared) {
  static_assert(kThreads == kChunk);
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  store_eight<true>(sum, shared + warp * kChunk, 8 * lane, kChunk);
  __syncthreads();
  float total = 0;
  for (int w = 0; w < kWarps; ++w) total += shared[w * kChunk + threadIdx.x];
  return total;
}

// dE. The index lists the rows of dy token after token. The list is cut into pieces of kPiece entries, and a warp sums
// one chunk of columns of one piece. So a token with thousands of rows is shared among many warps. For example, with
// six entries per piece:
//
//     piece      |      0       |      1       |      2       |
//     token      | a a a b b c  | c c c c c c  | c c d d d d  |
//
//   1. sum_token_pieces: a token that lies within one piece (a, b, d) is added to dE at once. A token that spans
//      several pieces (c) leaves a partial sum in each of them. A piece has space for two: one of a token that began in
//      an earlier piece (c in pieces 1 and 2), and one of a token that begins here and goes on (c in piece 0). Piece 0
//      also notes c in `continued`.
//   2. add_token_parts: the block of piece 0 finds c in `continued`, sums c's partial sums from all pieces, and adds
//      the total to dE.
// Token 0 (PAD) gets no gradient.
constexpr int kPiece = 16, kBatch = 4;  // entries of a piece, and how many of them are loaded at once

template <class T, class G>
struct TokenGradient {
  Matrix<const T> dy;
  const std::int32_t *tokens, *starts, *rows;  // the index, as in TokenRows
  std::int64_t U, entries;                     // numbers of tokens and of rows in the index
  float scale;
  DropoutMask dropout;
  SinkRows<G> dE;  // always accumulates
  // [pieces, 2, d]: the partial sum of a token that began in an earlier piece, and that of a token that begins in this
  // piece and goes on in the next.
  float* parts;
  // [pieces]: the index in `tokens` of the token that begins in this piece and goes on in the next; -1 for none.
  std::int32_t* continued;

  __device__ std::int64_t chunks() const { return divide_up(dy.cols, kChunk); }
  __device__ float* part(std::int64_t piece, bool begins_here) const {
    return parts + (2 * piece + begins_here) * dy.cols;
  }
};

// The index in `tokens` of the token that an entry belongs to: the last place in `starts` whose value is at most
// `entry`. A search in which a warp tries 32 places at once.
__device__ inline std::int64_t token_at(const std::int32_t* starts, std::int64_t U, std::int64_t entry) {
  const int lane = threadIdx.x % kWarp;
  std::int64_t low = 0, high = U;  // starts[low] <= entry < starts[high]
  while (high - low > 1) {
    const std::int64_t step = divide_up(high - low, kWarp), place = low + lane * step;
    const unsigned at_most = __ballot_sync(kAllLanes, place < high && starts[place] <= entry);
    low += (__popc(at_most) - 1) * step;
    high = min(high, low + step);
  }
  return low;
}

// Bit i is set if dropout keeps channel i of the eight.
__device__ inline unsigned kept_bits(const DropoutMask& dropout, const Philox4& words) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) bits |= dropout.factor(words, i) != 0 ? 1u << i : 0;
  return bits;
}

// Step 1. A warp has one piece and one chunk of columns; each lane sums eight columns over the entries in order.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads) sum_token_pieces(TokenGradient<T, G> args) {
  const std::int64_t chunks = args.chunks(), d = args.dy.cols;
  const std::int64_t task = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp, piece = task / chunks;
  const std::int64_t begin = piece * kPiece;
  if (begin >= args.entries) return;
  const int lane = threadIdx.x % kWarp;
  const std::int64_t column = task % chunks * kChunk + 8 * lane;
  const auto count = static_cast<int>(min(std::int64_t{kPiece}, args.starts[args.U] - begin));
  if (count <= 0) {  // if the index has rows after those of the last token, they belong to none
    if (column == 0) args.continued[piece] = -1;
    return;
  }

  // Lane i holds the row and the token of entry i of the piece, for all lanes to fetch. Bit i of `ends` is set if entry
  // i is the last one of its token.
  const std::int64_t u = token_at(args.starts, args.U, begin);
  const std::int64_t end = u + 1 + lane <= args.U ? args.starts[u + 1 + lane] - begin - 1 : kPiece;
  const unsigned ends = __reduce_or_sync(kAllLanes, end < kPiece ? 1u << end : 0);
  const auto is_end = [ends](int entry) { return (ends >> entry & 1) != 0; };
  const auto ends_before = [ends](int entry) { return ends & ((1u << entry) - 1); };
  const bool began_before = args.starts[u] < begin;
  std::int32_t my_row = 0, my_token = 0, my_sentence = 0, my_position = 0;
  if (lane < count) {
    my_row = args.rows[begin + lane];
    my_token = args.tokens[u + __popc(ends_before(lane))];
    if (args.dropout.on()) my_sentence = args.dropout.sentence[my_row];
    if (args.dropout.on()) my_position = args.dropout.position[my_row];
  }

  Eight<float> sum{};
  for (int first = 0; first < count; first += kBatch) {
    Eight<T> x[kBatch] = {};
    Eight<G> old[kBatch] = {};
    std::int32_t token[kBatch];  // the token, if it ends with this entry and lies within this piece; otherwise 0
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int entry = first + i;
      const std::int64_t r = __shfl_sync(kAllLanes, my_row, entry);
      token[i] = __shfl_sync(kAllLanes, my_token, entry);
      if (!is_end(entry) || (began_before && ends_before(entry) == 0)) token[i] = 0;
      if (entry >= count || column >= d) continue;
      x[i] = load_eight<kPacked>(args.dy.row(r), column, d);
      if (token[i] != 0) old[i] = load_eight<kPacked>(args.dE.data + token[i] * args.dE.stride, column, d);
    }
    unsigned kept[kBatch];  // one bit per channel, drawn while the loads are under way
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const std::int32_t sentence = __shfl_sync(kAllLanes, my_sentence, first + i);
      const std::int32_t position = __shfl_sync(kAllLanes, my_position, first + i);
      kept[i] =
          args.dropout.on() ? kept_bits(args.dropout, dropout_words(args.dropout, sentence, position, column / 8)) : 0;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int entry = first + i;
      if (entry >= count || column >= d) continue;
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float factor = !args.dropout.on() ? 1 : (kept[i] >> k & 1) != 0 ? args.dropout.scale : 0;
        sum.at[k] += factor * x[i][k];
      }
      if (!is_end(entry)) continue;
      if (token[i] != 0) {
        Eight<float> total;
#pragma unroll
        for (int k = 0; k < 8; ++k) total.at[k] = old[i][k] + args.scale * sum.at[k];
        store_eight<kPacked>(rounded_to<G>(total), args.dE.data + token[i] * args.dE.stride, column, d);
      } else if (began_before && ends_before(entry) == 0) {
        store_eight<kPacked>(sum, args.part(piece, false), column, d);
      }
      sum = {};
    }
  }
  const bool continues = !is_end(count - 1), single_token = began_before && ends == 0;
  if (continues && column < d) store_eight<kPacked>(sum, args.part(piece, !single_token), column, d);
  if (column == 0) {
    args.continued[piece] = continues && !single_token ? static_cast<std::int32_t>(u + __popc(ends)) : -1;
  }
}

// Step 2. A block adds the partial sums of the token that begins in its piece and goes on, if there is one: its warps
// take the pieces in turn.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads) add_token_parts(TokenGradient<T, G> args) {
  __shared__ float4 shared[kWarps * kChunk / 4];
  const std::int64_t chunks = args.chunks(), d = args.dy.cols;
  const std::int64_t piece = blockIdx.x / chunks, left = blockIdx.x % chunks * kChunk;
  const std::int32_t u = args.continued[piece];
  if (u < 0 || args.tokens[u] == 0) return;
  const std::int64_t last = (args.starts[u + 1] - 1) / kPiece, column = left + 8 * (threadIdx.x % kWarp);
  Eight<float> sum{};
  if (column < d) {
#pragma unroll 4
    for (std::int64_t at = piece + threadIdx.x / kWarp; at <= last; at += kWarps) {
      const Eight<float> part = load_eight<kPacked>(args.part(at, at == piece), column, d);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum.at[i] += part[i];
    }
  }
  const float total = sum_of_warps(sum, reinterpret_cast<float*>(shared));
  if (left + threadIdx.x < d) args.dE.put(args.tokens[u], left + threadIdx.x, args.scale * total);
}

// dP: a block sums one position over all sentences that are long enough; its warps take the sentences in turn.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads) sum_positions(Matrix<const T> dy, const std::int32_t* offsets,
                                                          std::int64_t B, DropoutMask dropout, SinkRows<G> dP) {
  __shared__ float4 shared[kWarps * kChunk / 4];
  const std::int64_t chunks = divide_up(dy.cols, kChunk);
  const std::int64_t position = blockIdx.x / chunks, left = blockIdx.x % chunks * kChunk;
  const std::int64_t column = left + 8 * (threadIdx.x % kWarp);
  Eight<float> sum{};
  for (std::int64_t b = threadIdx.x / kWarp; b < B && column < dy.cols; b += kWarps) {
    const std::int64_t r = offsets[b] + position;
    if (r < offsets[b + 1]) add_row<kPacked>(dy, dropout, r, column, sum);
  }
  const float total = sum_of_warps(sum, reinterpret_cast<float*>(shared));
  if (left + threadIdx.x < dy.cols) dP.put(position, left + threadIdx.x, total);
}

}  // namespace

void Embed::do_embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                     const Dropout& dropout, Array& y) const {
  const bool packed = in_eights({&E, &P, &y});
  const auto blocks = divide_up(y.rows() * divide_up(y.cols(), 8), kThreads);
  dispatch(y.dtype(), [&]<class T>() {
    dispatch(E.dtype(), [&]<class TE>() {
      dispatch(P ? P.dtype() : DType::kFloat32, [&]<class TP>() {
        const Lookup<T, TE, TP> args{
            .ids = elements<const std::int32_t>(ids),
            .position = P ? elements<const std::int32_t>(segments.position) : nullptr,
            .E = matrix<const TE>(E),
            .P = P ? matrix<const TP>(P) : Matrix<const TP>{},
            .scale = static_cast<float>(scale),
            .dropout = dropout_mask(dropout, segments),
            .y = matrix<T>(y),
        };
        launch(*this, packed ? embed_eights<true, T, TE, TP> : embed_eights<false, T, TE, TP>, blocks, kThreads, 0,
               args);
      });
    });
  });
}

void Embed::do_embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                              const Dropout& dropout, Sink dE, Sink dP) const {
  const std::int64_t d = dy.cols(), chunks = divide_up(d, kChunk);
  const DropoutMask mask = dropout_mask(dropout, segments);
  if (dE.wanted()) {
    if (!dE.accumulates()) fill(dE.array, 0);
    const std::int64_t entries = index.rows.count(), pieces = divide_up(entries, kPiece);
    const ArenaScope scratch(arena());
    const Array parts = empty({2 * pieces, d}, DType::kFloat32), continued = empty({pieces}, DType::kInt32);
    const bool packed = in_eights({&dy, &dE.array});
    dispatch(dy.dtype(), [&]<class T>() {
      dispatch(dE.array.dtype(), [&]<class G>() {
        const TokenGradient<T, G> args{
            .dy = matrix<const T>(dy),
            .tokens = elements<const std::int32_t>(index.tokens),
            .starts = elements<const std::int32_t>(index.starts),
            .rows = elements<const std::int32_t>(index.rows),
            .U = index.tokens.count(),
            .entries = entries,
            .scale = static_cast<float>(scale),
            .dropout = mask,
            .dE = sink_rows<G>(Sink::accumulate(dE.array)),
            .parts = elements<float>(parts),
            .continued = elements<std::int32_t>(continued),
        };
        launch(*this, packed ? sum_token_pieces<true, T, G> : sum_token_pieces<false, T, G>,
               divide_up(pieces * chunks, kWarps), kThreads, 0, args);
        launch(*this, packed ? add_token_parts<true, T, G> : add_token_parts<false, T, G>, pieces * chunks, kThreads, 0,
               args);
      });
    });
  }
  if (dP.wanted()) {
    const bool packed = in_eights({&dy});
    dispatch(dy.dtype(), [&]<class T>() {
      dispatch(dP.array.dtype(), [&]<class G>() {
        launch(*this, packed ? sum_positions<true, T, G> : sum_positions<false, T, G>, dP.array.rows() * chunks,
               kThreads, 0, matrix<const T>(dy), elements<const std::int32_t>(segments.offsets), segments.B, mask,
               sink_rows<G>(dP));
      });
    });
  }
}

}  // namespace dragoman::cuda
