// Attention of ragged batches: this file chooses a kernel and its grid. The host does not know how long each sentence
// is, so grids and tiles are sized for the longest one, and teams without rows return at once.
//
//   - bf16 runs on the tensor cores, by tiles in shared memory (attention/tiles.cuh). A team of warps works on one head
//     of one sentence; each warp has 16 rows. Teams of short sentences share a block.
//     Forward (attention/forward.cuh): a sentence of more than 128 queries is split among several teams. With a window
//     a team copies the band of keys that its queries see, and each warp computes its own part of it.
//     Backward (attention/backward.cuh): usually the data of a sentence and head fit into shared memory, and one team
//     computes all their gradients. Otherwise one kernel computes dQ, and another one dK and dV.
//   - bf16 heads that are too wide for such tiles run on the tensor cores as well, if the sentences are not too long
//     (attention/wide.cuh).
//   - Everything else, which is mostly float32, runs on plain kernels with a warp per row (attention/plain.cuh).
#include "dragoman/backend/cuda/attention.h"

#include <optional>

#include "dragoman/backend/cuda/attention/backward_long.cuh"
#include "dragoman/backend/cuda/attention/backward_whole.cuh"
#include "dragoman/backend/cuda/attention/forward.cuh"
#include "dragoman/backend/cuda/attention/plain.cuh"
#include "dragoman/backend/cuda/attention/wide.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kWidest = 128;    // the widest head that a tile can hold
constexpr int kBlockWarps = 4;  // small teams share a block of this many warps
constexpr int kLongTile = 64;   // keys of a tile in the forward pass, if a sentence has several tiles

// Calls f.operator()<D>() with the narrowest tile that holds heads of width d.
template <class F>
void with_width(int d, const F& f) {
  if (d <= 16) return f.template operator()<16>();
  if (d <= 32) return f.template operator()<32>();
  if (d <= 64) return f.template operator()<64>();
  f.template operator()<kWidest>();
}

int width_of(const Problem& problem) { return std::max(problem.d_k, problem.d_v); }

// Whether the tile kernels can be used. They need a positive scale, because they take the maximum of the scores, and
// set hidden scores to -infinity, before they multiply by the scale.
bool fits_tiles(const Problem& problem, std::initializer_list<const Array*> arrays) {
  return problem.scale > 0 && width_of(problem) <= kWidest && problem.d_k % 8 == 0 && problem.d_v % 8 == 0 &&
         packable<bf16>(arrays);
}

int longest_of(const Segments& segments) { return static_cast<int>(segments.longest); }

// Teams of team_rows / kStep warps each. A block holds as many of them as fit into kBlockWarps warps, at least one.
GridPlan plan_grid(const Problem& problem, std::int64_t B, int team_rows, int tiles) {
  GridPlan plan{.team_warps = team_rows / kStep, .B = static_cast<int>(B), .tiles = tiles};
  plan.teams = std::max(1, std::min(problem.h, kBlockWarps / plan.team_warps));
  return plan;
}

// Launches a tile kernel on the grid (heads and tiles of a sentence, sentences, more sentences), as Work reads it.
template <class Kernel, class Arrays>
void launch_teams(const Context& on, Kernel kernel, const Problem& problem, const Arrays& arrays,
                  const GridPlan& plan) {
  constexpr int kMaxInY = 1 << 15;  // a grid may have at most 65,535 blocks along y; further sentences go along z
  const Grid grid(divide_up(problem.h, plan.teams) * plan.tiles, std::min(plan.B, kMaxInY), divide_up(plan.B, kMaxInY));
  launch(on, kernel, grid, plan.teams * plan.team_warps * kWarp, static_cast<std::size_t>(plan.teams) * plan.team_bytes,
         problem, arrays, plan);
}

// Teams of the forward pass. `buffers` of K and V have key_rows rows each.
GridPlan plan_queries(const Problem& problem, std::int64_t B, const QueryTiles& queries, int D, int key_rows,
                      int buffers) {
  GridPlan plan = plan_grid(problem, B, queries.query_rows, queries.tiles);
  plan.query_rows = queries.query_rows;
  plan.key_rows = key_rows;
  plan.team_bytes = (queries.query_rows + 2 * buffers * key_rows) * D * 2;
  plan.teams = std::max(1, std::min(plan.teams, kWholeBytes / plan.team_bytes));
  return plan;
}

