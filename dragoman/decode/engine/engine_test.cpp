#include "dragoman/decode/engine/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/inside/alignment.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::SmallModel;

std::map<std::uint64_t, Result> run(Engine& engine, const std::vector<Sentence>& sources,
                                    const std::vector<std::size_t>& order, bool traced = false) {
  std::map<std::uint64_t, Result> results;
  for (const std::size_t i : order) {
    engine.add({.source = sources[i], .prefix = {}, .number = i, .options = {.trace = traced}});
  }
  while (!engine.idle()) {
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  return results;
}

// The numbers from 0 to count - 1 in the order 0, step, 2 * step, ..., modulo count.
std::vector<std::size_t> numbers(std::size_t count, std::size_t step) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i * step % count;
  return order;
}

class EngineTest : public ::testing::TestWithParam<Method> {};

TEST_P(EngineTest, AResultDoesNotDependOnOtherSentencesOrderOrThreads) {
  const SearchSettings settings{.method = GetParam(), .beam = 3, .max_extra = 15, .top_k = 7};
  const std::vector<Sentence> sources = model::random_sentences(25, 15, 200, 4);
  const SmallModel one(untied_config()), three(untied_config(), {.threads = 3});
  Engine alone(*one.on, {&one.model}, settings, {.sentences = 1, .source_tokens = 100});
  const auto expected = run(alone, sources, numbers(25, 1));
  ASSERT_EQ(expected.size(), 25u);
  for (const SmallModel* small : {&one, &three}) {
    for (const EngineLimits& limits : {EngineLimits{3, 40}, EngineLimits{7, 100}, EngineLimits{50, 1000}}) {
      for (const bool traced : {false, true}) {
        Engine engine(*small->on, {&small->model}, settings, limits);
        for (const auto& [number, result] : run(engine, sources, numbers(25, 7), traced)) {
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

TEST(Engine, RefusesSentencesThatCanNeverEnter) {
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
    // If the prefix is what the search chose by itself, greedy search finds the same result, and beam search one that
    // is at least as good.
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

void expect_same(const Result& actual, const Result& expected) {
  ASSERT_EQ(actual.hypotheses.size(), expected.hypotheses.size());
  for (std::size_t i = 0; i < expected.hypotheses.size(); ++i) {
    EXPECT_EQ(actual.hypotheses[i].tokens, expected.hypotheses[i].tokens);
    EXPECT_EQ(actual.hypotheses[i].score, expected.hypotheses[i].score);
  }
}

TEST(Engine, EachSentenceMayHaveItsOwnSearchSettings) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(12, 8, 200, 5);
  const SearchSettings ways[] = {{.beam = 2, .max_extra = 9},
                                 {.beam = 7, .alpha = 1.2, .n_best = 3, .max_extra = 4},
                                 {.method = Method::kGreedy, .max_extra = 12},
                                 {.method = Method::kSample, .max_extra = 6, .seed = 5}};
  Engine mixed(*small.on, {&small.model}, ways[0], {.sentences = 5, .source_tokens = 60});
  std::map<std::uint64_t, Result> actual;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    mixed.add(
        {.source = sources[i], .prefix = {}, .number = i, .options = {.search = ways[i % 4], .trace = i % 3 == 0}});
  }
  while (!mixed.idle()) {
    for (Result& result : mixed.step()) actual[result.number] = std::move(result);
  }
  for (std::size_t way = 0; way < 4; ++way) {
    Engine engine(*small.on, {&small.model}, ways[way], {.sentences = 5, .source_tokens = 60});
    for (const auto& [number, result] : run(engine, sources, numbers(12, 1))) {
      if (number % 4 != way) continue;
      expect_same(actual.at(number), result);
      EXPECT_EQ(actual.at(number).trace != nullptr, number % 3 == 0);
    }
  }
  EXPECT_THROW(mixed.add({.source = {5, 2}, .prefix = {}, .options = {.search = SearchSettings{.beam = 400}}}),
               UsageError);
  EXPECT_THROW(mixed.add({.source = {5, 2}, .prefix = {}, .options = {.search = SearchSettings{.beam = 0}}}),
               UsageError);
}

TEST(Engine, ACancelledSentenceHasNoResultAndDoesNotAffectOthers) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(8, 8, 200, 6);
  const SearchSettings settings{.max_extra = 10};
  Engine whole(*small.on, {&small.model}, settings, {.sentences = 4, .source_tokens = 50});
  const auto expected = run(whole, sources, numbers(8, 1));
  Engine engine(*small.on, {&small.model}, settings, {.sentences = 4, .source_tokens = 50});
  for (std::uint64_t i = 0; i < 8; ++i) engine.add({.source = sources[i], .prefix = {}, .number = i});
  std::map<std::uint64_t, Result> results;
  for (int step = 0; !engine.idle(); ++step) {
    for (const std::uint64_t number : {0, 2, 7}) {
      if (step == 2) engine.cancel(number);
    }
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  ASSERT_EQ(results.size(), 5u);
  for (const auto& [number, result] : results) expect_same(result, expected.at(number));
  for (std::uint64_t i = 0; i < 4; ++i) engine.add({.source = sources[i], .prefix = {}, .number = i});
  engine.step();
  for (std::uint64_t i = 0; i < 4; ++i) engine.cancel(i);
  EXPECT_TRUE(engine.step().empty());
  EXPECT_TRUE(engine.idle());
}

// A settled beginning only grows, and the final result begins with it.
TEST(Engine, SettledWordsAreNeverTakenBack) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(20, 10, 200, 8);
  for (const SearchSettings& settings : {SearchSettings{.beam = 5, .n_best = 2, .max_extra = 15},
                                         SearchSettings{.beam = 5, .stop = Stop::kBeam, .max_extra = 15},
                                         SearchSettings{.method = Method::kGreedy, .max_extra = 15}}) {
    Engine engine(*small.on, {&small.model}, settings, {.sentences = 6, .source_tokens = 100});
    for (std::size_t i = 0; i < sources.size(); ++i) {
      engine.add({.source = sources[i], .prefix = {}, .number = i, .options = {.follow = i % 4 != 0}});
    }
    std::map<std::uint64_t, Sentence> said;
    std::size_t early = 0;
    const auto begins_with = [](const Sentence& whole, const Sentence& first) {
      return first.size() <= whole.size() && std::equal(first.begin(), first.end(), whole.begin());
    };
    while (!engine.idle()) {
      for (const Result& result : engine.step()) {
        EXPECT_TRUE(begins_with(result.hypotheses.front().tokens, said[result.number]));
        early += said[result.number].size();
      }
      for (const Settled& settled : engine.settled()) {
        EXPECT_NE(settled.number % 4, 0u);
        EXPECT_TRUE(begins_with(settled.tokens, said[settled.number]));
        said[settled.number] = settled.tokens;
      }
    }
    EXPECT_GT(early, 20u);
  }
}

// Zeroing the head's rows of W^O has the same effect as switching the head off, but for all sentences.
TEST(Engine, AHeadThatIsSwitchedOffContributesNothing) {
  const std::vector<Sentence> sources = model::random_sentences(6, 8, 200, 2);
  const SearchSettings settings{.max_extra = 10};
  const EngineLimits limits{.sentences = 4, .source_tokens = 50};
  struct Case {
    int site;
    const char* W_O;
  };
  for (const Case& one : {Case{model::transformer::kEncoderSite, "enc.1.self.W_O"},
                          Case{model::transformer::kDecoderSite, "dec.1.self.W_O"},
                          Case{model::transformer::kCrossSite, "dec.1.cross.W_O"}}) {
    const SmallModel cut(untied_config()), whole(untied_config());
    const Array W_O = cut.parameter(one.W_O);
    const Array rows = W_O.row_range(W_O.rows() / 2, W_O.rows() / 2);  // of the second head of two
    cut.on->scaled(rows, 0, Sink::overwrite(rows));
    Engine wanted(*cut.on, {&cut.model}, settings, limits), usual(*whole.on, {&whole.model}, settings, limits);
    const auto without = run(wanted, sources, numbers(6, 1)), with = run(usual, sources, numbers(6, 1));
    for (std::size_t i = 0; i < 6; ++i) {
      usual.add(
          {.source = sources[i],
           .prefix = {},
           .number = i,
           .options = {.heads_off = i % 2 == 0 ? std::vector{nn::Head{one.site, 1, 1}} : std::vector<nn::Head>{}}});
    }
    while (!usual.idle()) {
      for (const Result& result : usual.step()) {
        expect_same(result, (result.number % 2 == 0 ? without : with).at(result.number));
      }
    }
    EXPECT_NE(without.at(0).hypotheses[0].score, with.at(0).hypotheses[0].score);
  }
}

TEST(Engine, VotingWithACopyOfItselfDoesNotChangeTheResult) {
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

TEST(Sampling, DrawsWordsInProportionToTheirProbability) {
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

// The number of steps until the result with this number comes. Calls `on_result` for each result.
std::int64_t steps_until(Engine& engine, std::uint64_t number,
                         const std::function<void(const Result&)>& on_result = {}) {
  for (std::int64_t steps = 1; steps < 10000; ++steps) {
    bool done = false;
    for (const Result& result : engine.step()) {
      done = done || result.number == number;
      if (on_result) on_result(result);
    }
    if (done) return steps;
  }
  return 10000;
}

TranslationRequest small_request(std::uint64_t number, const std::string& client) {
  TranslationRequest request{.source = {5, 6, kEos}, .prefix = {}, .number = number};
  request.options.client = client;
  return request;
}

// A sentence that takes `length` steps and, with its beam of two, 2 * length cells.
TranslationRequest long_request(std::uint64_t number, const std::string& client, int length) {
  TranslationRequest request = small_request(number, client);
  request.options.search = SearchSettings{.beam = 2, .max_extra = length - 2, .min_length = length};
  return request;
}

// Here sentences need many cells because of their own search settings. admission_test.cpp has the same tests with long
// sources, for Engine and for DeviceEngine.
TEST(Engine, ASentenceThatTakesAllRoomHoldsUpNoOtherClient) {
  const SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.beam = 2, .max_extra = 20},
                {.sentences = 8, .source_tokens = 60, .fair = true});
  engine.add(long_request(1, "a", 200));  // needs 400 of the 440 cells that one client may have
  engine.add(long_request(2, "a", 200));
  engine.step();
  EXPECT_EQ(engine.under_way(), 1);
  engine.add(small_request(3, "b"));
  EXPECT_LE(steps_until(engine, 3), 25);
  EXPECT_EQ(engine.under_way(), 1);
  EXPECT_EQ(engine.waiting(), 1);
  EXPECT_EQ(engine.waiting("a"), 1);
}

TEST(Engine, LargeSentencesThatWaitKeepNoSmallOneOut) {
  const SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.beam = 2, .max_extra = 20},
                {.sentences = 8, .source_tokens = 600, .fair = true});
  for (const char* client : {"a", "b", "c"}) engine.add(long_request(static_cast<std::uint64_t>(*client), client, 350));
  for (int step = 0; step < 300; ++step) engine.step();  // two of them take 1,400 of the 1,710 cells of the engine
  EXPECT_EQ(engine.waiting(), 1);
  engine.add(small_request(1, "d"));
  EXPECT_LE(steps_until(engine, 1), 40);
}

TEST(Engine, ASentenceThatOthersPassHasItsTurnInTheEnd) {
  const SmallModel small(untied_config());
  for (const bool fair : {false, true}) {
    Engine engine(*small.on, {&small.model}, {.beam = 2, .max_extra = 20},
                  {.sentences = 8, .source_tokens = 60, .fair = fair});
    std::uint64_t next = 10;
    const auto add_other = [&] {
      engine.add(long_request(next, "a", 10 + static_cast<int>(next % 7)));
      ++next;
    };
    for (int i = 0; i < 6; ++i) add_other();
    engine.step();
    engine.add(long_request(1, "b", 220));  // all cells that one client may have
    EXPECT_LT(steps_until(engine, 1, [&](const Result&) { add_other(); }), 2000) << fair;
    EXPECT_GT(next, 100u);  // others were translated meanwhile
  }
}

}  // namespace
}  // namespace dragoman::decode
