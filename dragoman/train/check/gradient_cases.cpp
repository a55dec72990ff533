#include "dragoman/train/check/gradient_cases.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "dragoman/autograd/finite_differences.h"
#include "dragoman/base/random.h"
#include "dragoman/data/row_index.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/positions.h"
#include "dragoman/ops/add_norm.h"
#include "dragoman/ops/additive_attention.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/attention.h"
#include "dragoman/ops/batch_norm.h"
#include "dragoman/ops/convolution.h"
#include "dragoman/ops/depth.h"
#include "dragoman/ops/embed.h"
#include "dragoman/ops/layer_norm.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/ops/smoothed_cross_entropy.h"
#include "dragoman/ops/softmax.h"
#include "dragoman/ops/take_rows.h"
#include "dragoman/ops/weight_norm.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {

namespace {

using Cases = std::vector<GradientCase>;
using Inputs = std::span<const Tensor>;
using Op = std::function<Tensor(Backend& on, Inputs x)>;

constexpr Mask::Kind kAll = Mask::Kind::kAll, kCausal = Mask::Kind::kCausal;
constexpr Mask::Window kBlock = Mask::Window::kBlock;
constexpr std::uint64_t kSeed = 1;

std::unique_ptr<Backend> one_thread() { return make_backend(Device{}, {.threads = 1}); }

Array draw(Backend& on, const Shape& shape, RandomStream& random) {
  std::vector<double> values(shape.count());
  for (double& value : values) value = random.normal();
  Array x = on.empty(shape, DType::kFloat64);
  on.copy_in(values.data(), x);
  return x;
}

// Adds a case that checks an op with inputs of these shapes and standard normal elements.
void add_op(Cases& cases, std::string name, std::vector<Shape> shapes, Op op) {
  cases.push_back({std::move(name), [shapes = std::move(shapes), op = std::move(op)] {
                     const std::unique_ptr<Backend> on = one_thread();
                     RandomStream random(kSeed);
                     std::vector<Array> inputs;
                     for (const Shape& shape : shapes) inputs.push_back(draw(*on, shape, random));
                     return gradient_error(*on, inputs, [&](Inputs x) { return op(*on, x); });
                   }});
}

using Lengths = std::vector<std::size_t>;

Segments segments(Backend& on, const Lengths& lengths) {
  std::vector<data::Sentence> sentences;
  for (const std::size_t n : lengths) sentences.emplace_back(n, kEos);
  return data::make_tokens(on, sentences, {.V = kEos + 1, .index = false}).segments;
}

const Dropout kDropout = Dropout::with(0.3, kSeed, 1, 0);

// Positions that are not differentiated.
Array draw_positions(Backend& on, const Shape& shape) {
  RandomStream random(kSeed + 1);
  return draw(on, shape, random);
}

// Adaptive computation time in three steps, with N + R in the last column.
Tensor halted_in_three(Backend& on, Inputs x) {
  Array steps = on.empty({x[0].rows(), 1}, DType::kFloat64), ones = on.empty_like(steps);
  on.fill(steps, 0.0);
  on.fill(ones, 1.0);
  Tensor rest(on, ones), O;
  for (int t = 1; t <= 3; ++t) {
    const ops::HaltWeights now = ops::halt(x[t - 1], x[3], x[4], {.t = t, .last = t == 3}, rest, steps);
    O = ops::blend_rows(O, x[t - 1], now.weight, OldRows::kKeep);
    rest = now.rest;
  }
  return ops::concat({O, ops::add(Tensor(on, steps), rest)});
}

void add_plain_ops(Cases& cases) {
  using namespace ops;  // NOLINT: more than twenty ops follow
  add_op(cases, "add", {{3, 4}, {3, 4}}, [](Backend&, Inputs x) { return x[0] + x[1]; });
  add_op(cases, "add: a tensor to itself", {{3, 4}}, [](Backend&, Inputs x) { return x[0] + x[0]; });
  add_op(cases, "add_bias", {{5, 3}, {3}}, [](Backend&, Inputs x) { return add_bias(x[0], x[1]); });
  add_op(cases, "scale", {{3, 4}}, [](Backend&, Inputs x) { return x[0] * -1.5; });
  add_op(cases, "relu", {{5, 7}}, [](Backend&, Inputs x) { return relu(x[0]); });
  add_op(cases, "multiply", {{3, 5}, {3, 5}}, [](Backend&, Inputs x) { return multiply(x[0], x[1]); });
  add_op(cases, "multiply: a tensor by itself", {{3, 5}}, [](Backend&, Inputs x) { return multiply(x[0], x[0]); });
  add_op(cases, "tanh", {{5, 7}}, [](Backend&, Inputs x) { return tanh(x[0]); });
  add_op(cases, "sigmoid", {{5, 7}}, [](Backend&, Inputs x) { return sigmoid(x[0]); });
  add_op(cases, "gated: silu", {{5, 7}}, [](Backend&, Inputs x) { return gated(x[0], SelfGate::kSilu); });
  add_op(cases, "gated: gelu", {{5, 7}}, [](Backend&, Inputs x) { return gated(x[0], SelfGate::kGelu); });
  add_op(cases, "gated: gelu by tanh", {{5, 7}}, [](Backend&, Inputs x) { return gated(x[0], SelfGate::kGeluTanh); });
  add_op(cases, "take_rows", {{4, 3}}, [](Backend& on, Inputs x) {
    return take_rows(x[0], data::row_index(on, std::vector<std::int32_t>{3, 0, 3, 1, 3}, 4));
  });
  add_op(cases, "place_rows", {{3, 4}}, [](Backend& on, Inputs x) {
    return place_rows(x[0], data::row_index(on, std::vector<std::int32_t>{4, 0, 2}, 5));
  });
  add_op(cases, "dropout", {{6, 5}}, [](Backend& on, Inputs x) {
    return dropout(x[0], segments(on, {2, 1, 3}), kDropout);
  });
  add_op(cases, "transpose", {{3, 5}}, [](Backend&, Inputs x) { return transpose(x[0]); });
  add_op(cases, "rows", {{5, 3}}, [](Backend&, Inputs x) { return rows(x[0], 1, 2); });
  add_op(cases, "rows: overlapping", {{5, 3}}, [](Backend&, Inputs x) { return rows(x[0], 0, 3) + rows(x[0], 2, 3); });
  add_op(cases, "columns", {{3, 7}}, [](Backend&, Inputs x) { return columns(x[0], 2, 3); });
  add_op(cases, "columns: two views and the whole", {{3, 4}}, [](Backend&, Inputs x) {
    return matmul(relu(columns(x[0], 1, 1) + columns(x[0], 3, 1)), transpose(columns(x[0] * 2.0, 0, 1))) +
           matmul(x[0], x[0], Transpose::kYes);
  });
  add_op(cases, "stack_rows", {{2, 3}, {1, 3}, {4, 3}}, [](Backend&, Inputs x) {
    return stack_rows({x[0], x[1], x[2]});
  });
  add_op(cases, "concat", {{3, 2}, {3, 1}, {3, 4}}, [](Backend&, Inputs x) { return concat({x[0], x[1], x[2]}); });
  add_op(cases, "concat: twelve parts", {{3, 2}},
         [](Backend&, Inputs x) { return concat(std::vector<Tensor>(12, x[0])); });
  add_op(cases, "sum", {{4, 3}}, [](Backend&, Inputs x) { return sum(x[0], 0.7); });
  add_op(cases, "matmul", {{4, 3}, {3, 5}}, [](Backend&, Inputs x) { return matmul(x[0], x[1]); });
  add_op(cases, "matmul: B transposed", {{4, 3}, {5, 3}},
         [](Backend&, Inputs x) { return matmul(x[0], x[1], Transpose::kYes); });
  add_op(cases, "softmax", {{4, 5}}, [](Backend&, Inputs x) { return softmax(x[0]); });
  add_op(cases, "softmax: masked, causal", {{4, 4}},
         [](Backend&, Inputs x) { return softmax(masked(x[0], {.kind = kCausal})); });
  add_op(cases, "softmax: masked, no key in reach", {{6, 3}},
         [](Backend&, Inputs x) { return softmax(masked(x[0], {.kind = kAll, .r = 3})); });
  add_op(cases, "log_softmax", {{4, 5}}, [](Backend&, Inputs x) { return log_softmax(x[0]); });
  add_op(cases, "layer_norm", {{4, 7}, {7}, {7}},
         [](Backend&, Inputs x) { return layer_norm(x[0], x[1], x[2], 1e-6); });
  add_op(cases, "batch_norm", {{4, 7}, {7}, {7}},
         [](Backend&, Inputs x) { return batch_norm(x[0], x[1], x[2], 1e-5).y; });
  add_op(cases, "batch_norm: padding", {{4, 7}, {7}, {7}},
         [](Backend&, Inputs x) { return batch_norm(x[0], x[1], x[2], 1e-5, 3).y; });
  add_op(cases, "add_coordinates", {{3, 4}, {2, 4}}, [](Backend& on, Inputs x) {
    const Tensor P = Tensor(on, draw_positions(on, {5, 4}));
    return add_coordinates(x[0], data::make_ids(on, std::vector<std::int32_t>{4, 0, 2}), P, {x[1], 1, 2.0});
  });
  add_op(cases, "halt: three steps, of which the last is forced", {{5, 3}, {5, 3}, {5, 3}, {3, 1}, {1}},
         halted_in_three);
  for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
    add_op(cases, old == OldRows::kKeep ? "blend_rows" : "blend_rows: the old rows fade", {{4, 3}, {4, 3}, {4, 1}},
           [old](Backend&, Inputs x) { return blend_rows(x[0], x[1], x[2], old); });
  }
  add_op(cases, "weight_norm", {{5, 7}, {7}}, [](Backend&, Inputs x) { return weight_norm(x[0], x[1]); });
  add_op(cases, "weight_norm: a vector", {{5}, {1}}, [](Backend&, Inputs x) { return weight_norm(x[0], x[1]); });
}

