#include "dragoman/data/cache_file.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <system_error>

#include "dragoman/base/ending_signals.h"
#include "dragoman/base/error.h"

namespace dragoman::data {

namespace {

constexpr std::uint64_t kMagic = 0x6E616D6F67617264;  // "dragoman" in little-endian memory

std::uint32_t checksum(std::string_view bytes) { return static_cast<std::uint32_t>(Hash().add(bytes).value()); }

std::uint64_t hash_of(const CacheFooter& footer) {
  return Hash().add(&footer, offsetof(CacheFooter, footer_hash)).value();
}

// Interprets the front of `bytes` as `count` values of T and removes that part.
template <class T>
std::span<const T> take(std::span<const std::byte>& bytes, std::uint64_t count) {
  const std::span<const T> values(reinterpret_cast<const T*>(bytes.data()), count);
  bytes = bytes.subspan(values.size_bytes());
  return values;
}

std::uint64_t size_of_index(const CacheFooter& footer) {
  return footer.pairs * (sizeof(std::uint64_t) + sizeof(PairLengths) + sizeof(std::uint32_t)) + sizeof(std::uint64_t) +
         footer.corpora * sizeof(CorpusRecord);
}

}  // namespace

CacheWriter::CacheWriter(const std::filesystem::path& path, std::uint64_t key, PairForm form)
    : path_(path), file_(unfinished_path(path)), footer_{.magic = kMagic, .key = key, .form = form} {
  remove_by_signal(unfinished_path(path));
}

CacheWriter::~CacheWriter() {
  std::error_code ignored;
  std::filesystem::remove(unfinished_path(path_), ignored);  // a finished cache has another name by now
  keep_by_signal(unfinished_path(path_));
}

void CacheWriter::begin_corpus() {
  corpora_.push_back({.first = static_cast<std::int64_t>(lengths_.size()), .counts = {}});
}

void CacheWriter::add(std::string_view pair, PairLengths lengths, std::uint32_t line) {
  require<Error>(lengths_.size() < std::numeric_limits<std::uint32_t>::max(),
                 "the corpus has more than 4,294,967,295 pairs, which is too many.");
  corpora_.back().counts.add(Verdict::kKept);
  starts_.push_back(footer_.pair_bytes);
  lengths_.push_back(lengths);
  lines_.push_back(line);
  const std::uint32_t check = checksum(pair);
  file_.write(&check, sizeof check);
  file_.write(pair);
  footer_.pair_bytes += sizeof check + pair.size();
}

void CacheWriter::drop(Verdict verdict) { corpora_.back().counts.add(verdict); }

CleaningCounts CacheWriter::counts() const {
  CleaningCounts counts;
  for (const CorpusRecord& corpus : corpora_) counts += corpus.counts;
  return counts;
}

template <class Values>
void CacheWriter::write_index(const Values& values, Hash& hash) {
  for (const auto& value : values) {
    hash.add(&value, sizeof value);
    file_.write(&value, sizeof value);
  }
}

void CacheWriter::finish() {
  starts_.push_back(footer_.pair_bytes);
  for (; footer_.pair_bytes % alignof(std::uint64_t) != 0; ++footer_.pair_bytes) file_.write("\0", 1);
  footer_.pairs = lengths_.size();
  footer_.corpora = corpora_.size();
  Hash hash;
  write_index(starts_, hash);
  write_index(lengths_, hash);
  write_index(lines_, hash);
  write_index(corpora_, hash);
  footer_.index_hash = hash.value();
  footer_.footer_hash = hash_of(footer_);
  file_.write(&footer_, sizeof footer_);
  file_.finish();
  rename_durably(unfinished_path(path_), path_);
}

std::unique_ptr<const CacheFile> CacheFile::open(const std::filesystem::path& path, std::uint64_t key,
                                                 std::string& problem) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    problem = "there is none";
    return nullptr;
  }
  std::unique_ptr<CacheFile> file(new CacheFile(path));
  problem = file->examine(key);
  if (!problem.empty()) return nullptr;
  return file;
}

std::string CacheFile::examine(std::uint64_t key) {
  std::span<const std::byte> rest = map_.bytes();
  if (rest.size() < sizeof footer_) return "the old one is damaged";
  std::memcpy(&footer_, rest.last(sizeof footer_).data(), sizeof footer_);
  if (footer_.magic != kMagic || footer_.footer_hash != hash_of(footer_)) return "the old one is damaged";
  if (footer_.key != key) return "the text, the tokenizers or the settings have changed";
  // The footer's checksum matches, so the sizes are as they were written and the sum does not overflow.
  if (rest.size() != footer_.pair_bytes + size_of_index(footer_) + sizeof footer_) return "the old one is damaged";
  rest = rest.subspan(footer_.pair_bytes);
  if (Hash().add(rest.data(), size_of_index(footer_)).value() != footer_.index_hash) return "the old one is damaged";
  starts_ = take<std::uint64_t>(rest, footer_.pairs + 1);
  lengths_ = take<PairLengths>(rest, footer_.pairs);
  lines_ = take<std::uint32_t>(rest, footer_.pairs);
  corpora_ = take<CorpusRecord>(rest, footer_.corpora);
  return "";
}

std::int64_t CacheFile::index_bytes() const { return static_cast<std::int64_t>(size_of_index(footer_)); }

std::string CacheFile::pair(std::int64_t pair) const {
  std::string bytes(starts_[pair + 1] - starts_[pair], '\0');
  map_.read(starts_[pair], bytes.data(), bytes.size());
  std::uint32_t check = 0;
  std::memcpy(&check, bytes.data(), sizeof check);
  bytes.erase(0, sizeof check);
  require<Error>(check == checksum(bytes), "the token cache '", path_.string(),
                 "' is damaged; delete it, and it will be made again.");
  return bytes;
}

}  // namespace dragoman::data
