#include "dragoman/decode/inside/trace.h"

#include <gtest/gtest.h>

#include <map>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/engine/engine.h"
#include "dragoman/decode/inside/alignment.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::SmallModel;

std::map<std::uint64_t, Result> finish(Engine& engine) {
  std::map<std::uint64_t, Result> results;
  while (!engine.idle()) {
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  return results;
}

std::map<std::uint64_t, Result> trace(Engine& engine, const std::vector<Sentence>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    engine.add({.source = sources[i], .prefix = {}, .number = i, .options = {.trace = true}});
  }
  return finish(engine);
}

// Collects the attention weights of teacher forcing, for one sentence.
class WeightsSeen final : public nn::Observer {
 public:
  explicit WeightsSeen(Backend& on) : on_(on) {}
  void see(int site, int, const Array& weights, const Reach&) override {
    const Doubles values = values_of(on_, weights);
    Doubles& all = seen[site];
    all.insert(all.end(), values.begin(), values.end());
  }
  std::map<int, Doubles> seen;

 private:
  Backend& on_;
};

TEST(Trace, OfLinksIsTheMeanOfAllLayersAndHeads) {
  const SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.beam = 4, .n_best = 3, .max_extra = 8},
                {.sentences = 4, .source_tokens = 50});
  engine.add({.source = {5, 6, kEos}, .prefix = {}, .number = 0, .options = {.trace = true}});
  engine.add({.source = {5, 6, kEos}, .prefix = {}, .number = 1, .options = {.links = true}});
  std::map<std::uint64_t, Result> results = finish(engine);
  EXPECT_TRUE(results[1].trace->attention(model::transformer::kEncoderSite, results[1].hypotheses[0]).weights.empty());
  EXPECT_TRUE(results[1].trace->candidates.empty());
  ASSERT_EQ(results[0].hypotheses.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const AttentionMap mean = mean_of(results[0].trace->cross(results[0].hypotheses[i]));
    EXPECT_EQ(mean.weights, mean_of(results[1].trace->cross(results[1].hypotheses[i])).weights);
    EXPECT_EQ(mean.sources, 3);
  }
}

TEST(Trace, KeepsTheAttentionOfOneHypothesis) {
  const SmallModel small(untied_config());
  Engine engine(*small.on, {&small.model}, {.beam = 4, .max_extra = 8}, {.sentences = 3, .source_tokens = 50});
  for (auto& [number, result] : trace(engine, model::random_sentences(4, 6, 200, 9))) {
    const Hypothesis& best = result.hypotheses.front();
    const Attention decoder = result.trace->attention(model::transformer::kDecoderSite, best),
                    cross = result.trace->cross(best);
    result.trace->keep_only(best);
    EXPECT_EQ(result.trace->attention(model::transformer::kDecoderSite, best).weights, decoder.weights);
    EXPECT_EQ(result.trace->cross(best).weights, cross.weights);
  }
}

TEST(Trace, ShowsTheAttentionThatTeacherForcingOfTheResultShows) {
  const SmallModel small(untied_config());
  const std::vector<Sentence> sources = model::random_sentences(4, 6, 200, 9);
  Engine engine(*small.on, {&small.model}, {.beam = 4, .max_extra = 8}, {.sentences = 3, .source_tokens = 50});
  for (auto& [number, result] : trace(engine, sources)) {
    const Hypothesis& best = result.hypotheses.front();
    Sentence inputs = best.tokens;
    inputs.insert(inputs.begin(), small.model.start_token());
    if (!best.finished) inputs.pop_back();
    const NoGradient no_gradient;
    const ArenaScope values(small.on->arena());
    WeightsSeen forced(*small.on);
    nn::Pass pass{.on = *small.on, .observer = &forced};
    const auto tokens = [&](const Sentence& sentence) {
      return data::make_tokens(*small.on, std::span(&sentence, 1), {.V = 200});
    };
    small.model.decode(tokens(inputs), small.model.encode(tokens(sources[number]), pass), pass);
    const auto expect = [&](const Attention& attention, int site) {
      EXPECT_EQ(Doubles(attention.weights.begin(), attention.weights.end()), forced.seen[site]);
    };
    expect(result.trace->attention(model::transformer::kEncoderSite, best), model::transformer::kEncoderSite);
    expect(result.trace->attention(model::transformer::kDecoderSite, best), model::transformer::kDecoderSite);
    expect(result.trace->cross(best), model::transformer::kCrossSite);
    EXPECT_GE(result.trace->candidates.size(), best.rows.size());
  }
}

}  // namespace
}  // namespace dragoman::decode