void add_convolution(Cases& cases) {
  for (const Taps& taps : {Taps::centred(3, 1), Taps::causal(3, 1), Taps::causal(2, 2)}) {
    add_op(cases, join("unfold_rows: ", taps.k, " taps, dilation ", taps.dilation, ", left ", taps.left), {{7, 3}},
           [taps](Backend& on, Inputs x) {
             return ops::unfold_rows(x[0], segments(on, {4, 1, 2}), taps);
           });
  }
  add_op(cases, "depthwise", {{7, 3}, {3, 3}}, [](Backend& on, Inputs x) {
    return ops::depthwise(x[0], segments(on, {4, 1, 2}), Taps::centred(3, 1), x[1]);
  });
  add_op(cases, "glu", {{4, 6}}, [](Backend&, Inputs x) { return ops::glu(x[0]); });
  add_op(cases, "scaled_sum", {{3, 4}, {3, 4}}, [](Backend&, Inputs x) { return ops::scaled_sum(x[0], x[1], 0.7); });
  add_op(cases, "scale_by_root_length", {{6, 3}}, [](Backend& on, Inputs x) {
    return ops::scale_by_root_length(x[0], segments(on, {2, 1, 3}), 0.7);
  });
}

void add_linear(Cases& cases) {
  const std::vector<Shape> no_bias{{6, 3}, {3, 5}}, bias{{6, 3}, {3, 5}, {5}};
  add_op(cases, "linear", no_bias, [](Backend&, Inputs x) { return ops::linear(x[0], x[1], {}); });
  add_op(cases, "linear: bias", bias, [](Backend&, Inputs x) { return ops::linear(x[0], x[1], x[2]); });
  add_op(cases, "linear: relu", no_bias,
         [](Backend&, Inputs x) { return ops::linear(x[0], x[1], {}, {.relu = true, .dropout = {}, .segments = {}}); });
  add_op(cases, "linear: bias, relu, dropout", bias, [](Backend& on, Inputs x) {
    return ops::linear(x[0], x[1], x[2], {.relu = true, .dropout = kDropout, .segments = segments(on, {1, 3, 2})});
  });
}