template <int D, bool kDrops>
void attend_by_tiles(const Context& on, const Problem& problem, const Forward<bf16>& arrays, const Reach& reach) {
  const int n_q = longest_of(reach.queries), n_k = longest_of(reach.keys);
  if (n_q == 0) return;
  const auto start = [&](auto kernel, const QueryTiles& queries, int key_rows, int buffers) {
    launch_teams(on, kernel, problem, arrays, plan_queries(problem, reach.queries.B, queries, D, key_rows, buffers));
  };
  const QueryTiles queries(n_q, kMaxTeamRows);
  if (n_k <= 32) return start(attend<D, 32, KeysAtOnce::kAll, kDrops>, queries, in_steps(n_k), 1);
  if (n_k <= kLongTile) return start(attend<D, kLongTile, KeysAtOnce::kAll, kDrops>, queries, in_steps(n_k), 1);
  if (reach.mask.r > 0) {
    if (const std::optional<BandLayout> band = band_layout(problem.sight, n_q, n_k, D)) {
      return start(attend<D, kLongTile, KeysAtOnce::kBand, kDrops>, band->queries, band->key_rows, 1);
    }
  }
  start(attend<D, kLongTile, KeysAtOnce::kTile, kDrops>, queries, kLongTile, 2);
}

template <int D, bool kDrops>
void gradients_by_tiles(const Context& on, const Problem& problem, const Backward<bf16>& arrays, const Reach& reach) {
  const int n_q = longest_of(reach.queries), n_k = longest_of(reach.keys);
  if (n_q == 0 && n_k == 0) return;
  // gradients_of_whole writes dQ last. If the queries are the same tensor as the keys or values, dQ must be written
  // first, because its sink overwrites and the others add. The two kernels below write dQ first.
  const bool shared_with_keys =
      arrays.dQ.data != nullptr && (arrays.dQ.data == arrays.dK.data || arrays.dQ.data == arrays.dV.data);
  if (!shared_with_keys && WholeLayout::fits(D, n_q, n_k)) {
    const WholeLayout whole(D, in_steps(n_q), in_steps(n_k));
    GridPlan plan = plan_grid(problem, reach.queries.B, whole.warp_rows, 1);
    plan.query_rows = whole.query_rows;
    plan.key_rows = whole.key_rows;
    plan.team_bytes = whole.bytes(D);
    return launch_teams(on, gradients_of_whole<D, kDrops>, problem, arrays, plan);
  }
  GridPlan plan = plan_grid(problem, reach.queries.B, kLongRows, static_cast<int>(divide_up(n_q, kLongRows)));
  plan.team_bytes = 6 * kLongRows * D * 2 + kLongRows * 4;  // six tiles, and the deltas
  launch_teams(on, gradients_of_queries<D, kDrops>, problem, arrays, plan);
  if (arrays.dK.data == nullptr && arrays.dV.data == nullptr) return;
  plan.tiles = static_cast<int>(divide_up(n_k, kLongRows));
  plan.team_bytes = 6 * kLongRows * D * 2 + 4 * kLongRows * 4;  // six tiles, and two buffers of log_sums and deltas
  launch_teams(on, gradients_of_keys<D, kDrops>, problem, arrays, plan);
}

// Launches a plain kernel with a warp for each row of `rows` (the queries or the keys). A warp computes at most
// kPlainColumns of the `width` columns of a head; a wider head takes several warps.
template <class Kernel, class Arrays, class... Others>
void launch_plainly(const Context& on, Kernel kernel, const Problem& problem, const Segments& rows, int width,
                    const Arrays& arrays, const Others&... others) {
  const int tiles = static_cast<int>(divide_up(rows.longest, kPlainWarps));
  const Grid grid(rows.B * problem.h * tiles, divide_up(width, kPlainColumns));
  launch(on, kernel, grid, kPlainWarps * kWarp, 0, problem, arrays, tiles, others...);
}

// The shared memory of a wide kernel whose blocks need at most so many rows of the other side.
WideShared wide_shared(int others, int products, int weights, bool scores) {
  const int tiles = static_cast<int>(divide_up(others, kWideTile));
  return {{.others = tiles * kWideTile, .products = products, .weights = weights, .scores = scores}};
}

// Launches a wide kernel for the rows of `rows` (the queries or the keys).
template <class Kernel, class Arrays>
void launch_wide(const Context& on, Kernel kernel, const Problem& problem, const Segments& rows, const Arrays& arrays,
                 const WideShared& shared) {
  const int tiles = static_cast<int>(divide_up(rows.longest, kWideRows));
  launch(on, kernel, rows.B * problem.h * tiles, kWideThreads, static_cast<std::size_t>(shared.bytes()), problem,
         arrays, tiles, shared);
}

// Whether the wide kernels can read these arrays.
bool in_slabs(const Problem& problem, std::initializer_list<const Array*> arrays) {
  return problem.d_k % 8 == 0 && problem.d_v % 8 == 0 && packable<bf16>(arrays);
}

