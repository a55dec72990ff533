// The layout of a token cache on the disk, and how it is written and checked.
//
//   pairs    for each pair: a checksum of four bytes, then the ids of both sides, or "source LF target" as text
//   index    where each pair begins (and the last ends), the lengths of its sides, its line; sixteen bytes a pair
//   corpora  for each corpus: its first pair, and what cleaning counted
//   footer   sizes, the key of what the cache was made of, checksums of the index and of the footer itself
//
// Numbers are the machine's own: a cache does not travel. The footer comes last because only then is all of it known.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/mapped_file.h"
#include "dragoman/data/cleaning.h"
#include "dragoman/data/epoch.h"

namespace dragoman::data {

// Raised with every change of the layout or of what the bytes mean; part of the key.
inline constexpr std::uint64_t kCacheFormat = 1;

// How sentences are stored: the bytes of an id, or as text.
enum class PairForm : std::uint64_t { kText = 0, kIds16 = 2, kIds32 = 4 };

struct CorpusRecord {
  std::int64_t first = 0;  // pair
  CleaningCounts counts;
};

struct CacheFooter {
  std::uint64_t magic = 0;
  std::uint64_t key = 0;
  PairForm form = PairForm::kText;
  std::uint64_t pair_bytes = 0, pairs = 0, corpora = 0;
  std::uint64_t index_hash = 0;
  std::uint64_t footer_hash = 0;  // of the fields above
};

// Writes a cache aside and gives it its name in finish(); if that is never reached, nothing is left behind.
class CacheWriter {
 public:
  CacheWriter(const std::filesystem::path& path, std::uint64_t key, PairForm form);
  ~CacheWriter();
  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  void begin_corpus();
  void add(std::string_view pair, PairLengths lengths, std::uint32_t line);  // one that cleaning kept
  void drop(Verdict verdict);
  // Of all corpora together.
  CleaningCounts counts() const;
  void finish();

 private:
  template <class Values>
  void write_index(const Values& values, Hash& hash);

  std::filesystem::path path_;
  FileWriter file_;
  CacheFooter footer_;
  std::deque<std::uint64_t> starts_;  // deques: they grow without being copied
  std::deque<PairLengths> lengths_;
  std::deque<std::uint32_t> lines_;
  std::vector<CorpusRecord> corpora_;
};

// A cache whose index is mapped into memory. Pairs are read one by one instead: an epoch jumps about in the whole file,
// and mapping some two thousand places an update costs ten times the reading and would make the whole file resident.
class CacheFile {
 public:
  // Nothing, with the reason in `problem`, if the file is missing, was made of something else, or is damaged.
  static std::unique_ptr<const CacheFile> open(const std::filesystem::path& path, std::uint64_t key,
                                               std::string& problem);

  PairForm form() const { return footer_.form; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(footer_.pairs); }
  std::int64_t index_bytes() const;
  std::span<const PairLengths> lengths() const { return lengths_; }
  std::span<const std::uint32_t> lines() const { return lines_; }
  std::span<const CorpusRecord> corpora() const { return corpora_; }
  // What add() was given. Throws an Error if its checksum does not agree.
  std::string pair(std::int64_t pair) const;

 private:
  explicit CacheFile(const std::filesystem::path& path) : path_(path), map_(path) {}
  // The reason why the file cannot be used, if there is one.
  std::string examine(std::uint64_t key);

  std::filesystem::path path_;
  MappedFile map_;
  CacheFooter footer_;
  std::span<const std::uint64_t> starts_;  // one more than there are pairs
  std::span<const PairLengths> lengths_;
  std::span<const std::uint32_t> lines_;
  std::span<const CorpusRecord> corpora_;
};

}  // namespace dragoman::data