// Contains the reserved id 0, a token twice in one sentence, and tokens that occur in several sentences.
Tokens some_tokens(Backend& on) {
  const std::vector<data::Sentence> sentences{{0, 3, 3, 2}, {2}, {5, 3, 2}};
  return data::make_tokens(on, sentences, {.V = 7, .zero_start = true});
}

void add_embed(Cases& cases) {
  const double scale = std::sqrt(6.0);
  const Shape E{7, 6}, P{5, 6};
  add_op(cases, "embed: no positions", {E},
         [=](Backend& on, Inputs x) { return ops::embed(on, some_tokens(on), x[0], {}, scale, {}); });
  add_op(cases, "embed: sinusoids", {E}, [=](Backend& on, Inputs x) {
    nn::SinusoidTable table(nn::Sinusoids::kPaper, 6);
    return ops::embed(on, some_tokens(on), x[0], table.rows(on, 4, DType::kFloat64), scale, {});
  });
  add_op(cases, "embed: learned positions", {E, P},
         [=](Backend& on, Inputs x) { return ops::embed(on, some_tokens(on), x[0], x[1], scale, {}); });
  add_op(cases, "embed: learned positions, dropout", {E, P},
         [=](Backend& on, Inputs x) { return ops::embed(on, some_tokens(on), x[0], x[1], scale, kDropout); });
}

