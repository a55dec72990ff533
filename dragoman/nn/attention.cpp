#include "dragoman/nn/attention.h"

#include <cmath>
#include <vector>

#include "dragoman/ops/additive_attention.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/attention.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/ops/softmax.h"
#include "dragoman/params/glorot.h"

namespace dragoman::nn {

using params::glorot_limit;
using params::Initial;

using namespace ops;  // NOLINT: equations read as in the paper

// Section 3.2.1. "We compute the dot products of the query with all keys, divide each by sqrt(d_k), and apply a softmax
// function to obtain the weights on the values." The products with masked keys are set to -infinity before the softmax.
Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask) {
  const double d_k = static_cast<double>(K.dim(-1));
  return attention_weights(Q, K, mask, 1.0 / std::sqrt(d_k));
}

Tensor attention_weights(const Tensor& Q, const Tensor& K, const Mask& mask, double scale) {
  return softmax(masked(matmul(Q, transpose(K)) * scale, mask));
}

// Section 3.2.1: "Additive attention computes the compatibility function using a feed-forward network with a single
// hidden layer." The projections of queries and keys are that network's first layer, tanh its activation, v the second.
Tensor additive_weights(const Tensor& Q, const Tensor& K, const Tensor& v, const Mask& mask) {
  Tensor scores;
  for (std::int64_t j = 0; j < K.rows(); ++j) {
    const Tensor of_key = matmul(tanh(add_bias(Q, rows(K, j, 1))), v, Transpose::kYes);
    scores = scores ? concat({scores, of_key}) : of_key;
  }
  return softmax(masked(scores, mask));
}

// Equation (1):  Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V.
// This is the definition: the fused kernel is tested against it, and a reader starts here.
Tensor attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Mask& mask) {
  return matmul(attention_weights(Q, K, mask), V);
}

// Section 3.2.2:  MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O,
//                 head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).
// `projected` holds Q W_i^Q, K W_i^K and V W_i^V of all heads side by side. The fused kernel computes equation (1) for
// each sentence and head and writes the heads side by side, so that Concat costs nothing. An observer receives the
// weights of the same kernel.
Tensor MultiHeadAttention::operator()(const Projections& projected, const Reach& reach, Pass& pass) const {
  Array weights;
  Array* const observed = pass.observer != nullptr ? &weights : nullptr;
  const auto& [Q, K, V] = projected;
  const Heads rule = heads(pass.dropout(sizes.P_drop));
  const Tensor concatenated = v ? ops::additive_attention(Q, K, V, v.tensor(), reach, rule, observed)
                                : ops::attention(Q, K, V, reach, rule, observed);
  if (pass.observer != nullptr) {
    pass.observer->see(site, pass.depth + layer, weights, reach);
    pass.observer->see_projections(site, pass.depth + layer, Q.array(), K.array(),
                                   v ? v.tensor().array().reshaped({sizes.keys()}) : Array());
  }
  switch_off(concatenated.array(), pass);
  Tensor output = W_O(concatenated);
  if (pass.observer != nullptr) {
    pass.observer->see_steps(AttentionSteps{.site = site,
                                            .layer = pass.depth + layer,
                                            .V = V.array(),
                                            .O = concatenated.array(),
                                            .output = output.array(),
                                            .W_O = &W_O});
  }
  return output;
}

Heads MultiHeadAttention::heads(const Dropout& dropout) const {
  const double scale = sizes.score == AttentionScore::kScaled ? 1.0 / std::sqrt(static_cast<double>(sizes.d_k)) : 1.0;
  return {.h = sizes.h, .scale = scale, .dropout = dropout};
}

void MultiHeadAttention::attend(const Projections& projected, const CachedKeys& cache, const Mask& mask,
                                const Pass& pass, Array& O, Array& weights) const {
  const Array &Q = projected.Q.array(), &K = projected.K.array(), &V = projected.V.array();
  if (v) return pass.on.additive_attention_cached(Q, K, V, v.tensor().array(), cache, mask, heads(), O, weights);
  pass.on.attention_cached(Q, K, V, cache, mask, heads(), O, weights);
}

