#include "dragoman/decode/search/beam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/search/offers.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::ScriptedModel;
using model::SmallModel;

TEST(LengthPenalty, EqualsThatOfThePaper) {
  const std::pair<int, double> worked[] = {{1, 1.0},       {2, 1.096903},  {5, 1.358655},
                                           {7, 1.515717},  {10, 1.732862}, {20, 2.354362},
                                           {25, 2.626528}, {50, 3.778565}, {100, 5.569585}};
  for (const auto& [length, penalty] : worked) {
    EXPECT_NEAR(length_penalty(LengthNorm::kGnmt, 0.6, length), penalty, 1e-6);
  }
  EXPECT_DOUBLE_EQ(length_penalty(LengthNorm::kGnmt, 1, 10), 2.5);
  EXPECT_DOUBLE_EQ(length_penalty(LengthNorm::kGnmt, 1, 25), 5);
  EXPECT_DOUBLE_EQ(length_penalty(LengthNorm::kPow, 1, 7), 7);
  EXPECT_DOUBLE_EQ(length_penalty(LengthNorm::kNone, 1, 7), 1);
}

TEST(LengthPenalty, ALargerAlphaPrefersTheLonger) {
  const auto score = [](double log_p, int length, double alpha) {
    return log_p / length_penalty(LengthNorm::kGnmt, alpha, length);
  };
  EXPECT_GT(score(-4.0, 4, 0), score(-4.6, 8, 0));
  EXPECT_NEAR(score(-4.0, 4, 0.6), -3.136211, 1e-6);
  EXPECT_NEAR(score(-4.6, 8, 0.6), -2.892561, 1e-6);
  EXPECT_NEAR(score(-4.0, 4, 1), -2.666667, 1e-6);
  EXPECT_NEAR(score(-4.6, 8, 1), -2.123077, 1e-6);
}

// Owns the words of one offer, likeliest first.
struct Words {
  std::vector<std::int32_t> ids;
  std::vector<double> log_p;
  Offer offer() const { return {ids, log_p, {}}; }
};

TEST(BeamSearch, StopsWhenNothingAliveCanStillWin) {
  // A hypothesis alive at -5 can reach at most -5 / LP(60) = -1.197051: nothing can beat one that ended at -1.1, but
  // one that ended at -2 can still lose.
  for (const auto& [end, stops] : {std::pair{-1.1, true}, std::pair{-2.0, false}}) {
    BeamSearch search({.beam = 1}, {.prefix = {}, .limit = 60}, 100);
    const Words words{{kEos, 7}, {end, -5.0}};
    const Offer offers[] = {words.offer()};
    search.advance(offers);
    EXPECT_EQ(search.done(), stops);
    EXPECT_NEAR(-5.0 / length_penalty(LengthNorm::kGnmt, 0.6, 60), -1.197051, 1e-6);
  }
}

TEST(BeamSearch, TiesGoToTheLowerIndex) {
  BeamSearch search({.beam = 2, .alpha = 0}, {.prefix = {}, .limit = 5}, 100);
  const Words first{{5, 9, 11}, {-1, -1, -1}};
  const Offer one[] = {first.offer()};
  search.advance(one);
  ASSERT_EQ(search.rows().size(), 2u);
  EXPECT_EQ(search.rows()[0].word, 5);
  EXPECT_EQ(search.rows()[1].word, 9);
  const Words high{{8, 20}, {-1, -1}}, low{{4, 6}, {-1, -1}};
  const Offer two[] = {high.offer(), low.offer()};
  search.advance(two);
  EXPECT_EQ(search.rows()[0].parent, 0);
  EXPECT_EQ(search.rows()[1].parent, 0);
  EXPECT_EQ(search.rows()[1].word, 20);
}

