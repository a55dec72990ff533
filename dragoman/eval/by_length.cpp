#include "dragoman/eval/by_length.h"

#include <map>

#include "dragoman/base/error.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::eval {
namespace {

using Places = std::vector<std::size_t>;  // of sentences in the test set

SentenceStatistics chosen(const SentenceStatistics& all, const Places& places) {
  SentenceStatistics some;
  for (const std::size_t place : places) some.add({all[place].begin(), all[place].end()});
  return some;
}

LengthBucket scored_bucket(const ScoredSources& scored, const Places& places, const Trials& trials) {
  const SentenceStatistics sentences = chosen(scored.bleu_statistics, places);
  const Statistics sums = sentences.sums();
  const BleuStatistics counts = BleuMetric::counts_in(sums);
  LengthBucket bucket;
  bucket.sentences = static_cast<std::int64_t>(places.size());
  bucket.bleu = scored.bleu.score(sums);
  bucket.interval = confidence_bounds(scored.bleu, sentences, trials);
  bucket.chrf = scored.chrf.score(chosen(scored.chrf_statistics, places).sums());
  if (counts.reference_length > 0) {
    bucket.ratio = static_cast<double>(counts.hypothesis_length) / static_cast<double>(counts.reference_length);
  }
  return bucket;
}

}  // namespace

std::int64_t length_bucket(std::int64_t words, int width) { return words == 0 ? 0 : (words - 1) / width; }

LengthScores scores_by_length(const ScoredSources& scored, int width, const Trials& trials) {
  const std::size_t sentences = scored.sources.size();
  require<ShapeError>(scored.bleu_statistics.size() == sentences && scored.chrf_statistics.size() == sentences,
                      "by length: there are ", sentences, " sources, but statistics of ", scored.bleu_statistics.size(),
                      " and ", scored.chrf_statistics.size(), " sentences.");
  std::map<std::int64_t, Places> places;
  Places all;
  for (std::size_t i = 0; i < sentences; ++i) {
    const auto words = static_cast<std::int64_t>(split_words(scored.sources[i]).size());
    places[length_bucket(words, width)].push_back(i);
    all.push_back(i);
  }
  LengthScores scores{.width = width, .buckets = {}, .all = scored_bucket(scored, all, trials)};
  for (const auto& [number, in_bucket] : places) {
    LengthBucket& bucket = scores.buckets.emplace_back(scored_bucket(scored, in_bucket, trials));
    bucket.first = number * width + 1;
    bucket.last = (number + 1) * width;
  }
  scores.all.first = scores.buckets.front().first;
  scores.all.last = scores.buckets.back().last;
  return scores;
}

}  // namespace dragoman::eval
