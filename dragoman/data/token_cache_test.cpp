#include "dragoman/data/token_cache.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "dragoman/data/testing.h"

namespace dragoman::data {
namespace {

// corpus("a", {2, 1}, {3, 2}) writes a corpus of two pairs: two source words and three target words, then one and two.
class TokenCacheTest : public CorpusTest {
 protected:
  // Opens the cache and returns whether it had to be made.
  bool had_to_make(CacheRequest wanted) {
    reason.clear();
    wanted.message = [&](const std::string& sentence) { reason = sentence; };
    TokenCache::open(wanted);
    return !reason.empty();
  }
  std::string cache_bytes() const { return read_file(directory / "cache" / "tokens.cache"); }
  void overwrite_cache(const std::string& bytes) const {
    std::ofstream(directory / "cache" / "tokens.cache", std::ios::binary) << bytes;
  }

  std::string reason;
};

TEST_F(TokenCacheTest, PairsAreTheTokensOfTheirLinesAndEos) {
  const TokenCache cache = TokenCache::open(request({corpus("a", {2, 1}, {3, 2})}));
  ASSERT_EQ(cache.pairs(), 2);
  const SentencePair first = cache.pair(0);
  Sentence source = word_tokenizer().encode("one two");
  source.push_back(kEos);
  EXPECT_EQ(first.source, source);
  EXPECT_EQ(first.target.size(), 4u);
  EXPECT_EQ(first.target.back(), kEos);
  EXPECT_EQ(cache.lengths(1).source, 2);
  EXPECT_EQ(cache.lengths(1).target, 3);
}

TEST_F(TokenCacheTest, DroppedPairsAreCountedAndLinesKeepTheirNumbers) {
  CacheRequest wanted = request({corpus("a", {2, 0, 5, 1, 3}, {2, 2, 5, 4, 3}), corpus("b", {1}, {1})});
  wanted.cleaning = {.max_length = 5, .max_ratio = 3};
  const TokenCache cache = TokenCache::open(wanted);
  EXPECT_EQ(cache.counts(0), (CleaningCounts{.pairs = 5, .kept = 2, .empty = 1, .too_long = 1, .bad_ratio = 1}));
  EXPECT_EQ(cache.counts(1), (CleaningCounts{.pairs = 1, .kept = 1}));
  EXPECT_EQ(cache.counts().pairs, 6);
  EXPECT_EQ(cache.line_of(0), 1);
  EXPECT_EQ(cache.line_of(1), 5);
  EXPECT_EQ(cache.line_of(2), 1);
}

TEST_F(TokenCacheTest, PairsKnowTheirCorpusAndItsWeight) {
  std::vector<ParallelFiles> files{corpus("a", {1, 2}, {1, 2}), corpus("none", {0}, {0}), corpus("b", {3}, {3})};
  files[2].weight = 2.5;
  const TokenCache cache = TokenCache::open(request(files));
  EXPECT_EQ(cache.corpora(), 3);
  EXPECT_EQ(cache.corpus_of(0), 0);
  EXPECT_EQ(cache.corpus_of(1), 0);
  EXPECT_EQ(cache.corpus_of(2), 2);
  EXPECT_EQ(cache.ranges()[2].first, 2);
  EXPECT_EQ(cache.ranges()[2].end, 3);
  EXPECT_EQ(cache.ranges()[2].weight, 2.5);
}

TEST_F(TokenCacheTest, TheFileIsTheSameForAnyNumberOfThreads) {
  std::vector<int> lengths;
  for (int i = 0; i < 40'000; ++i) lengths.push_back(i % 11);
  CacheRequest wanted = request({corpus("a", lengths, lengths)});
  TokenCache::open(wanted);
  const std::string one = cache_bytes();
  std::filesystem::remove_all(wanted.directory);
  wanted.threads = 3;
  std::vector<std::int64_t> progress;
  wanted.progress = [&](std::int64_t pairs) { progress.push_back(pairs); };
  TokenCache::open(wanted);
  EXPECT_EQ(cache_bytes(), one);
  EXPECT_EQ(progress.back(), 40'000);
  EXPECT_TRUE(std::ranges::is_sorted(progress));
}

TEST_F(TokenCacheTest, AnUnchangedCorpusIsNotTokenizedAgain) {
  const CacheRequest wanted = request({corpus("a", {2}, {3})});
  EXPECT_TRUE(had_to_make(wanted));
  EXPECT_EQ(reason, "making the token cache '" + (wanted.directory / "tokens.cache").string() + "': there is none.");
  EXPECT_FALSE(had_to_make(wanted));
  CacheRequest moved = wanted;
  std::filesystem::rename(directory / "a.src", directory / "b.src");
  moved.files[0].source = directory / "b.src";
  moved.files[0].weight = 3;
  EXPECT_FALSE(had_to_make(moved));
}

TEST_F(TokenCacheTest, AChangeOfTextTokenizersOrSettingsMakesItAnew) {
  CacheRequest wanted = request({corpus("a", {2}, {3})});
  had_to_make(wanted);
  const auto remade = [&] {
    const bool made = had_to_make(wanted);
    return made && reason.find("have changed") != std::string::npos && !had_to_make(wanted);
  };
  write("a.src", "two one\n");  // same size as before
  EXPECT_TRUE(remade());
  write("a.tgt", "nine\n");
  EXPECT_TRUE(remade());
  wanted.cleaning.max_length = 100;
  EXPECT_TRUE(remade());
  wanted.cleaning.max_ratio = 5;
  EXPECT_TRUE(remade());
  wanted.keep_text = true;
  EXPECT_TRUE(remade());
  wanted.target = text::toy_tokenizer({.kind = text::TokenizerKind::kChar});
  EXPECT_TRUE(remade());
  wanted.files.push_back(corpus("b", {1}, {1}));
  EXPECT_TRUE(remade());
}

TEST_F(TokenCacheTest, DamageAnywhereIsMendedOrRefused) {
  const CacheRequest wanted = request({corpus("a", {2, 1}, {3, 2})});
  TokenCache::open(wanted);
  const std::string whole = cache_bytes();
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    overwrite_cache(damaged);
    if (!had_to_make(wanted)) {
      const std::string error_message = error_message_of([&] {
        const TokenCache cache = TokenCache::open(wanted);
        for (std::int64_t i = 0; i < cache.pairs(); ++i) cache.pair(i);
      });
      EXPECT_NE(error_message.find("is damaged"), std::string::npos) << byte;
      overwrite_cache(whole);
    }
    ASSERT_EQ(cache_bytes(), whole) << byte;
  }
}

TEST_F(TokenCacheTest, ACacheCutShortAnywhereIsMadeAnew) {
  const CacheRequest wanted = request({corpus("a", {2, 1}, {3, 2})});
  TokenCache::open(wanted);
  const std::string whole = cache_bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    overwrite_cache(whole.substr(0, bytes));
    EXPECT_TRUE(had_to_make(wanted)) << bytes;
    ASSERT_EQ(cache_bytes(), whole) << bytes;
  }
}

TEST_F(TokenCacheTest, AFailedBuildLeavesNothingAndRemnantsAreRemoved) {
  CacheRequest wanted = request({corpus("a", {2, 1}, {3, 2})});
  wanted.progress = [](std::int64_t) { throw Error("stopped"); };
  EXPECT_EQ(error_message_of([&] { TokenCache::open(wanted); }), "stopped");
  EXPECT_FALSE(std::filesystem::exists(wanted.directory / "tokens.cache"));
  EXPECT_FALSE(std::filesystem::exists(unfinished_path(wanted.directory / "tokens.cache")));

  write("cache/tokens.cache.unfinished", "of a killed run");
  wanted.progress = {};
  TokenCache::open(wanted);
  EXPECT_FALSE(std::filesystem::exists(unfinished_path(wanted.directory / "tokens.cache")));
}

TEST_F(TokenCacheTest, OnAFullDiskTheErrorNamesTheFileAndNothingIsLeftBehind) {
  const CacheRequest wanted = request({corpus("a", std::vector<int>(2000, 9), std::vector<int>(2000, 9))});
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const struct rlimit small { .rlim_cur = 10'000, .rlim_max = old.rlim_max };
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails, as on a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error_message = error_message_of([&] { TokenCache::open(wanted); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(error_message.starts_with("cannot write '")) << error_message;
  EXPECT_NE(error_message.find("tokens.cache"), std::string::npos) << error_message;
  EXPECT_TRUE(std::filesystem::is_empty(wanted.directory));
}

TEST_F(TokenCacheTest, ACorpusOfWhichNothingIsKeptIsRefused) {
  EXPECT_EQ(error_message_of<UsageError>([&] {
              TokenCache::open(request({corpus("a", {0, 1}, {2, 0})}));
            }),
            "no pair is left to train on: all 2 have an empty side.");
  const ParallelFiles empty = corpus("empty", {}, {});
  EXPECT_EQ(error_message_of<UsageError>([&] { TokenCache::open(request({empty})); }),
            "'" + empty.source + "' holds no sentences to train on.");
  EXPECT_THROW(TokenCache::open(request({})), UsageError);
}

TEST_F(TokenCacheTest, TextIsKeptForSubwordSampling) {
  CacheRequest wanted = request({{write("a", "one two\nthree  \xC3\xA4\n"), write("b", "four\nfive\tsix\n")}});
  const SentencePair plain = TokenCache::open(wanted).pair(0);
  wanted.keep_text = true;
  const TokenCache cache = TokenCache::open(wanted);
  EXPECT_EQ(cache.text_pair(1).source, "three  \xC3\xA4");
  EXPECT_EQ(cache.text_pair(1).target, "five\tsix");
  EXPECT_EQ(cache.pair(0).source, plain.source);
  EXPECT_EQ(cache.pair(0).target, plain.target);
  EXPECT_EQ(cache.lengths(0).source, 3);
}

TEST_F(TokenCacheTest, AReaderKeepsItsCacheWhenAnotherReplacesIt) {
  CacheRequest wanted = request({corpus("a", {2}, {3})});
  const TokenCache old = TokenCache::open(wanted);
  corpus("a", {5}, {5});
  const TokenCache fresh = TokenCache::open(wanted);
  EXPECT_EQ(old.pair(0).source.size(), 3u);
  EXPECT_EQ(fresh.pair(0).source.size(), 6u);
  EXPECT_NE(old.key(), fresh.key());
}

}  // namespace
}  // namespace dragoman::data
