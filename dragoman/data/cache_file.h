// The layout of a token cache on disk; writes and checks it.
//
//   pairs    for each pair: a four-byte checksum, then the ids of both sides, or "source LF target" as text
//   zeros    so that the index begins at a multiple of eight bytes
//   index    three arrays with an entry for each pair: where it begins (8 bytes), the lengths of its sides (4 bytes),
//            and its line (4 bytes); the first array has one more entry, which says where the last pair ends
//   corpora  for each corpus: its first pair, and the counts from cleaning
//   footer   sizes, the key of the inputs, checksums of the index and of the footer itself
//
// Numbers are in the machine's own byte order: a cache cannot be moved to a machine with another one. The footer is at
// the end because its contents are known only then.
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

// Increased with every change of the layout or of the meaning of the bytes; part of the key.
inline constexpr std::uint64_t kCacheFormat = 1;

// How sentences are stored: as text, or as ids of 2 or 4 bytes.
enum class PairForm : std::uint64_t { kText = 0, kIds16 = 2, kIds32 = 4 };

struct CorpusRecord {
  std::int64_t first = 0;  // number of its first pair
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

// Writes a cache under a temporary name and renames it in finish(). Without finish() it leaves nothing behind.
class CacheWriter {
 public:
  CacheWriter(const std::filesystem::path& path, std::uint64_t key, PairForm form);
  ~CacheWriter();
  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  void begin_corpus();
  void add(std::string_view pair, PairLengths lengths, std::uint32_t line);  // a pair that cleaning kept
  void drop(Verdict verdict);
  // The sum over all corpora.
  CleaningCounts counts() const;
  void finish();

 private:
  template <class Values>
  void write_index(const Values& values, Hash& hash);

  std::filesystem::path path_;
  FileWriter file_;
  CacheFooter footer_;
  std::deque<std::uint64_t> starts_;  // deques grow without copying
  std::deque<PairLengths> lengths_;
  std::deque<std::uint32_t> lines_;
  std::vector<CorpusRecord> corpora_;
};

// A cache whose index is mapped into memory. Pairs are read from the file one by one instead. An update needs some two
// thousand pairs from all over the file. To access them through a mapping would cost ten times as much as to read them,
// and would keep the whole file in memory.
class CacheFile {
 public:
  // Returns nullptr and sets `problem` to the reason if the file is missing, was made from other inputs, or is damaged.
  static std::unique_ptr<const CacheFile> open(const std::filesystem::path& path, std::uint64_t key,
                                               std::string& problem);

  PairForm form() const { return footer_.form; }
  std::int64_t pairs() const { return static_cast<std::int64_t>(footer_.pairs); }
  std::int64_t index_bytes() const;
  std::span<const PairLengths> lengths() const { return lengths_; }
  std::span<const std::uint32_t> lines() const { return lines_; }
  std::span<const CorpusRecord> corpora() const { return corpora_; }
  // The bytes that add() was given. Throws an Error if the checksum does not match.
  std::string pair(std::int64_t pair) const;

 private:
  explicit CacheFile(const std::filesystem::path& path) : path_(path), map_(path) {}
  // Returns why the file cannot be used; empty if it can.
  std::string examine(std::uint64_t key);

  std::filesystem::path path_;
  MappedFile map_;
  CacheFooter footer_;
  std::span<const std::uint64_t> starts_;  // pairs() + 1 of them
  std::span<const PairLengths> lengths_;
  std::span<const std::uint32_t> lines_;
  std::span<const CorpusRecord> corpora_;
};

}  // namespace dragoman::data
