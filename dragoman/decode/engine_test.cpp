#include "dragoman/decode/engine.h"

#include <gtest/gtest.h>

#include <map>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/dispatcher.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::SmallModel;

std::map<std::uint64_t, Result> run(Engine& engine, const std::vector<Sentence>& sources,
                                    const std::vector<std::size_t>& order) {
  std::map<std::uint64_t, Result> results;
  for (const std::size_t i : order) engine.add({.source = sources[i], .prefix = {}, .number = i});
  while (!engine.idle()) {
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  return results;
}

std::vector<std::size_t> numbers(std::size_t count, std::size_t step) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i * step % count;
  return order;
}

class EngineTest : public ::testing::TestWithParam<Method> {};

TEST_P(EngineTest, AResultIsTheSameInAnyCompanyOrderAndOnAnyThreads) {
  const SearchSettings settings{.method = GetParam(), .beam = 3, .max_extra = 15, .top_k = 7};
  const std::vector<Sentence> sources = model::random_sentences(25, 15, 200, 4);
  const SmallModel one(untied_config()), three(untied_config(), {.threads = 3});
  Engine alone(*one.on, {&one.model}, settings, {.sentences = 1, .source_tokens = 100});
  const auto expected = run(alone, sources, numbers(25, 1));
  ASSERT_EQ(expected.size(), 25u);
  for (const SmallModel* small : {&one, &three}) {
    for (const EngineLimits& limits : {EngineLimits{3, 40}, EngineLimits{7, 100}, EngineLimits{50, 1000}}) {
      for (const bool traced : {false, true}) {
        Engine engine(*small->on, {&small->model}, settings, limits, traced);
        for (const auto& [number, result] : run(engine, sources, numbers(25, 7))) {
          const Hypothesis& best = result.hypotheses.front();
          const Hypothesis& wanted = expected.at(number).hypotheses.front();
          EXPECT_EQ(best.tokens, wanted.tokens);
          EXPECT_EQ(best.log_probability, wanted.log_probability);
          EXPECT_EQ(result.trace != nullptr, traced);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Searches, EngineTest, ::testing::Values(Method::kBeam, Method::kGreedy, Method::kSample));

TEST(Engine, LeavesTheArenaAsItWas) {
  const SmallModel small(untied_config());
  const std::size_t before = small.on->arena().used();
  { search(*small.on, small.model, model::random_sentences(3, 5, 200, 4), {}); }
  EXPECT_EQ(small.on->arena().used(), before);
}

TEST(Engine, RefusesWhatCanNeverHaveItsTurn) {
  const SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.max_extra = 2}, {.sentences = 2, .source_tokens = 4});
  EXPECT_THROW(engine.add({.source = {5, 6, 7, 8, 2}, .prefix = {}}), UsageError);
  EXPECT_THROW(engine.add({.source = {}, .prefix = {}}), UsageError);
  EXPECT_THROW(engine.add({.source = {5, 2}, .prefix = {7, 7, 7}}), UsageError);
  EXPECT_NO_THROW(engine.add({.source = {5, 2}, .prefix = {7, 7}}));
}

TEST(Engine, AForcedPrefixComesFirstAndIsScored) {
  const SmallModel small(untied_config());
  const Sentence source{5, 6, 7, 2};
  for (const Method method : {Method::kBeam, Method::kGreedy, Method::kSample}) {
    const SearchSettings settings{.method = method, .max_extra = 6};
    Engine engine(*small.on, {&small.model}, settings, {.sentences = 2, .source_tokens = 10});
    engine.add({.source = source, .prefix = {40, 41}, .number = 0});
    engine.add({.source = source, .prefix = {}, .number = 1});
    std::map<std::uint64_t, Result> results;
    while (!engine.idle()) {
      for (Result& result : engine.step()) results[result.number] = std::move(result);
    }
    const Hypothesis& forced = results[0].hypotheses.front();
    ASSERT_GE(forced.tokens.size(), 2u);
    EXPECT_EQ(forced.tokens[0], 40);
    EXPECT_EQ(forced.tokens[1], 41);
    // What it would have said anyway, forced, is what it says.
    const Hypothesis& free = results[1].hypotheses.front();
    if (method == Method::kSample || free.tokens.empty()) continue;
    engine.add({.source = source, .prefix = {free.tokens[0]}, .number = 2});
    while (!engine.idle()) {
      for (Result& result : engine.step()) {
        if (method == Method::kGreedy) {
          EXPECT_EQ(result.hypotheses.front().tokens, free.tokens);
        }
        EXPECT_GE(result.hypotheses.front().score, free.score);
      }
    }
  }
}

TEST(Engine, AModelThatVotesWithItselfSaysTheSame) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(5, 8, 200, 3);
  const SearchSettings settings{.max_extra = 10};
  Engine one(*small.on, {&small.model}, settings, {.sentences = 3, .source_tokens = 50});
  const auto alone = run(one, sources, numbers(5, 1));
  Engine two(*small.on, {&small.model, &small.model}, settings, {.sentences = 3, .source_tokens = 50});
  for (const auto& [number, result] : run(two, sources, numbers(5, 1))) {
    EXPECT_EQ(result.hypotheses.front().tokens, alone.at(number).hypotheses.front().tokens);
    EXPECT_NEAR(result.hypotheses.front().log_probability, alone.at(number).hypotheses.front().log_probability, 1e-4);
  }
}

TEST(Sampling, DrawsWordsAsOftenAsTheyAreLikely) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const model::ScriptedModel scripted(*on, 6, [](int, int position) {
    return position == 0 ? Doubles{0, 0, -1e9, -1e9, std::log(0.5), std::log(0.25)} : Doubles{0, 0, 99, 0, 0, 0};
  });
  const std::vector<Sentence> sources{{4, 2}};
  int fours = 0, count = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto found = search(*on, scripted, sources, {.method = Method::kSample, .n_best = 20, .seed = seed});
    for (const Hypothesis& drawn : found[0]) {
      ASSERT_EQ(drawn.tokens.size(), 1u);
      fours += drawn.tokens[0] == 4 ? 1 : 0;
      ++count;
    }
  }
  EXPECT_NEAR(static_cast<double>(fours) / count, 2.0 / 3, 0.04);
  for (const SearchSettings& narrow : {SearchSettings{.method = Method::kSample, .n_best = 50, .top_k = 1},
                                       SearchSettings{.method = Method::kSample, .n_best = 50, .top_p = 0.6},
                                       SearchSettings{.method = Method::kSample, .n_best = 50, .temperature = 0.01}}) {
    const auto found = search(*on, scripted, sources, narrow);
    for (const Hypothesis& drawn : found[0]) EXPECT_EQ(drawn.tokens, Sentence{4});
  }
}

