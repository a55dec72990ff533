#include "dragoman/model/recurrent/decoder.h"

#include <deque>
#include <optional>
#include <string>

#include "dragoman/data/time_rows.h"
#include "dragoman/model/recurrent/sizes.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::model::recurrent {

Decoder::Decoder(const RecurrentConfig& config_) : config(config_), bridge(config), readout(config) {
  const std::int64_t H = config.H_dec;
  const bool reads_context = config.context == ContextName::kFixed || config.context == ContextName::kPrevious;
  const std::int64_t context = reads_context ? config.context_width() : config.input_feeding ? config.E : 0;
  for (int layer = 0; layer < config.N_dec; ++layer) {
    cells.emplace_back(layer == 0 ? cell_sizes(config, config.E, context, H) : cell_sizes(config, H, 0, H));
  }
  if (config.context == ContextName::kConditional) {
    second = nn::Cell(cell_sizes(config, config.context_width(), 0, H));
  }
  if (!config.attends()) return;
  attention = nn::MemoryAttention(attention_sizes(config), 0);
  attention.hard = hard_attention(config);
  if (config.mode == ModeName::kHard) baseline = Baseline::buffer();
}

void Decoder::parameters(params::ParameterVisitor& visit) {
  visit.inside("bridge", bridge);
  for (std::size_t l = 0; l < cells.size(); ++l) visit.inside(std::to_string(l), cells[l]);
  if (config.context == ContextName::kConditional) visit.inside("second", second);
  if (config.attends()) visit.inside("attention", attention);
  visit("baseline", baseline);
  visit.inside("readout", readout);
}

Tensor Decoder::operator()(const Tensor& embedded, const Segments& segments, const Encoded& encoded,
                           nn::Pass& pass) const {
  const data::TimeRows rows = data::time_rows(pass.on, segments, encoded.segments);
  std::vector<nn::CellState> start = bridge(encoded);
  for (nn::CellState& state : start) {
    for (Tensor* part : {&state.h, &state.c}) {
      if (*part) *part = ops::take_rows(*part, rows.sorted);
    }
  }
  const Tensor x = ops::take_rows(embedded, rows.forwards);
  const Outcome outcome = config.attends_in_loop() ? by_steps(x, start, rows, segments, encoded, pass)
                                                   : by_layers(x, start, rows, segments, encoded, pass);
  const Tensor output = outcome.readout ? outcome.readout : readout(outcome.s, outcome.c, x);
  return ops::dropout(ops::place_rows(output, rows.forwards), segments, pass.dropout(config.P_output));
}

void Decoder::finish(nn::AttentionLoop& attend, const data::TimeRows& rows, const Segments& segments,
                     nn::Pass& pass) const {
  attend.finish(segments);
  if (!attend.credits() || pass.own_losses == nullptr) return;
  pass.own_losses->after_loss =
      credit_after_loss(pass.on, {.returns = config.hard_return, .strength = config.hard_credit}, baseline, rows,
                        attend.credits(), pass.update, pass.own_losses->weight);
}

// No step reads the attention of another, so that the layers are computed one after the other, each for all steps, and
// attention for all positions at once.
Decoder::Outcome Decoder::by_layers(const Tensor& x, const std::vector<nn::CellState>& start,
                                    const data::TimeRows& rows, const Segments& segments, const Encoded& encoded,
                                    nn::Pass& pass) const {
  const Tensor& summary = encoded.summary[static_cast<std::size_t>(config.N_enc) - 1];
  const bool is_fixed = config.context == ContextName::kFixed;
  std::deque<nn::CellLoop> loops;
  for (std::size_t l = 0; l < cells.size(); ++l) {
    const Tensor input =
        l == 0 ? x : ops::dropout(loops.back().states().h, rows.segments, pass.dropout(config.P_layers));
    nn::CellLoop& loop = loops.emplace_back(cells[l], cells[l].W(input), start[l], rows);
    if (l > 0 || !is_fixed) {
      loop.run();
      continue;
    }
    // The context of a sentence is the same at every step, so it is multiplied only once.
    const Tensor products = ops::take_rows(cells[0].C(summary), rows.sentence);
    for (std::int64_t t = 0; t < rows.steps(); ++t) {
      const auto at = static_cast<std::size_t>(t);
      loop.step_with_product(t, row_range(products, rows.starts[at], rows.counts[at]));
    }
  }
  const nn::CellLoop& top = loops.back();
  const Tensor& s = top.states().h;
  if (is_fixed) return {s, readout.W_c.W ? ops::take_rows(summary, rows.sentence) : Tensor(), {}};

  const nn::Memory memory = attention.project(encoded.states, encoded.segments);
  if (config.attends_by_products()) {
    const Tensor c = attention(ops::place_rows(s, rows.forwards), memory, segments, pass);
    return {s, ops::take_rows(c, rows.forwards), {}};
  }
  const Tensor contexts = nn::loop_rows(x, rows.R, config.context_width(), x.array().dtype());
  nn::AttentionLoop attend(attention, memory, rows, contexts, {s.array()}, pass);
  for (std::int64_t t = 0; t < rows.steps(); ++t) attend.step(t, top.after(t).h);
  finish(attend, rows, segments, pass);
  return {s, contexts, {}};
}