void add_add_norm(Cases& cases) {
  const auto run = [](Backend& on, Inputs x, const Dropout& dropout) {
    return ops::add_norm(x[0], x[1], segments(on, {2, 1, 3}), dropout, x[2], x[3], 1e-6);
  };
  const std::vector<Shape> shapes{{6, 5}, {6, 5}, {5}, {5}};
  add_op(cases, "add_norm: s alone", shapes, [=](Backend& on, Inputs x) { return run(on, x, {}).s; });
  add_op(cases, "add_norm: y alone", shapes, [=](Backend& on, Inputs x) { return run(on, x, {}).y; });
  for (const bool drops : {false, true}) {
    add_op(cases, drops ? "add_norm: s and y, dropout" : "add_norm: s and y", shapes, [=](Backend& on, Inputs x) {
      const ops::AddNorm out = run(on, x, drops ? kDropout : Dropout());
      return ops::concat({out.s, out.y});
    });
  }
}

struct AttentionCase {
  std::string name;
  Lengths queries, keys;
  std::int64_t h, d_k, d_v;
  Mask mask;
  Dropout dropout;
};

void add_attention(Cases& cases, const AttentionCase& c) {
  std::int64_t R_q = 0, R_k = 0;
  for (const std::size_t n : c.queries) R_q += static_cast<std::int64_t>(n);
  for (const std::size_t n : c.keys) R_k += static_cast<std::int64_t>(n);
  const Heads heads{.h = c.h, .scale = 1.0 / std::sqrt(static_cast<double>(c.d_k)), .dropout = c.dropout};
  add_op(cases, "attention: " + c.name, {{R_q, c.h * c.d_k}, {R_k, c.h * c.d_k}, {R_k, c.h * c.d_v}},
         [c, heads](Backend& on, Inputs x) {
           const Reach reach{segments(on, c.queries), segments(on, c.keys), c.mask};
           return ops::attention(x[0], x[1], x[2], reach, heads);
         });
  add_op(cases, "additive_attention: " + c.name,
         {{R_q, c.h * c.d_k}, {R_k, c.h * c.d_k}, {R_k, c.h * c.d_v}, {c.h, c.d_k}}, [c](Backend& on, Inputs x) {
           const Reach reach{segments(on, c.queries), segments(on, c.keys), c.mask};
           return ops::additive_attention(x[0], x[1], x[2], x[3], reach, {.h = c.h, .scale = 1, .dropout = c.dropout});
         });
}