// The definition: an earlier word is barred if the n - 1 words before it equal the last n - 1 words.
std::vector<std::int32_t> words_that_repeat(const Sentence& said, std::size_t n) {
  std::set<std::int32_t> words;
  for (std::size_t end = n - 1; end < said.size(); ++end) {
    if (std::equal(said.end() - static_cast<std::ptrdiff_t>(n - 1), said.end(),
                   said.begin() + static_cast<std::ptrdiff_t>(end - (n - 1)))) {
      words.insert(said[end]);
    }
  }
  return {words.begin(), words.end()};
}

TEST(WordTree, FindsTheWordsThatWouldRepeatAnNgram) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, 0, 0);
    WordTree tree;
    Sentence said;
    std::int32_t last = WordTree::kRoot;
    for (int length = 0; length < 30; ++length) {
      for (const int n : {1, 2, 3, 4, 7, 100}) {
        EXPECT_EQ(tree.repeats(last, n), words_that_repeat(said, static_cast<std::size_t>(n))) << n << " " << length;
      }
      said.push_back(static_cast<std::int32_t>(random.uniform() * 3));
      last = tree.add(last, said.back(), 0);
    }
  }
}

TEST(BeamSearch, AsksOnlyForAsManyWordsAsItMayNeed) {
  BeamSearch search({.beam = 1, .alpha = 0, .no_repeat_ngram = 3}, {.prefix = {}, .limit = 99}, 100);
  for (int step = 0; step < 50; ++step) {
    const Words words{{step + 4, kEos}, {-0.1, -9}};
    const Offer offers[] = {words.offer()};
    EXPECT_EQ(search.wanted(), 2);  // all words differ, so none is barred
    search.advance(offers);
  }
}

TEST(BeamSearch, EndsWithTheHypothesesAliveWhenEveryWordIsBarred) {
  BeamSearch search({.beam = 2, .min_length = 5, .no_repeat_ngram = 1}, {.prefix = {}, .limit = 9}, 8);
  const Words words{{7, kEos}, {-1, -2}};
  const Offer offers[] = {words.offer()};
  search.advance(offers);
  EXPECT_FALSE(search.done());
  search.advance(offers);
  EXPECT_TRUE(search.done());
  const std::vector<Hypothesis> results = search.results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].tokens, Sentence{7});
  EXPECT_FALSE(results[0].finished);
}

TEST(BeamSearch, RecordsTheFateOfEveryCandidate) {
  std::vector<std::vector<Candidate>> tree;
  BeamSearch search({.beam = 2, .alpha = 0}, {.prefix = {}, .limit = 9}, 100, &tree);
  const Words words{{4, 5, 6, kEos}, {-1, -2, -3, -4}};
  const Offer offers[] = {words.offer()};
  search.advance(offers);
  ASSERT_EQ(tree.size(), 1u);
  ASSERT_EQ(tree[0].size(), 4u);
  EXPECT_EQ(tree[0][0].fate, Fate::kAlive);
  EXPECT_EQ(tree[0][2].fate, Fate::kCrowdedOut);
  EXPECT_EQ(tree[0][3].fate, Fate::kFinished);
}

struct Found {
  Sentence tokens;
  double log_p, score;
  bool finished;
};

// log P of every next word after `prefix`, computed for this sentence alone and without caches.
std::vector<double> next_words(const SmallModel& small, const Sentence& source, const Sentence& prefix) {
  const NoGradient no_gradient;
  const ArenaScope values(small.on->arena());
  nn::Pass pass{.on = *small.on};
  Sentence inputs = prefix;
  inputs.insert(inputs.begin(), small.model.start_token());
  const auto tokens = [&](const Sentence& sentence) {
    return data::make_tokens(*small.on, std::span(&sentence, 1), {.V = small.model.target_vocabulary()});
  };
  const model::Encoded encoded = small.model.encode(tokens(source), pass);
  const Tensor states = small.model.decode(tokens(inputs), encoded, pass);
  const Tensor last(*small.on, states.array().row_range(states.rows() - 1, 1));
  const model::Seq2Seq* model = &small.model;
  const Offers offers(*small.on, std::span(&model, 1), std::span(&last, 1), 1, true);
  const std::span<const double> all = offers.row(0).all;
  return {all.begin(), all.end()};
}

