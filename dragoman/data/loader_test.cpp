#include "dragoman/data/loader.h"

#include <algorithm>
#include <iterator>

#include "dragoman/data/testing.h"

namespace dragoman::data {
namespace {

bool operator==(const HostTokens& a, const HostTokens& b) {
  return a.ids == b.ids && a.offsets == b.offsets && a.position == b.position && a.sentence == b.sentence &&
         a.longest == b.longest && a.index.tokens == b.index.tokens && a.index.starts == b.index.starts &&
         a.index.rows == b.index.rows;
}

bool same(const Update& a, const Update& b) {
  return a.first == b.first && a.after == b.after && a.sentences == b.sentences && a.source_tokens == b.source_tokens &&
         a.target_tokens == b.target_tokens &&
         std::ranges::equal(a.micro_batches, b.micro_batches, [](const HostBatch& x, const HostBatch& y) {
           return x.source == y.source && x.target == y.target && x.targets == y.targets;
         });
}

class LoaderTest : public CorpusTest {
 protected:
  // Pairs of 2 to 11 tokens on each side, EOS included, in a cache whose limit is 12.
  TokenCache cache(int pairs = 60, bool keep_text = false) const {
    std::vector<int> sources, targets;
    for (int i = 0; i < pairs; ++i) {
      sources.push_back(1 + i % 10);
      targets.push_back(1 + i % 9);
    }
    CacheRequest wanted = request({corpus("a", sources, targets)});
    wanted.cleaning = {.max_length = 12, .max_ratio = 20};
    wanted.keep_text = keep_text;
    return TokenCache::open(wanted);
  }
  static std::vector<Update> updates(const TokenCache& from, const LoaderSettings& settings, int count,
                                     Position start = {}) {
    Loader loader(from, settings, start);
    std::vector<Update> all;
    for (int i = 0; i < count; ++i) all.push_back(loader.next());
    return all;
  }
};

TEST_F(LoaderTest, ResumingAnywhereGivesTheUpdatesOfAnUninterruptedRun) {
  const TokenCache pairs = cache();
  const LoaderSettings settings{.batch_tokens = 30, .accumulate = 2, .micro_tokens = 20, .seed = 3};
  const std::vector<Update> run = updates(pairs, settings, 30);
  EXPECT_GT(run.back().after.epoch, 1);  // crosses epochs
  for (std::size_t i = 0; i < run.size(); ++i) {
    const std::vector<Update> resumed = updates(pairs, settings, 3, run[i].first);
    for (std::size_t k = 0; k < resumed.size() && i + k < run.size(); ++k)
      EXPECT_TRUE(same(resumed[k], run[i + k])) << i << " " << k;
    EXPECT_EQ(run[i].after, i + 1 < run.size() ? run[i + 1].first : run.back().after);
  }
}

TEST_F(LoaderTest, TheEndOfAnEpochIsTheStartOfTheNext) {
  const TokenCache pairs = cache();
  const LoaderSettings settings{.batch_tokens = 30};
  Loader loader(pairs, settings);
  const std::int64_t batches = loader.batches_in_epoch(0);
  EXPECT_EQ(updates(pairs, settings, 1, {.epoch = 0, .batch = batches})[0].first, (Position{.epoch = 1, .batch = 0}));
  EXPECT_NE(error_message_of<UsageError>([&] {
              updates(pairs, settings, 1, {.epoch = 0, .batch = batches + 1});
            }).find("the text or the settings have changed"),
            std::string::npos);
}

TEST_F(LoaderTest, AnEpochReadsEveryPairOnce) {
  const TokenCache pairs = cache();
  Loader loader(pairs, {.batch_tokens = 30});
  std::int64_t sentences = 0, source = 0, batches = 0;
  for (Update update = loader.next(); update.first.epoch == 0; update = loader.next()) {
    sentences += update.sentences;
    source += update.source_tokens;
    ++batches;
  }
  EXPECT_EQ(sentences, 60);
  EXPECT_EQ(source, 60 + 6 * 55);
  EXPECT_EQ(batches, loader.batches_in_epoch(0));
}

TEST_F(LoaderTest, MicroBatchesStayWithinMicroTokensAndNumberSentencesThroughTheUpdate) {
  const TokenCache pairs = cache();
  const LoaderSettings settings{.batch_tokens = 50, .accumulate = 3, .micro_tokens = 20};
  for (const Update& update : updates(pairs, settings, 10)) {
    std::int32_t sentence = 0;
    std::int64_t source = 0, target = 0;
    for (const HostBatch& batch : update.micro_batches) {
      EXPECT_LE(batch.source.R(), 20);
      EXPECT_LE(batch.target.R(), 20);
      EXPECT_EQ(batch.source.sentence.front(), sentence);
      EXPECT_EQ(batch.target.sentence.front(), sentence);
      sentence += static_cast<std::int32_t>(batch.sentences());
      source += batch.source.R();
      target += batch.target.R();
    }
    EXPECT_EQ(update.sentences, sentence);
    EXPECT_EQ(update.source_tokens, source);
    EXPECT_EQ(update.target_tokens, target);
  }
}

TEST_F(LoaderTest, RanksDivideAnUpdateIntoConsecutiveBatches) {
  const TokenCache pairs = cache();
  const LoaderSettings settings{.batch_tokens = 50, .accumulate = 4, .micro_tokens = 20};
  const std::vector<Update> whole = updates(pairs, settings, 5);
  std::vector<Update> joined(whole.size());
  for (const int rank : {0, 1}) {
    LoaderSettings half = settings;
    half.rank = rank;
    half.ranks = 2;
    const std::vector<Update> parts = updates(pairs, half, 5);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].batches.size(), 2u);
      joined[i].first = parts[i].first;
      joined[i].after = parts[i].after;
      joined[i].sentences = parts[i].sentences;
      joined[i].source_tokens += parts[i].source_tokens;
      joined[i].target_tokens += parts[i].target_tokens;
      std::ranges::copy(parts[i].micro_batches, std::back_inserter(joined[i].micro_batches));
    }
  }
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(same(joined[i], whole[i])) << i;
}