void add_attentions(Cases& cases) {
  const Lengths some{3, 1, 5, 1}, others{1, 4, 2, 6};
  add_attention(cases, {"all", some, some, 2, 3, 3, {}, {}});
  add_attention(cases, {"causal", some, some, 2, 3, 3, {.kind = kCausal}, {}});
  add_attention(cases, {"other keys, d_k and d_v differ", some, others, 3, 2, 5, {}, {}});
  add_attention(cases, {"window of 3", some, some, 2, 3, 2, {.kind = kAll, .r = 3}, {}});
  add_attention(cases, {"causal window of 2", some, some, 2, 3, 2, {.kind = kCausal, .r = 2}, {}});
  add_attention(cases, {"blocks of 2", some, some, 2, 3, 2, {.kind = kAll, .r = 2, .window = kBlock}, {}});
  add_attention(cases, {"causal blocks of 3", some, some, 2, 3, 2, {.kind = kCausal, .r = 3, .window = kBlock}, {}});
  add_attention(cases, {"70 tokens, window of 5, dropout", {70}, {70}, 1, 1, 2, {.kind = kAll, .r = 5}, kDropout});
  add_attention(cases, {"window that leaves queries without keys", {6}, {2}, 2, 2, 2, {.kind = kAll, .r = 3}, {}});
  add_attention(cases, {"dropout of weights", some, others, 2, 3, 4, {}, kDropout});
  add_attention(cases, {"causal, dropout of weights", some, some, 2, 3, 4, {.kind = kCausal}, kDropout});
  add_attention(cases, {"70 tokens", {70}, {70}, 1, 2, 1, {}, {}});
  add_attention(cases, {"70 tokens, causal, dropout", {70}, {70}, 1, 1, 2, {.kind = kCausal}, kDropout});
  add_op(cases, "attention: columns of one product", {{6, 2 * (3 + 3 + 5)}}, [](Backend& on, Inputs x) {
    const Segments sentences = segments(on, {2, 1, 3});
    return ops::attention(columns(x[0], 0, 6), columns(x[0], 6, 6), columns(x[0], 12, 10),
                          {sentences, sentences, {.kind = kCausal}}, {.h = 2, .scale = 0.5, .dropout = {}});
  });
  add_op(cases, "attention: equation (1), sentence by sentence", {{6, 4}, {6, 4}, {6, 2}}, [](Backend& on, Inputs x) {
    const Segments sentences = segments(on, {2, 1, 3});
    return nn::attention_by_sentence(x[0], x[1], x[2], {sentences, sentences, {.kind = kCausal}}, 2, kDropout);
  });
}

void add_losses(Cases& cases) {
  constexpr std::int64_t R = 40, d = 3, V = 7;  // chunks hold at least 16 rows
  const auto run = [](auto loss, const LabelSmoothing& smoothing, std::int64_t chunk) {
    return [=](Backend& on, Inputs x) {
      std::vector<std::int32_t> targets(R);
      for (std::int32_t r = 0; r < R; ++r) targets[r] = r % 5 == 1 ? kNoTarget : static_cast<std::int32_t>(r * 3 % V);
      return loss(x[0], x[1], x.size() > 2 ? x[2] : Tensor(), data::make_ids(on, targets),
                  ops::LossOptions{.smoothing = smoothing, .weight = 0.1, .chunk = chunk})
          .loss;
    };
  };
  const std::vector<Shape> no_bias{{R, d}, {V, d}}, bias{{R, d}, {V, d}, {V}};
  const LabelSmoothing none{.epsilon = 0}, rest{.epsilon = 0.1},
      uniform{.epsilon = 0.1, .form = LabelSmoothing::Form::kUniform};
  add_op(cases, "smoothed_cross_entropy: no smoothing", no_bias, run(ops::smoothed_cross_entropy, none, 0));
  add_op(cases, "smoothed_cross_entropy: rest", no_bias, run(ops::smoothed_cross_entropy, rest, 0));
  add_op(cases, "smoothed_cross_entropy: uniform, bias", bias, run(ops::smoothed_cross_entropy, uniform, 0));
  add_op(cases, "smoothed_cross_entropy: rest, bias, chunks", bias, run(ops::smoothed_cross_entropy, rest, 16));
  add_op(cases, "smoothed_cross_entropy: composition", bias, run(ops::plain::smoothed_cross_entropy, rest, 0));
}

// Sentences of different lengths, some with only one token on a side.
std::vector<data::SentencePair> tiny_pairs() {
  return {{{4, 7, 2}, {6, 2}}, {{2}, {8, 3, 10, 2}}, {{5, 5, 9, 3, 2}, {2}}, {{10, 2}, {4, 4, 2}}};
}