// The search as the paper describes it: score and sort every extension of every hypothesis alive.
std::vector<Found> reference_search(const SmallModel& small, const Sentence& source, const SearchSettings& settings) {
  const auto LP = [&](std::int64_t length) { return length_penalty(settings.length_norm, settings.alpha, length); };
  const auto B = static_cast<std::size_t>(settings.beam), n = static_cast<std::size_t>(settings.n_best);
  const std::int64_t V = small.model.target_vocabulary();
  const auto limit = static_cast<std::int64_t>(source.size()) - 1 + settings.max_extra;
  struct Entry {
    double score, log_p;
    std::int64_t index;
    Sentence tokens;
  };
  std::vector<Entry> alive{{0, 0, 0, {}}}, finished;
  const auto by_score = [](const Entry& a, const Entry& b) { return a.score > b.score; };
  for (std::int64_t i = 0; i < limit && !alive.empty(); ++i) {
    std::vector<Entry> all;
    for (std::size_t b = 0; b < alive.size(); ++b) {
      const std::vector<double> log_p = next_words(small, source, alive[b].tokens);
      for (std::int64_t v = kEos; v < V; ++v) {
        Entry entry{0, alive[b].log_p + log_p[v], static_cast<std::int64_t>(b) * V + v, alive[b].tokens};
        entry.score = entry.log_p / LP(i + 1);
        entry.tokens.push_back(static_cast<std::int32_t>(v));
        all.push_back(entry);
      }
    }
    std::ranges::sort(
        all, [](const Entry& a, const Entry& b) { return a.score != b.score ? a.score > b.score : a.index < b.index; });
    all.resize(std::min(all.size(), 2 * B));
    alive.clear();
    for (const Entry& entry : all) {
      if (entry.tokens.back() == kEos) {
        finished.push_back(entry);
      } else if (alive.size() < B) {
        alive.push_back(entry);
      }
    }
    std::ranges::stable_sort(finished, by_score);
    finished.resize(std::min(finished.size(), B));
    double best = -std::numeric_limits<double>::infinity();
    for (const Entry& entry : alive) best = std::max(best, entry.log_p);
    if (finished.size() >= n && finished[n - 1].score > best / LP(limit)) break;
  }
  std::vector<Found> found;
  for (Entry& entry : finished) {
    entry.tokens.pop_back();
    if (found.size() < n) found.push_back({entry.tokens, entry.log_p, entry.score, true});
  }
  for (const Entry& entry : alive) {
    if (found.size() < n) found.push_back({entry.tokens, entry.log_p, entry.score, false});
  }
  return found;
}

void expect_found(const std::vector<Hypothesis>& actual, const std::vector<Found>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].tokens, expected[i].tokens);
    EXPECT_EQ(actual[i].log_probability, expected[i].log_p);
    EXPECT_EQ(actual[i].score, expected[i].score);
    EXPECT_EQ(actual[i].finished, expected[i].finished);
  }
}

TEST(BeamSearch, EqualsTheReferenceSearchBitForBitOnTwoHundredModelsWithTies) {
  int ties = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::unique_ptr<SmallModel> small = model_with_twins(seed, seed % 4 != 3);  // one in four has no twins
    SearchSettings settings{.beam = 1 + static_cast<int>(seed % 5),
                            .alpha = 0.3 * static_cast<double>(seed % 4),
                            .length_norm = static_cast<LengthNorm>(seed % 3),
                            .n_best = 1 + static_cast<int>(seed % 7 == 6 ? seed % 5 : 0),
                            .max_extra = 6};
    const std::vector<Sentence> sources = model::random_sentences(3, 4, 14, seed + 1);
    const auto found = search(*small->on, small->model, sources, settings);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "model " << seed << ", sentence " << i);
      expect_found(found[i], reference_search(*small, sources[i], settings));
      for (std::size_t j = 1; j < found[i].size(); ++j) ties += found[i][j].score == found[i][j - 1].score ? 1 : 0;
    }
  }
  EXPECT_GT(ties, 0);
}

