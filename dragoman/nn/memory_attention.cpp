#include "dragoman/nn/memory_attention.h"

#include <cmath>

#include "dragoman/ops/attention.h"
#include "dragoman/ops/weight_norm.h"
#include "dragoman/params/glorot.h"

namespace dragoman::nn {

using params::Initial;

MemoryAttention::MemoryAttention(const MemoryAttentionSizes& sizes_, int site_, int layer_)
    : sizes(sizes_), site(site_), layer(layer_) {
  const auto weights = [&](const char* name, std::int64_t in, std::int64_t out) {
    return Parameter(in, {{name, out, initial_weights(sizes.init, in, out)}});
  };
  const KeyScore score = sizes.score;
  if (score != KeyScore::kDot && score != KeyScore::kScaled) W_Q.W = weights("W_Q", sizes.H, sizes.d_k);
  if (is_additive(score) || is_align(score)) W_K.W = weights("W_K", sizes.d_h, sizes.d_k);
  if (is_align(score)) W_V.W = weights("W_V", sizes.d_h, sizes.d_v);
  if (!is_additive(score)) return;
  if (score != KeyScore::kConcat) W_K.b = Parameter({sizes.d_k}, initial_bias(sizes.init));
  v = Parameter({sizes.d_k}, initial_weights(sizes.init, sizes.d_k, 1)).used_as(params::Use::kExact);
  if (score == KeyScore::kAdditiveNormed) {
    g = Parameter({1}, Initial::constant(std::sqrt(1.0 / static_cast<double>(sizes.d_k)))).used_as(params::Use::kExact);
  }
}

void MemoryAttention::parameters(ParameterVisitor& visit) {
  visit("W_Q", W_Q.W);
  visit("W_K", W_K.W);
  visit("W_V", W_V.W);
  visit("b", W_K.b);
  visit("v", v);
  visit("g", g);
}

Memory MemoryAttention::project(const Tensor& states, const Segments& segments) const {
  return {W_K.W ? W_K(states) : states, W_V.W ? W_V(states) : states, segments};
}

ops::KeyScores MemoryAttention::scores() const {
  const bool scaled = sizes.score == KeyScore::kScaled || sizes.score == KeyScore::kAlignScaled;
  ops::KeyScores scores{.scale = scaled ? 1.0 / std::sqrt(static_cast<double>(sizes.d_k)) : 1.0};
  if (v) scores.v = g ? ops::weight_norm(v.tensor(), g.tensor()) : v.tensor();
  return scores;
}

AttentionSite MemoryAttention::described(std::string name) const {
  const bool scaled = sizes.score == KeyScore::kScaled || sizes.score == KeyScore::kAlignScaled;
  return {.name = std::move(name),
          .queries = Side::kTarget,
          .keys = Side::kSource,
          .layers = 1,
          .heads = 1,
          .d_k = static_cast<int>(sizes.d_k),
          .window = 0,
          .score = is_additive(sizes.score) ? SiteScore::kAdditive
                   : scaled                 ? SiteScore::kScaledProduct
                                            : SiteScore::kProduct,
          .formula = std::string(formula(sizes.score)),
          .chooses_one = hard.on()};
}

namespace {

// What an observer sees of attention over whole sentences. The rows of Q and `context` are in the order of the batch.
struct Shown {
  const Array &weights, &Q, &context;
  const ops::KeyScores& scores;
};

void show(const MemoryAttention& attention, const Shown& shown, const Memory& memory, const Segments& queries,
          const Pass& pass) {
  const Array& v = shown.scores.v ? shown.scores.v.array() : Array();
  pass.observer->see(attention.site, attention.layer, shown.weights, {queries, memory.segments, {}});
  pass.observer->see_projections(attention.site, attention.layer, shown.Q, memory.K.array(), v);
  pass.observer->see_steps(AttentionSteps{.site = attention.site,
                                          .layer = attention.layer,
                                          .V = memory.V.array(),
                                          .O = shown.context,
                                          .output = {},
                                          .W_O = nullptr});
}

}  // namespace

void MemoryAttention::switch_off(const Array& context, std::int64_t first_row, const Pass& pass) const {
  for (const HeadsOff& off : pass.heads_off) {
    const std::int64_t first = std::max(off.first, first_row) - first_row,
                       end = std::min(off.first + off.rows, first_row + context.rows()) - first_row;
    for (const Head& head : off.heads) {
      if (head.site != site || head.layer != layer || first >= end) continue;
      const Array given = context.row_range(first, end - first);
      pass.on.scaled(given, 0, Sink::overwrite(given));
    }
  }
}

Tensor MemoryAttention::operator()(const Tensor& s, const Memory& memory, const Segments& queries, Pass& pass) const {
  const Tensor Q = query(s);
  const Reach reach{queries, memory.segments, {}};
  Array weights;
  const Tensor context = ops::attention(Q, memory.K, memory.V, reach, {.h = 1, .scale = scores().scale, .dropout = {}},
                                        pass.observer != nullptr ? &weights : nullptr);
  switch_off(context.array(), 0, pass);
  if (pass.observer != nullptr) show(*this, {weights, Q.array(), context.array(), scores()}, memory, queries, pass);
  return context;
}

namespace {

constexpr std::uint32_t kChoicePurpose = 0x63686F69;  // purpose of the random streams: "choi" in ASCII

// The choice of the largest weights, and the context that it gives.
Array take_largest(const Tensor& weights, const Tensor& V, const MemoryRows& memory, const Tensor& context) {
  Backend& on = V.backend();
  Array chosen = on.empty({weights.rows()}, DType::kInt32), none;
  on.choose_keys(weights.array(), memory, {}, chosen, none);
  ops::chosen_mix(weights, {.chosen = chosen}, V, memory, context);
  return chosen;
}

// Rows with 1 for the chosen key and 0 for the others; rows without a choice keep their weights. On the host: only
// observers see it.
Array one_hot(Backend& on, const Array& weights, const Array& chosen) {
  std::vector<std::int32_t> keys(static_cast<std::size_t>(chosen.count()));
  on.copy_out(chosen, keys.data());
  const Array shown = on.empty_like(weights);
  on.scaled(weights, 1.0, Sink::overwrite(shown));
  for (std::int64_t r = 0; r < shown.rows(); ++r) {
    const std::int32_t key = keys[static_cast<std::size_t>(r)];
    if (key < 0) continue;
    Array row = shown.row_range(r, 1), one = row.columns(key, 1);
    on.fill(row, 0.0);
    on.fill(one, 1.0);
  }
  return shown;
}

}  // namespace

Tensor MemoryAttention::step(const Tensor& s, const Array& K, const Array& V, const MemoryRows& memory,
                             Pass& pass) const {
  Backend& on = pass.on;
  const Tensor weights = ops::memory_weights(query(s), Tensor(on, K), scores(), memory);
  const Tensor context(on, on.empty({s.rows(), sizes.d_v}, s.array().dtype()));
  Array chosen;
  if (hard.on()) {
    chosen = take_largest(weights, Tensor(on, V), memory, context);
  } else {
    ops::memory_mix(weights, Tensor(on, V), memory, context);
  }
  if (pass.observer != nullptr) {
    const Array shown = chosen ? one_hot(on, weights.array(), chosen) : weights.array();
    pass.observer->see_step(site, layer, shown.reshaped({s.rows(), 1, memory.longest}));
  }
  switch_off(context.array(), 0, pass);
  return context;
}

Tensor MemoryAttention::step_as_whole(const Tensor& s, const Array& K, const Array& V, const MemoryRows& memory,
                                      Pass& pass) const {
  Backend& on = pass.on;
  Array O = on.empty({s.rows(), sizes.d_v}, s.array().dtype()), weights;
  if (pass.observer != nullptr) {
    weights = on.empty({s.rows(), 1, memory.longest}, accumulation_dtype(s.array().dtype()));
  }
  on.attention_memory(query(s).array(), K, V, memory, {.h = 1, .scale = scores().scale, .dropout = {}}, O, weights);
  if (pass.observer != nullptr) pass.observer->see_step(site, layer, weights);
  switch_off(O, 0, pass);
  return Tensor(on, O);
}

AttentionLoop::AttentionLoop(const MemoryAttention& attention, const Memory& memory, const data::TimeRows& rows,
                             const Tensor& contexts, const ops::StepInputs& states, Pass& pass)
    : attention_(attention),
      memory_(memory),
      rows_(rows),
      pass_(pass),
      scores_(attention.scores()),
      contexts_(contexts) {
  if (attention.W_Q.W) W_Q_.emplace(attention.W_Q, rows.R, states);
  if (pass.training && attention.hard.training == KeyChoice::Kind::kDrawn) {
    credits_ = pass.on.empty({rows.R}, accumulation_dtype(contexts.array().dtype()));
    pass.on.fill(credits_, 0.0);
  }
}

Array AttentionLoop::mix(std::int64_t t, const Tensor& weights, const MemoryRows& memory, const Tensor& context) {
  const HardAttention& hard = attention_.hard;
  if (!hard.on()) {
    ops::memory_mix(weights, memory_.V, memory, context);
    return {};
  }
  if (!pass_.training) return take_largest(weights, memory_.V, memory, context);
  const Segments segments = rows_.segments_of(t);
  const double temperature = hard.temperature(pass_.update);
  const KeyChoice choice{.kind = hard.training,
                         .key = philox_key(pass_.seed, kChoicePurpose),
                         .update = pass_.update,
                         .soft_share = hard.soft_share,
                         .temperature = temperature,
                         .sentence = segments.sentence,
                         .position = segments.position};
  ops::ChosenKeys keys{.chosen = pass_.on.empty({weights.rows()}, DType::kInt32), .temperature = temperature};
  if (hard.training == KeyChoice::Kind::kGumbel) keys.relaxed = pass_.on.empty_like(weights.array());
  pass_.on.choose_keys(weights.array(), memory, choice, keys.chosen, keys.relaxed);
  const auto at = static_cast<std::size_t>(t);
  if (credits_) keys.credit.credit = credits_.columns(rows_.starts[at], rows_.counts[at]);
  // The entropy is a mean over the tokens of the update, as the loss is.
  keys.credit.entropy = hard.entropy * (pass_.own_losses != nullptr ? pass_.own_losses->weight : 1.0);
  ops::chosen_mix(weights, keys, memory_.V, memory, context);
  return keys.chosen;
}

Tensor AttentionLoop::step(std::int64_t t, const Tensor& s) {
  const auto at = static_cast<std::size_t>(t);
  const std::int64_t start = rows_.starts[at], count = rows_.counts[at];
  const MemoryRows memory = rows_.first_memory(count);
  const Tensor q = W_Q_ ? (*W_Q_)(s, start) : s;
  const Tensor weights = ops::memory_weights(q, memory_.K, scores_, memory);
  const Tensor context = row_range(contexts_, start, count);
  const Array chosen = mix(t, weights, memory, context);
  if (pass_.observer != nullptr) {
    queries_.push_back(q.array());
    weights_.push_back(chosen ? one_hot(pass_.on, weights.array(), chosen) : weights.array());
  }
  if (!pass_.heads_off.empty()) {
    for (std::int64_t j = 0; j < count; ++j) {
      attention_.switch_off(context.array().row_range(j, 1), rows_.batch_row(t, j), pass_);
    }
  }
  return context;
}

void AttentionLoop::finish(const Segments& queries) {
  if (pass_.observer == nullptr) return;
  Backend& on = pass_.on;
  const std::vector<std::int32_t> keys = data::host_offsets(on, memory_.segments);
  // Sentence b has the weights [n_q, n_k] from starts[b] on.
  std::vector<std::int64_t> starts{0};
  for (std::size_t b = 0; b + 1 < keys.size(); ++b) {
    starts.push_back(starts.back() + (rows_.offsets[b + 1] - rows_.offsets[b]) * std::int64_t{keys[b + 1] - keys[b]});
  }
  Array weights = on.empty({starts.back()}, accumulation_dtype(contexts_.array().dtype()));
  const Array Q = on.empty({rows_.R, attention_.sizes.d_k}, contexts_.array().dtype());
  const Array context = on.empty_like(contexts_.array());
  for (std::int64_t t = 0; t < rows_.steps(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    for (std::int64_t j = 0; j < rows_.counts[at]; ++j) {
      const std::int32_t b = rows_.order[j], n_k = keys[b + 1] - keys[b];
      on.scaled(weights_[at].row_range(j, 1).columns(0, n_k), 1.0,
                Sink::overwrite(weights.columns(starts[b] + t * n_k, n_k).reshaped({1, n_k})));
      const std::int64_t row = rows_.batch_row(t, j);
      on.scaled(queries_[at].row_range(j, 1), 1.0, Sink::overwrite(Q.row_range(row, 1)));
      on.scaled(contexts_.array().row_range(rows_.starts[at] + j, 1), 1.0, Sink::overwrite(context.row_range(row, 1)));
    }
  }
  show(attention_, {weights, Q, context, scores_}, memory_, queries, pass_);
}

}  // namespace dragoman::nn