void MultiHeadAttention::attend(const Tensor& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                const Pass& pass, Array& O, Array& weights) const {
  if (v) return pass.on.additive_attention_memory(Q.array(), K, V, v.tensor().array(), memory, heads(), O, weights);
  pass.on.attention_memory(Q.array(), K, V, memory, heads(), O, weights);
}

void MultiHeadAttention::switch_off(const Array& O, const Pass& pass) const {
  for (const HeadsOff& off : pass.heads_off) {
    for (const Head& head : off.heads) {
      if (head.site != site || head.layer != pass.depth + layer) continue;
      const Array given = O.row_range(off.first, off.rows).columns(head.head * sizes.d_v, sizes.d_v);
      pass.on.scaled(given, 0, Sink::overwrite(given));
    }
  }
}

Array MultiHeadAttention::step_weights(std::int64_t rows, std::int64_t keys, DType dtype, const Pass& pass) const {
  return pass.observer != nullptr ? pass.on.empty({rows, sizes.h, keys}, accumulation_dtype(dtype)) : Array();
}

Tensor MultiHeadAttention::finish_step(const Array& O, const Array& weights, Pass& pass) const {
  if (pass.observer != nullptr) pass.observer->see_step(site, pass.depth + layer, weights);
  switch_off(O, pass);
  return W_O(Tensor(pass.on, O));
}

namespace {

std::int64_t width(const AttentionSizes& sizes, Projection projection) {
  return projection == Projection::kValues ? sizes.values() : sizes.keys();
}

const char* letter(Projection projection) {
  return projection == Projection::kQueries ? "Q" : projection == Projection::kKeys ? "K" : "V";
}

}  // namespace

// The first public code (tensor2tensor) drew W_Q, W_K and W_V as one matrix with d_model rows; fairseq draws each
// separately and scales its limit by 1 / sqrt(2). For the paper's sizes both rules give the same limit. We use the
// first rule for cross-attention too.
Parameter::Columns projection_weights(const AttentionSizes& sizes, Projection projection, const std::string& prefix) {
  const double limit = sizes.init == AttentionInit::kT2T
                           ? glorot_limit(sizes.d_model, 2 * sizes.keys() + sizes.values())
                           : glorot_limit(sizes.d_model, width(sizes, projection)) / std::sqrt(2.0);
  return {prefix + "W_" + letter(projection), width(sizes, projection), Initial::uniform(limit)};
}

Parameter::Columns projection_biases(const AttentionSizes& sizes, Projection projection, const std::string& prefix) {
  const Initial initial = sizes.init == AttentionInit::kT2T
                              ? Initial::constant(0)
                              : Initial::uniform(1.0 / std::sqrt(static_cast<double>(sizes.d_model)));
  return {prefix + "b_" + letter(projection), width(sizes, projection), initial};
}

MultiHeadAttention::MultiHeadAttention(const AttentionSizes& sizes_, int site_, int layer_)
    : sizes(sizes_), site(site_), layer(layer_) {
  W_O.W = Parameter({sizes.values(), sizes.d_model}, Initial::uniform(glorot_limit(sizes.values(), sizes.d_model)));
  if (sizes.bias) W_O.b = Parameter({sizes.d_model}, Initial::constant(0));
  if (sizes.score == AttentionScore::kAdditive) {
    v = Parameter({sizes.h, sizes.d_k}, Initial::uniform(glorot_limit(sizes.d_k, 1))).used_as(params::Use::kExact);
  }
}

void MultiHeadAttention::parameters(ParameterVisitor& visit) {
  visit("v", v);
  visit("W_O", W_O.W);
  visit("b_O", W_O.b);
}

SelfAttention::SelfAttention(const AttentionSizes& sizes, int site, int layer) : multi_head(sizes, site, layer) {
  using enum Projection;
  W_QKV.W = Parameter(sizes.d_model, {projection_weights(sizes, kQueries), projection_weights(sizes, kKeys),
                                      projection_weights(sizes, kValues)});
  if (sizes.bias) {
    W_QKV.b = Parameter(
        0, {projection_biases(sizes, kQueries), projection_biases(sizes, kKeys), projection_biases(sizes, kValues)});
  }
}