// Runs the wide kernels if they can be used; otherwise returns false.
template <class T>
bool attend_by_slabs(const Context& on, const Problem& problem, const Forward<T>& arrays, const Reach& reach,
                     std::initializer_list<const Array*> all) {
  if constexpr (std::is_same_v<T, bf16>) {
    const int n_q = longest_of(reach.queries), n_k = longest_of(reach.keys);
    const WideShared shared = wide_shared(problem.sight.most_keys(n_q, n_k, kWideRows, 1), 1, 1, true);
    if (!shared.fits() || !in_slabs(problem, all)) return false;
    launch_wide(on, attend_wide, problem, reach.queries, arrays, shared);
    return true;
  } else {
    return false;
  }
}
template <class T>
bool gradients_by_slabs(const Context& on, const Problem& problem, const Backward<T>& arrays, const Reach& reach,
                        std::initializer_list<const Array*> all) {
  if constexpr (std::is_same_v<T, bf16>) {
    const int n_q = longest_of(reach.queries), n_k = longest_of(reach.keys);
    const WideShared of_queries = wide_shared(problem.sight.most_keys(n_q, n_k, kWideRows, 1), 2, 1, false),
                     of_keys = wide_shared(problem.sight.most_queries(n_k, n_q, kWideRows), 2, 2, false);
    if (!of_queries.fits() || !of_keys.fits() || !in_slabs(problem, all)) return false;
    launch_wide(on, gradients_of_wide_queries, problem, reach.queries, arrays, of_queries);
    if (arrays.dK.data == nullptr && arrays.dV.data == nullptr) return true;
    launch_wide(on, gradients_of_wide_keys, problem, reach.keys, arrays, of_keys);
    return true;
  } else {
    return false;
  }
}

// Calls f.operator()<D, kDrops>() if the tile kernels can be used; otherwise returns false.
template <class T, class F>
bool by_tiles(const Problem& problem, const Heads& heads, std::initializer_list<const Array*> arrays, const F& f) {
  if constexpr (std::is_same_v<T, bf16>) {
    if (!fits_tiles(problem, arrays)) return false;
    with_width(width_of(problem), [&]<int D>() {
      heads.dropout.on() ? f.template operator()<D, true>() : f.template operator()<D, false>();
    });
    return true;
  } else {
    return false;
  }
}

}  // namespace

void Attention::do_attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                             Array& O, Array& log_sums, Array& weights) const {
  const Problem problem = problem_of(Q, V, reach, heads);
  dispatch(Q.dtype(), [&]<class T>() {
    const Forward<T> arrays{matrix<const T>(Q), matrix<const T>(K), matrix<const T>(V), matrix<T>(O),
                            matrix<float>(log_sums)};
    const bool tiled = by_tiles<T>(problem, heads, {&Q, &K, &V, &O}, [&]<int D, bool kDrops>() {
      attend_by_tiles<D, kDrops>(*this, problem, arrays, reach);
    });
    if (!tiled && !attend_by_slabs(*this, problem, arrays, reach, {&Q, &K, &V, &O})) {
      launch_plainly(*this, attend_plainly<T>, problem, reach.queries, problem.d_v, arrays);
    }
    if (!weights) return;
    const ArenaScope scratch(arena());
    Array memory = empty({2 * reach.queries.B}, DType::kInt32);  // two elements hold one 64-bit number
    auto* const starts = static_cast<std::int64_t*>(memory.raw());
    launch(*this, find_weights, 1, kWarp, 0, problem, static_cast<int>(reach.queries.B), starts);
    launch_plainly(*this, write_weights<T>, problem, reach.queries, 1, arrays, starts, elements<float>(weights));
  });
}

void Attention::do_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                      const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                      Sink dV) const {
  const Problem problem = problem_of(Q, V, reach, heads);
  const ArenaScope scratch(arena());
  Array deltas = empty({reach.queries.R, heads.h}, DType::kFloat32);
  dispatch(Q.dtype(), [&]<class T>() {
    const Backward<T> arrays{matrix<const T>(dO),   matrix<const T>(Q), matrix<const T>(K),
                             matrix<const T>(V),    matrix<const T>(O), matrix<const float>(log_sums),
                             matrix<float>(deltas), sink_rows<T>(dQ),   sink_rows<T>(dK),
                             sink_rows<T>(dV)};
    const std::initializer_list<const Array*> all = {&dO, &Q, &K, &V, &O, &dQ.array, &dK.array, &dV.array};
    const bool tiled = by_tiles<T>(problem, heads, all, [&]<int D, bool kDrops>() {
      gradients_by_tiles<D, kDrops>(*this, problem, arrays, reach);
    });
    if (tiled || gradients_by_slabs(*this, problem, arrays, reach, all)) return;
    launch_plainly(*this, query_gradients_plainly<T>, problem, reach.queries, problem.d_k, arrays);
    if (!dK.wanted() && !dV.wanted()) return;
    launch_plainly(*this, key_gradients_plainly<T>, problem, reach.keys, width_of(problem), arrays);
  });
}

}  // namespace dragoman::cuda