Decoder::Outcome Decoder::by_steps(const Tensor& x, const std::vector<nn::CellState>& start, const data::TimeRows& rows,
                                   const Segments& segments, const Encoded& encoded, nn::Pass& pass) const {
  const nn::Memory memory = attention.project(encoded.states, encoded.segments);
  const Tensor x_products = cells[0].W(x);
  const Tensor contexts = nn::loop_rows(x, rows.R, config.context_width(), x.array().dtype());
  const bool is_conditional = config.context == ContextName::kConditional;

  // 1. The layers. A conditional decoder's first layer has two cells: the state between two steps is that of the second
  // one, and `inner` has the states of the first one, in the middle of the steps.
  std::deque<nn::CellLoop> layers;
  std::deque<nn::StepLinear> inputs;  // of the layers above the first
  std::vector<Dropout> dropouts;
  layers.emplace_back(is_conditional ? second : cells[0], x_products, start[0], rows);
  for (std::size_t l = 1; l < cells.size(); ++l) {
    dropouts.push_back(pass.dropout(config.P_layers));
    const ops::StepInputs below{dropouts.back().on() ? Array() : layers.back().states().h.array()};
    inputs.emplace_back(cells[l].W, rows.R, below);
    layers.emplace_back(cells[l], x_products, start[l], rows);
  }
  nn::CellLoop &bottom = layers.front(), &top = layers.back();
  std::optional<nn::CellLoop> inner;
  std::optional<nn::StepLinear> inner_input;
  std::optional<ReadoutLoop> fed;

  // 2. What each context connects, so that the gradients of all weights are found after the loop.
  ops::StepInputs queries{top.states().h.array()};
  switch (config.context) {
    case ContextName::kPrevious:
      bottom.set_context_inputs({contexts.array()});
      queries = top.states_before();
      break;
    case ContextName::kCurrent:
      fed.emplace(readout, rows, x, queries, ops::StepInputs{contexts.array()});
      bottom.set_context_inputs(fed->outputs_before());
      break;
    case ContextName::kConditional:
      inner.emplace(cells[0], x_products, nn::CellState(), rows);
      inner->set_state_inputs(bottom.states_before());
      bottom.set_state_inputs({inner->states().h.array()});
      inner_input.emplace(second.W, rows.R, ops::StepInputs{contexts.array()});
      queries = {inner->states().h.array()};
      break;
    case ContextName::kFixed: break;
  }
  nn::AttentionLoop attend(attention, memory, rows, contexts, queries, pass);

  // 3. The steps.
  for (std::int64_t t = 0; t < rows.steps(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    const std::int64_t first = rows.starts[at];
    if (config.context == ContextName::kPrevious) {
      bottom.step(t, attend.step(t, top.before(t).h));
    } else if (fed) {
      bottom.step(t, fed->before(t));
    } else {
      inner->step_from(t, bottom.before(t), inner->x(t));
      const Tensor c = attend.step(t, inner->after(t).h);
      bottom.step_from(t, inner->after(t), (*inner_input)(c, first));
    }
    for (std::size_t l = 1; l < cells.size(); ++l) {
      const Tensor below = ops::dropout(layers[l - 1].after(t).h, rows.segments_of(t), dropouts[l - 1]);
      layers[l].step_with_input(t, inputs[l - 1](below, first));
    }
    if (fed) fed->step(t, top.after(t).h, attend.step(t, top.after(t).h));
  }
  finish(attend, rows, segments, pass);
  return {top.states().h, contexts, fed ? fed->outputs() : Tensor()};
}

}  // namespace dragoman::model::recurrent
