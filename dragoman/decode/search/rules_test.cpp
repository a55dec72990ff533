// Beam search by the rules of other programs: it finds what their own searches find, written down here step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dragoman/array/tokens.h"
#include "dragoman/base/random.h"
#include "dragoman/decode/search/beam.h"

namespace dragoman::decode {
namespace {

using data::Sentence;

constexpr std::int64_t kWords = 9;

// log P of every next word after `prefix`: random numbers that depend on the prefix. PAD and BOS have none.
std::vector<double> scripted(std::uint64_t seed, const Sentence& prefix) {
  std::uint64_t place = 1;
  for (const std::int32_t word : prefix) place = 31 * place + static_cast<std::uint64_t>(word);
  RandomStream random(seed, 0, place);
  std::vector<double> log_p(kWords, -std::numeric_limits<double>::infinity());
  double sum = 0;
  for (std::int64_t v = kEos; v < kWords; ++v) sum += std::exp(log_p[v] = 3 * random.uniform());
  for (std::int64_t v = kEos; v < kWords; ++v) log_p[v] -= std::log(sum);
  return log_p;
}

struct Ended {
  Sentence tokens;  // EOS included, if there is one
  double score;
};

// What the search finds.
std::vector<Ended> search(const SearchSettings& settings, std::int64_t limit, std::uint64_t seed) {
  BeamSearch search(settings, {.prefix = {}, .limit = limit}, kWords);
  std::vector<Sentence> rows{{}};
  while (!search.done()) {
    std::vector<std::vector<std::int32_t>> ids;
    std::vector<std::vector<double>> log_p;
    for (const Sentence& row : rows) {
      const std::vector<double> all = scripted(seed, row);
      std::vector<std::int32_t>& order = ids.emplace_back(kWords - kEos);
      std::iota(order.begin(), order.end(), kEos);
      std::ranges::stable_sort(order, std::greater<>(), [&](std::int32_t v) { return all[v]; });
      order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(search.wanted())));
      for (std::vector<double>& sorted = log_p.emplace_back(); const std::int32_t v : order) sorted.push_back(all[v]);
    }
    std::vector<Offer> offers;
    for (std::size_t r = 0; r < rows.size(); ++r) offers.push_back({ids[r], log_p[r], {}});
    search.advance(offers);
    std::vector<Sentence> next;
    for (const Continuation& row : search.rows()) {
      next.push_back(rows[row.parent]);
      next.back().push_back(row.word);
    }
    rows = next;
  }
  std::vector<Ended> found;
  for (const Hypothesis& hypothesis : search.results()) {
    found.push_back({hypothesis.tokens, hypothesis.score});
    if (hypothesis.finished) found.back().tokens.push_back(kEos);
  }
  return found;
}

struct Running {
  Sentence tokens;
  double log_p;
};

// The 2B best extensions of all that run.
std::vector<Running> extensions(const std::vector<Running>& running, std::size_t B, std::uint64_t seed) {
  std::vector<Running> all;
  for (const Running& one : running) {
    const std::vector<double> log_p = scripted(seed, one.tokens);
    for (std::int32_t v = kEos; v < kWords; ++v) {
      all.push_back({one.tokens, one.log_p + log_p[v]});
      all.back().tokens.push_back(v);
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Running::log_p);
  all.resize(std::min(all.size(), 2 * B));
  return all;
}

// generate() of Transformers with num_beams B, max_length limit + 1, forced_eos_token_id, and length_penalty alpha.
// early_stopping is true for kBeam, "never" for kNever, else false.
std::vector<Ended> transformers(std::size_t B, std::int64_t limit, double alpha, Stop stop, std::uint64_t seed) {
  std::vector<Running> running{{{}, 0}};
  std::vector<Ended> ended;
  for (std::int64_t n = 1; n <= limit; ++n) {  // n tokens after this step
    const bool is_last = n == limit;
    std::vector<Running> candidates = is_last ? running : extensions(running, B, seed);
    if (is_last) {
      for (Running& one : candidates) one.tokens.push_back(kEos);
    }
    running.clear();
    for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
      const Running& one = candidates[rank];
      if (one.tokens.back() != kEos) {
        running.push_back(one);
      } else if (rank < B) {
        ended.push_back({one.tokens, one.log_p / std::pow(static_cast<double>(n), alpha)});
      }
    }
    std::ranges::stable_sort(ended, std::greater<>(), &Ended::score);
    ended.resize(std::min(ended.size(), B));
    running.resize(std::min(running.size(), B));
    if (running.empty() || (stop == Stop::kBeam && ended.size() == B)) break;
    const double best = running[0].log_p / std::pow(static_cast<double>(stop == Stop::kNever ? limit : n), alpha);
    if (ended.size() == B && best <= ended.back().score) break;
  }
  return ended;
}