// Tries every translation of at most `limit` tokens, EOS included, that begins with `prefix`, and keeps the best.
void enumerate(const SmallModel& small, const Sentence& source, std::int64_t limit, const Sentence& prefix,
               double log_p, const SearchSettings& settings, Found& best) {
  const std::vector<double> words = next_words(small, source, prefix);
  const auto length = static_cast<std::int64_t>(prefix.size()) + 1;
  const double score = (log_p + words[kEos]) / length_penalty(settings.length_norm, settings.alpha, length);
  if (score > best.score) best = {prefix, log_p + words[kEos], score, true};
  if (length == limit) return;
  for (std::int32_t v = kEos + 1; v < static_cast<std::int32_t>(words.size()); ++v) {
    Sentence longer = prefix;
    longer.push_back(v);
    enumerate(small, source, limit, longer, log_p + words[v], settings, best);
  }
}

TEST(BeamSearch, ABeamThatCoversEveryPrefixFindsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    model::TransformerConfig config = model::small_config();
    config.V_source = config.V_target = 6;
    SmallModel small(config, {.seed = seed});
    small.add_noise();
    // At most four tokens, EOS included, of three words besides EOS: there are 3^3 = 27 prefixes of three words.
    const SearchSettings settings{.beam = 27, .max_extra = 3};
    const Sentence source{4, kEos};
    Found best{{}, 0, -std::numeric_limits<double>::infinity(), true};
    enumerate(small, source, 4, {}, 0, settings, best);
    expect_found({search(*small.on, small.model, std::span(&source, 1), settings)[0][0]}, {best});
  }
}

TEST(BeamSearch, NeverRepeatsAnNgramThatTheSettingsForbid) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const ScriptedModel scripted(*on, 8, [](int, int) { return Doubles{0, 0, 0, 0, 3, 2, 1, 0}; });
  const std::vector<Sentence> sources{{7, 2}};
  for (const Method method : {Method::kBeam, Method::kGreedy}) {
    const auto found =
        search(*on, scripted, sources, {.method = method, .max_extra = 20, .min_length = 9, .no_repeat_ngram = 2});
    const Sentence& tokens = found[0][0].tokens;
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      EXPECT_TRUE(pairs.insert({tokens[i], tokens[i + 1]}).second) << "at word " << i;
    }
    EXPECT_GE(tokens.size(), 8u);
  }
}

// Only 4 and 5 may come besides EOS and UNK, although a beam of 8 would take more.
TEST(BeamSearch, AbsentWordsAreNeverChosen) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const ScriptedModel scripted(*on, 8, [](int, int) { return Doubles{0, 0, 0, 0, 1, 1, -1e30, -1e30}; });
  const std::vector<Sentence> sources{{7, 2}};
  for (const Method method : {Method::kBeam, Method::kSample}) {
    const auto found = search(*on, scripted, sources, {.method = method, .beam = 8, .n_best = 8, .max_extra = 5});
    for (const Hypothesis& hypothesis : found[0]) {
      EXPECT_GT(hypothesis.log_probability, -100);
      for (const std::int32_t word : hypothesis.tokens) EXPECT_LT(word, 6);
    }
  }
}

TEST(SearchSettings, RefuseWhatCannotWork) {
  for (const SearchSettings& wrong :
       {SearchSettings{.beam = 0}, SearchSettings{.beam = 100'000}, SearchSettings{.alpha = -1},
        SearchSettings{.beam = 2, .n_best = 3}, SearchSettings{.method = Method::kGreedy, .n_best = 2},
        SearchSettings{.temperature = 0}, SearchSettings{.top_p = 0},
        SearchSettings{.alpha = std::numeric_limits<double>::quiet_NaN()}}) {
    EXPECT_THROW(wrong.validate(), UsageError);
  }
}

}  // namespace
}  // namespace dragoman::decode