Projections SelfAttention::project(const Tensor& x) const {
  const AttentionSizes& sizes = multi_head.sizes;
  const Tensor QKV = W_QKV(x);
  return {columns(QKV, 0, sizes.keys()), columns(QKV, sizes.keys(), sizes.keys()),
          columns(QKV, 2 * sizes.keys(), sizes.values())};
}

Tensor SelfAttention::step(const Tensor& x, const CachedKeys& cache, const Mask& mask, Pass& pass) const {
  const Projections projected = project(x);
  Array O = pass.on.empty({x.rows(), multi_head.sizes.values()}, x.array().dtype());
  Array weights = multi_head.step_weights(x.rows(), cache.cells.cols(), x.array().dtype(), pass);
  multi_head.attend(projected, cache, mask, pass, O, weights);
  return multi_head.finish_step(O, weights, pass);
}

void SelfAttention::parameters(ParameterVisitor& visit) {
  visit("W_QKV", W_QKV.W);
  visit("b_QKV", W_QKV.b);
  multi_head.parameters(visit);
}

CrossAttention::CrossAttention(const AttentionSizes& sizes, int site, int layer) : multi_head(sizes, site, layer) {
  W_Q.W = Parameter(sizes.d_model, {projection_weights(sizes, Projection::kQueries)});
  if (sizes.bias) W_Q.b = Parameter(0, {projection_biases(sizes, Projection::kQueries)});
}

Tensor CrossAttention::step(const Tensor& x, const Array& K, const Array& V, const MemoryRows& memory,
                            Pass& pass) const {
  Array O = pass.on.empty({x.rows(), multi_head.sizes.values()}, x.array().dtype());
  Array weights = multi_head.step_weights(x.rows(), memory.longest, x.array().dtype(), pass);
  multi_head.attend(W_Q(x), K, V, memory, pass, O, weights);
  return multi_head.finish_step(O, weights, pass);
}

void CrossAttention::parameters(ParameterVisitor& visit) {
  visit("W_Q", W_Q.W);
  visit("b_Q", W_Q.b);
  multi_head.parameters(visit);
}

Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout) {
  const auto scaled = [](const Tensor& Q_i, const Tensor& K_i, const Mask& mask, std::int64_t) {
    return attention_weights(Q_i, K_i, mask);
  };
  return attention_by_sentence(Q, K, V, reach, h, dropout, scaled);
}

Tensor attention_by_sentence(const Tensor& Q, const Tensor& K, const Tensor& V, const Reach& reach, std::int64_t h,
                             const Dropout& dropout, const WeightsOfHead& weights_of_head) {
  std::vector<std::int32_t> q(reach.queries.B + 1), k(reach.keys.B + 1);
  Q.backend().copy_out(reach.queries.offsets, q.data());
  Q.backend().copy_out(reach.keys.offsets, k.data());
  const std::int64_t d_k = Q.dim(-1) / h, d_v = V.dim(-1) / h;
  Tensor O;
  for (std::int64_t b = 0; b < reach.queries.B; ++b) {
    const std::int64_t n_q = q[b + 1] - q[b], n_k = k[b + 1] - k[b];
    const Segments sentence{.B = 1,
                            .R = n_q,
                            .longest = n_q,
                            .offsets = {},
                            .position = reach.queries.position.reshaped({reach.queries.R, 1}).row_range(q[b], n_q),
                            .sentence = reach.queries.sentence.reshaped({reach.queries.R, 1}).row_range(q[b], n_q)};
    // Dropout numbers its channels through the weights of all heads, so the heads' weights are put side by side first.
    Tensor weights;
    for (std::int64_t i = 0; i < h; ++i) {
      const Tensor head = weights_of_head(columns(rows(Q, q[b], n_q), i * d_k, d_k),
                                          columns(rows(K, k[b], n_k), i * d_k, d_k), reach.mask, i);
      weights = weights ? concat({weights, head}) : head;
    }
    weights = ops::dropout(weights, sentence, dropout);
    Tensor heads;
    for (std::int64_t i = 0; i < h; ++i) {
      const Tensor head = matmul(columns(weights, i * n_k, n_k), columns(rows(V, k[b], n_k), i * d_v, d_v));
      heads = heads ? concat({heads, head}) : head;
    }
    O = O ? stack_rows({O, heads}) : heads;
  }
  return O;
}

}  // namespace dragoman::nn
