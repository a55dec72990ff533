// Helpers for tests of models: their states and probabilities with teacher forcing, and step by step. A Small is a
// SmallModelOf some model.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "dragoman/model/testing.h"

namespace dragoman::model {

using data::Sentence;
using Sentences = std::vector<Sentence>;

// Everything below runs without gradients, as translation does.
template <class Small>
Doubles encoder_states(const Small& small, const Sentences& sources, std::size_t b, nn::Observer* observer = nullptr) {
  const ArenaScope values(small.on->arena());
  nn::Pass pass{.on = *small.on, .observer = observer};
  const Tokens tokens = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
  const Array states = small.model.encode(tokens, pass).states.array();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < b; ++i) first += static_cast<std::int64_t>(sources[i].size());
  return values_of(*small.on, states.row_range(first, static_cast<std::int64_t>(sources[b].size())));
}

enum class Output { kStates, kLogProbabilities };

// The decoder's rows of sentence b with teacher forcing; `inputs` are the targets, already shifted right.
template <class Small>
Doubles decoder_rows(const Small& small, const Sentences& sources, const Sentences& inputs, std::size_t b,
                     Output output, nn::Observer* observer = nullptr) {
  const ArenaScope values(small.on->arena());
  nn::Pass pass{.on = *small.on, .observer = observer};
  const Tokens source = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
  const Tokens target =
      data::make_tokens(*small.on, inputs, {.V = small.model.target_vocabulary(), .zero_start = true});
  Tensor rows = small.model.decode(target, small.model.encode(source, pass), pass);
  if (output == Output::kLogProbabilities) rows = log_probabilities(small.model, rows);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < b; ++i) first += static_cast<std::int64_t>(inputs[i].size());
  return values_of(*small.on, rows.array().row_range(first, static_cast<std::int64_t>(inputs[b].size())));
}

template <class Small>
Sentence shifted(const Small& small, Sentence target) {
  target.insert(target.begin(), small.model.start_token());
  target.pop_back();
  return target;
}

// A translation of several sentences at once, step by step.
template <class Small>
struct Steps {
  Steps(const Small& small_, const Sentences& sources, std::int64_t cells) : small(small_), values(small.on->arena()) {
    std::int64_t source_rows = 0;
    for (const Sentence& source : sources) source_rows += static_cast<std::int64_t>(source.size());
    state = start_decoding(small.model, *small.on, {.source_rows = source_rows, .cells = cells});
    enter(sources);
  }
  void enter(const Sentences& sources) {
    const ArenaScope scope(small.on->arena());
    nn::Pass pass{.on = *small.on};
    std::vector<std::int32_t> numbers;
    for (const Sentence& source : sources) numbers.push_back(state.enter(static_cast<std::int64_t>(source.size())));
    const Tokens tokens = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
    store_memory(small.model, small.model.encode(tokens, pass), numbers, state);
  }
  // log P of every next token, one vector for each row.
  std::vector<Doubles> step(const Sentence& ids) {
    const ArenaScope scope(small.on->arena());
    nn::Pass pass{.on = *small.on};
    const Tensor log_p = log_probabilities(small.model, model::step(small.model, ids, state, pass));
    std::vector<Doubles> rows;
    for (std::int64_t r = 0; r < log_p.rows(); ++r) rows.push_back(values_of(*small.on, log_p.array().row_range(r, 1)));
    return rows;
  }

  const Small& small;
  ArenaScope values;
  DecoderState state;
};

// log P of the token after `inputs`, for a single hypothesis of a single sentence that reads them one by one.
template <class Small>
Doubles alone(const Small& small, const Sentence& source, const Sentence& inputs) {
  Steps steps(small, {source}, static_cast<std::int64_t>(inputs.size()));
  Doubles last;
  for (const std::int32_t id : inputs) last = steps.step({id}).front();
  return last;
}