// The loss of one update, as a mean over its target tokens, and the model's own losses, computed without the trainer.
double loss_of(Backend& on, const model::Seq2Seq& model, const model::TrainingConfig& training) {
  const ArenaScope values(on.arena()), host(on.host_arena());
  nn::Pass pass{.on = on, .training = true, .seed = training.seed, .update = 1};
  const data::Batch batch = data::make_batch(on, tiny_pairs(), batch_options(model));
  const auto target_tokens = static_cast<double>(batch.target_tokens);
  nn::OwnLosses own{.weight = 1 / target_tokens, .source_weight = 1 / static_cast<double>(batch.source.segments.R)};
  pass.own_losses = &own;
  const Tensor states = model.decode(batch.target, model.encode(batch.source, pass), pass);
  const model::OutputProjection output = model.output();
  const Tensor loss =
      ops::smoothed_cross_entropy(states, output.E, output.b, batch.targets, {.smoothing = smoothing_of(training)})
          .loss;
  const auto value_of = [&](const Tensor& one) {
    double value = 0;
    on.copy_out(one.array(), &value);
    return value;
  };
  double total = value_of(loss) / target_tokens;
  for (const Tensor& added : own.losses) total += value_of(added);
  return total;
}

// Adds random numbers to all parameters. Biases and gains start with equal values, which could hide wrong gradients.
void perturb(params::ParameterBlock& block, RandomStream& random) {
  Backend& on = block.backend();
  for (const params::NamedTensor& tensor : block.tensors()) {
    const ArenaScope scratch(on.arena());
    on.scaled(draw(on, tensor.shape, random), 0.3, Sink::accumulate(tensor.values));
  }
}

// Returns the gradient of one tensor and sets it to zero in `all`, a copy of the gradients of the whole block.
Array take_gradient(Backend& on, const params::ParameterBlock& block, const Array& values, std::vector<double>& all) {
  const std::int64_t start = values.data<double>() - block.values().data<double>();
  Array gradient = on.empty(values.shape(), DType::kFloat64);
  for (std::int64_t row = 0; row < values.rows(); ++row) {
    const auto first = all.begin() + start + row * values.row_stride(), last = first + values.cols();
    Array to = gradient.row_range(row, 1);
    on.copy_in(&*first, to);
    std::fill(first, last, 0.0);
  }
  return gradient;
}

// The worst error of any tensor. The gaps between the tensors of the block must have no gradient; one that is not zero
// counts as an error.
double model_error(const model::ModelConfig& config, std::size_t pairs_per_batch) {
  const std::unique_ptr<Backend> on = one_thread();
  const std::unique_ptr<model::Seq2Seq> model = config.make_model();
  params::ParameterBlock block(*on, DType::kFloat64, *model, params::Purpose::kTraining);
  block.initialise(kSeed);
  RandomStream random(kSeed);
  perturb(block, random);

  const model::TrainingConfig training;
  Trainer trainer(*model, block, training, training.rates(config.width()));
  const std::vector<data::SentencePair> pairs = tiny_pairs();
  std::vector<data::HostBatch> micro_batches;
  data::BatchOptions options = batch_options(*model);
  for (std::size_t first = 0; first < pairs.size(); first += pairs_per_batch) {
    const auto part = std::span(pairs).subspan(first, std::min(pairs_per_batch, pairs.size() - first));
    options.first_sentence = static_cast<std::int32_t>(first);
    micro_batches.push_back(data::make_host_batch(part, options));
  }
  trainer.gradients(micro_batches);
  std::vector<double> gradients(block.gradients().count());
  on->copy_out(block.gradients(), gradients.data());

  double worst = 0;
  for (const params::NamedTensor& tensor : block.tensors()) {
    const ArenaScope scratch(on->arena());
    const Array gradient = take_gradient(*on, block, tensor.values, gradients);
    const NoGradient no_gradient;
    worst = std::max(
        worst, finite_difference_error(*on, tensor.values, gradient, [&] { return loss_of(*on, *model, training); }));
  }
  for (const double left : gradients) worst = std::max(worst, std::abs(left));
  return worst;
}

void add_models(Cases& cases) {
  for (const std::string& name : model::architecture_names()) {
    for (const model::GradientModel& checked : model::architecture(name).gradient_models) {
      cases.push_back({name + ": " + checked.name, [checked] {
                         return model_error(checked.model, static_cast<std::size_t>(checked.pairs_per_batch));
                       }});
    }
  }
}

}  // namespace

std::vector<GradientCase> gradient_cases() {
  Cases cases;
  add_plain_ops(cases);
  add_convolution(cases);
  add_linear(cases);
  add_embed(cases);
  add_add_norm(cases);
  add_attentions(cases);
  add_losses(cases);
  add_models(cases);
  return cases;
}

}  // namespace dragoman::train