// Collects what teacher forcing shows, for one sentence.
class Forced final : public nn::Observer {
 public:
  explicit Forced(Backend& on) : on_(on) {}
  void see(nn::AttentionKind kind, int, const Array& weights, const Reach&) override {
    const Doubles values = values_of(on_, weights);
    Doubles& all = seen[static_cast<int>(kind)];
    all.insert(all.end(), values.begin(), values.end());
  }
  std::map<int, Doubles> seen;

 private:
  Backend& on_;
};

TEST(Trace, ShowsTheAttentionThatTeacherForcingOfTheResultShows) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(4, 6, 200, 9);
  Engine engine(*small.on, {&small.model}, {.beam = 4, .max_extra = 8}, {.sentences = 3, .source_tokens = 50}, true);
  for (auto& [number, result] : run(engine, sources, numbers(4, 1))) {
    const Hypothesis& best = result.hypotheses.front();
    Sentence inputs = best.tokens;
    inputs.insert(inputs.begin(), small.model.start_token());
    if (!best.finished) inputs.pop_back();
    const NoGradient no_gradient;
    const ArenaScope values(small.on->arena());
    Forced forced(*small.on);
    nn::Pass pass{.on = *small.on, .observer = &forced};
    const auto tokens = [&](const Sentence& sentence) {
      return data::make_tokens(*small.on, std::span(&sentence, 1), {.V = 200});
    };
    small.model.decode(tokens(inputs), small.model.encode(tokens(sources[number]), pass), pass);
    const auto expect = [&](const Attention& attention, nn::AttentionKind kind) {
      EXPECT_EQ(Doubles(attention.weights.begin(), attention.weights.end()), forced.seen[static_cast<int>(kind)]);
    };
    expect(result.trace->encoder, nn::AttentionKind::kEncoderSelf);
    expect(result.trace->decoder(best), nn::AttentionKind::kDecoderSelf);
    expect(result.trace->cross(best), nn::AttentionKind::kCross);
    EXPECT_GE(result.trace->candidates.size(), best.rows.size());
  }
}

}  // namespace
}  // namespace dragoman::decode