TEST_F(LoaderTest, SplittingIntoMicroBatchesKeepsTheSentencesAndTheirOrder) {
  const TokenCache pairs = cache();
  const std::vector<Update> whole = updates(pairs, {.batch_tokens = 50}, 5);
  const std::vector<Update> split = updates(pairs, {.batch_tokens = 50, .accumulate = 1, .micro_tokens = 12}, 5);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::int32_t> ids;
    for (const HostBatch& batch : split[i].micro_batches)
      ids.insert(ids.end(), batch.source.ids.begin(), batch.source.ids.end());
    EXPECT_EQ(whole[i].micro_batches.size(), 1u);
    EXPECT_EQ(whole[i].micro_batches[0].source.ids, ids);
  }
}

TEST_F(LoaderTest, ErrorsOfThePreparingThreadAreThrownByNext) {
  cache();
  std::string bytes = read_file(directory / "cache" / "tokens.cache");
  bytes[10] = static_cast<char>(bytes[10] ^ 1);  // in the first pair
  replace_file(directory / "cache" / "tokens.cache", bytes);
  CacheRequest wanted = request({{directory / "a.src", directory / "a.tgt"}});
  wanted.cleaning = {.max_length = 12, .max_ratio = 20};
  const TokenCache damaged = TokenCache::open(wanted);
  EXPECT_NE(error_message_of([&] { updates(damaged, {.batch_tokens = 30}, 20); }).find("is damaged"),
            std::string::npos);
}

TEST_F(LoaderTest, AnUnusedLoaderEndsAtOnce) {
  const TokenCache pairs = cache();
  for (int i = 0; i < 20; ++i) Loader(pairs, {.batch_tokens = 30});
}