// Translator.translate_batch of CTranslate2 with beam_size B, num_hypotheses n_best and length_penalty alpha.
std::vector<Ended> ctranslate2(std::size_t B, std::size_t n_best, std::int64_t limit, double alpha,
                               std::uint64_t seed) {
  std::vector<Running> running{{{}, 0}};
  std::vector<Ended> ended;
  bool top_has_ended = false;
  for (std::int64_t n = 1; n <= limit; ++n) {
    const std::vector<Running> candidates = extensions(running, B, seed);
    std::size_t next = B;  // the first candidate that has not yet taken the place of one that ended
    running.clear();
    for (std::size_t k = 0; k < std::min(B, candidates.size()); ++k) {
      const Running& one = candidates[k];
      if (one.tokens.back() != kEos && n < limit) {
        running.push_back(one);
        continue;
      }
      top_has_ended = top_has_ended || k == 0;
      ended.push_back({one.tokens, one.log_p / std::pow(static_cast<double>(n), alpha)});
      while (next < candidates.size() && candidates[next].tokens.back() == kEos) ++next;
      if (next < candidates.size()) running.push_back(candidates[next++]);
    }
    if (alpha == 0 ? top_has_ended && ended.size() >= n_best : ended.size() >= B) break;
  }
  std::ranges::stable_sort(ended, std::greater<>(), &Ended::score);
  ended.resize(std::min(ended.size(), n_best));
  return ended;
}

void expect_same(const std::vector<Ended>& found, const std::vector<Ended>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << "result " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-12);
  }
}

constexpr std::uint64_t kSeeds = 300;

SearchSettings settings_of(std::uint64_t seed, Rules rules, int n_best) {
  return {.beam = 1 + static_cast<int>(seed % 5),
          .alpha = 0.5 * static_cast<double>(seed % 4),
          .length_norm = LengthNorm::kPow,
          .rules = rules,
          .n_best = n_best};
}
std::int64_t limit_of(std::uint64_t seed) { return 1 + static_cast<std::int64_t>(seed % 11); }

TEST(SearchRules, TransformersFindsWhatItsOwnSearchFinds) {
  int other_than_paper = 0, others_by_never = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    SearchSettings settings = settings_of(seed, Rules::kTransformers, 1 + static_cast<int>(seed % 5));
    const auto B = static_cast<std::size_t>(settings.beam);
    std::vector<Ended> found;
    for (const Stop stop : {Stop::kBeam, Stop::kNever, Stop::kProvable}) {
      settings.stop = stop;
      const std::vector<Ended> before = found;
      found = search(settings, limit_of(seed), seed);
      expect_same(found, transformers(B, limit_of(seed), settings.alpha, stop, seed));
      if (stop == Stop::kProvable) others_by_never += before.front().tokens != found.front().tokens ? 1 : 0;
    }
    settings.rules = Rules::kPaper;
    other_than_paper += search(settings, limit_of(seed), seed).front().tokens != found.front().tokens ? 1 : 0;
  }
  EXPECT_GT(other_than_paper, 0);
  EXPECT_GT(others_by_never, 0);
}

TEST(SearchRules, CTranslate2FindsWhatItsOwnSearchFinds) {
  int other_than_transformers = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    SearchSettings settings = settings_of(seed, Rules::kCtranslate2, 1);
    const auto B = static_cast<std::size_t>(settings.beam);
    const std::vector<Ended> found = search(settings, limit_of(seed), seed);
    expect_same(found, ctranslate2(B, 1, limit_of(seed), settings.alpha, seed));
    settings.n_best = settings.beam;
    expect_same(search(settings, limit_of(seed), seed), ctranslate2(B, B, limit_of(seed), settings.alpha, seed));
    settings.rules = Rules::kTransformers;
    other_than_transformers += search(settings, limit_of(seed), seed).front().tokens != found.front().tokens ? 1 : 0;
  }
  EXPECT_GT(other_than_transformers, 0);
}

// EOS is the second best of the two candidates of a beam of one.
TEST(SearchRules, OnlyThePaperPutsAsideCandidatesBeyondTheBeam) {
  for (const Rules rules : {Rules::kPaper, Rules::kTransformers, Rules::kCtranslate2}) {
    std::vector<std::vector<Candidate>> tree;
    BeamSearch search({.beam = 1, .rules = rules}, {.prefix = {}, .limit = 9}, kWords, &tree);
    const std::vector<std::int32_t> ids{7, kEos};
    const std::vector<double> log_p{-1, -2};
    const Offer offers[] = {{ids, log_p, {}}};
    search.advance(offers);
    EXPECT_EQ(tree[0][1].fate, rules == Rules::kPaper ? Fate::kFinished : Fate::kCrowdedOut);
  }
}

}  // namespace
}  // namespace dragoman::decode
