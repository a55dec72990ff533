// A corpus as token ids: tokenized once and kept in a file, from which pairs are read on demand, so that it may be
// larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/data/cleaning.h"
#include "dragoman/data/epoch.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::data {

struct CacheRequest {
  std::vector<ParallelFiles> files;
  text::Tokenizer source, target;
  CleaningSettings cleaning;
  std::filesystem::path directory;  // holds one cache: one that was made for a different request is replaced
  bool keep_text = false;           // store text, for subword sampling, which tokenizes it differently in each epoch
  int threads = 0;                  // 0 for all that the machine offers; the file is the same for any number
  // Called with the key of the text before anything is written; may throw to keep what is there.
  std::function<void(std::uint64_t key)> check = {};
  // Called with the number of pairs tokenized so far; may throw to stop.
  std::function<void(std::int64_t pairs)> progress = {};
  std::function<void(const std::string& sentence)> message = {};  // called with the reason if a cache is made
};

// Immutable, and safe to read from many threads. Pairs are numbered from 0, corpus after corpus, in the order of their
// lines. Pairs that cleaning dropped have no number.
class TokenCache {
 public:
  // Opens the directory's cache if it is intact and was made from the same text, tokenizers and settings; otherwise
  // makes it. Throws the errors of reading and writing, and a UsageError if cleaning keeps no pair.
  static TokenCache open(const CacheRequest& request);
  ~TokenCache();
  TokenCache(TokenCache&&) noexcept;
  TokenCache& operator=(TokenCache&&) noexcept;

  std::int64_t pairs() const;
  std::span<const PairLengths> lengths() const;
  PairLengths lengths(std::int64_t pair) const { return lengths()[pair]; }

  // Both sides end in EOS. Throws an Error if the file is damaged at this pair.
  SentencePair pair(std::int64_t pair) const;
  struct TextPair {
    std::string source, target;
  };
  // Requires keep_text.
  TextPair text_pair(std::int64_t pair) const;
  bool keeps_text() const;

  std::int64_t corpora() const;
  std::int64_t corpus_of(std::int64_t pair) const;
  std::int64_t line_of(std::int64_t pair) const;  // in its corpus's files, counted from 1
  const ParallelFiles& files(std::int64_t corpus) const;
  std::span<const WeightedRange> ranges() const;  // by corpus
  const CleaningCounts& counts(std::int64_t corpus) const;
  CleaningCounts counts() const;  // of all corpora together

  const CleaningSettings& cleaning() const;
  const text::Tokenizer& source() const;
  const text::Tokenizer& target() const;
  // A hash of the text, the tokenizers and the settings. Training can resume exactly only with the same key.
  std::uint64_t key() const;
  std::int64_t index_bytes() const;  // the part of the file that stays in memory; the rest is read on demand

 private:
  struct File;
  explicit TokenCache(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace dragoman::data