TEST_F(LoaderTest, APositionIsDescribedByItsFirstLine) {
  const TokenCache pairs = cache(1);
  const Loader loader(pairs, {.batch_tokens = 30});
  EXPECT_EQ(loader.describe({.epoch = 3, .batch = 0}),
            "epoch 4, batch 1 (first pair: line 1 of '" + (directory / "a.src").string() + "')");
  EXPECT_EQ(loader.describe({.epoch = 3, .batch = 9}), "epoch 4, batch 10");
}

TEST_F(LoaderTest, SettingsThatCannotHoldASentenceAreRefused) {
  const CleaningSettings cleaning{.max_length = 100};
  EXPECT_NO_THROW((LoaderSettings{.batch_tokens = 100, .accumulate = 1, .micro_tokens = 100}.validate(cleaning)));
  EXPECT_EQ(error_message_of<UsageError>([&] { LoaderSettings{.batch_tokens = 99}.validate(cleaning); }),
            "max-length is 100, but a batch has 99 tokens: lower max-length or raise batch-tokens.");
  EXPECT_THROW((LoaderSettings{.batch_tokens = 200, .accumulate = 1, .micro_tokens = 99}.validate(cleaning)),
               UsageError);
  EXPECT_THROW((LoaderSettings{.batch_tokens = 200, .accumulate = 0}.validate(cleaning)), UsageError);
}

class SamplingTest : public LoaderTest {
 protected:
  // Words that a subword tokenizer can split in many ways.
  TokenCache subwords() const {
    std::string text;
    for (int i = 0; i < 30; ++i) text += text::toy_sentences()[i % 6] + "\n";
    CacheRequest wanted = request({{write("a", text), write("b", text)}});
    wanted.source = wanted.target = text::toy_tokenizer({.kind = text::TokenizerKind::kBpe});
    wanted.cleaning.max_length = 24;
    wanted.keep_text = true;
    return TokenCache::open(wanted);
  }
};

TEST_F(SamplingTest, SampledUpdatesDoNotDependOnThreadsOrTheStart) {
  const TokenCache pairs = subwords();
  LoaderSettings settings{.batch_tokens = 60, .accumulate = 1, .micro_tokens = 40, .subword_sampling = 0.3};
  const std::vector<Update> run = updates(pairs, settings, 20);
  for (const int threads : {0, 3}) {
    settings.threads = threads;
    const std::vector<Update> resumed = updates(pairs, settings, 10, run[10].first);
    for (std::size_t i = 0; i < resumed.size(); ++i) EXPECT_TRUE(same(resumed[i], run[10 + i])) << threads << ", " << i;
  }
}

TEST_F(SamplingTest, SampledTokensDifferFromThePlainOnesAndStayWithinTheLimits) {
  const TokenCache pairs = subwords();
  const std::vector<Update> plain = updates(pairs, {.batch_tokens = 60, .accumulate = 1, .micro_tokens = 40}, 20);
  const std::vector<Update> sampled =
      updates(pairs, {.batch_tokens = 60, .accumulate = 1, .micro_tokens = 40, .subword_sampling = 0.3}, 20);
  std::int64_t plain_tokens = 0, sampled_tokens = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(sampled[i].first, plain[i].first);
    EXPECT_EQ(sampled[i].sentences, plain[i].sentences);
    plain_tokens += plain[i].source_tokens;
    sampled_tokens += sampled[i].source_tokens;
    for (const HostBatch& batch : sampled[i].micro_batches) {
      EXPECT_LE(batch.source.R(), 40);
      EXPECT_LE(batch.target.R(), 40);
      EXPECT_LE(batch.source.longest, 24);
    }
  }
  EXPECT_GT(sampled_tokens, plain_tokens);
}

TEST_F(SamplingTest, SamplingNeedsTheText) {
  const TokenCache pairs = cache();
  EXPECT_THROW(Loader(pairs, {.batch_tokens = 30, .accumulate = 1, .micro_tokens = 0, .subword_sampling = 0.1}),
               UsageError);
}

}  // namespace
}  // namespace dragoman::data