// Expects that the steps of a single hypothesis have the bits of teacher forcing, of sentences that were alone or in a
// batch.
template <class Small>
void expect_steps_as_teacher_forcing(const Small& small) {
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}, {11, 12, 13, 2}};
  const Sentences targets{{20, 21, 22, 2}, {30, 31, 32, 33, 34, 35}, {20, 20, 20, 20, 20, 2}};
  Sentences inputs;
  for (const Sentence& target : targets) inputs.push_back(shifted(small, target));
  const auto V = static_cast<std::size_t>(small.model.target_vocabulary());
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const Doubles forced = decoder_rows(small, sources, inputs, b, Output::kLogProbabilities);
    Steps steps(small, {sources[b]}, 6);
    for (std::size_t t = 0; t < inputs[b].size(); ++t) {
      EXPECT_EQ(steps.step({inputs[b][t]}).front(), Doubles(forced.begin() + t * V, forced.begin() + (t + 1) * V))
          << "sentence " << b << ", step " << t;
    }
  }
}

// Expects that `one` computes for each sentence alone what `other`, the same model with more threads, computes for it
// in a batch.
template <class Small>
void expect_batch_mates_change_no_bit(const Small& one, const Small& other) {
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}, {11, 12, 13, 2}}, inputs{{1, 20, 21}, {1, 30, 31, 32, 33}, {1, 20}};
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const Doubles single = decoder_rows(one, {sources[b]}, {inputs[b]}, 0, Output::kStates);
    EXPECT_EQ(decoder_rows(other, sources, inputs, b, Output::kStates), single);
    EXPECT_EQ(encoder_states(other, sources, b), encoder_states(one, {sources[b]}, 0));
  }
}

// Expects that a target token changes nothing before it.
template <class Small>
void expect_future_tokens_do_not_change_the_past(const Small& small) {
  const Sentences sources{{5, 6, 7, 2}};
  const Doubles a = decoder_rows(small, sources, {{1, 20, 21, 22}}, 0, Output::kStates),
                b = decoder_rows(small, sources, {{1, 20, 21, 23}}, 0, Output::kStates);
  const std::size_t d = a.size() / 4;
  EXPECT_EQ(Doubles(a.begin(), a.begin() + 3 * d), Doubles(b.begin(), b.begin() + 3 * d));
  EXPECT_NE(a, b);
}

// Expects that every hypothesis of two sentences has the scores that it has alone. Like a beam search, but with random
// choices: hypotheses fork, end and change places.
template <class Small>
void expect_scores_as_if_alone(const Small& small, std::int64_t step_count, std::uint64_t seed) {
  const Sentences sources{{5, 6, 7, 2}, {8, 9, 10, 11, 12, 2}};
  constexpr std::int64_t kRows = 6;
  Steps steps(small, sources, kRows * step_count);
  RandomStream random(seed);
  struct Hypothesis {
    std::int32_t sentence;
    Sentence inputs;
  };
  const std::int32_t start = small.model.start_token();
  std::vector<Hypothesis> rows{{0, {start}}, {1, {start}}};
  for (std::int64_t t = 0; t < step_count; ++t) {
    Sentence ids;
    for (const Hypothesis& row : rows) ids.push_back(row.inputs.back());
    const std::vector<Doubles> scores = steps.step(ids);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      EXPECT_EQ(steps.state.sentence(static_cast<std::int64_t>(r)), rows[r].sentence);
      EXPECT_EQ(scores[r], alone(small, sources[rows[r].sentence], rows[r].inputs)) << "step " << t << ", row " << r;
    }
    std::vector<std::int32_t> parents(1 + random.below(kRows));
    std::vector<Hypothesis> next;
    for (std::int32_t& parent : parents) {
      parent = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(rows.size())));
      next.push_back(rows[parent]);
      next.back().inputs.push_back(4 + static_cast<std::int32_t>(random.below(30)));
    }
    steps.state.reorder(parents);
    rows = next;
  }
}

}  // namespace dragoman::model
