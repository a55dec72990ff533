#include "dragoman/data/token_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/data/cache_file.h"
#include "dragoman/data/content_hash.h"
#include "dragoman/data/tokenise_corpora.h"

namespace dragoman::data {

namespace {

// While this object lives, other processes that open a cache in the directory wait, so that no two write the same file.
// On a file system without locks it has no effect.
class CacheLock {
 public:
  explicit CacheLock(const std::filesystem::path& directory)
      : file_(open_file(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }
  ~CacheLock() {
    if (file_ >= 0) ::close(file_);
  }
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  int file_;
};

void validate(const CacheRequest& request) {
  request.cleaning.validate();
  require<UsageError>(!request.files.empty(), "there is no text to train on: name a source and a target file.");
  for (const ParallelFiles& files : request.files) files.validate();
}

// A hash of everything that the cache's bytes depend on. The files' names and the weights are not part of it.
std::uint64_t key_of(const CacheRequest& request) {
  ContentHashes contents(request.directory / "contents");
  std::string parts = join("format ", kCacheFormat, " form ", static_cast<std::uint64_t>(form_of(request)));
  for (const ParallelFiles& files : request.files)
    parts += " files " + contents.of(files.source) + " " + (files.target.empty() ? "tabs" : contents.of(files.target));
  for (const text::Tokenizer* tokenizer : {&request.source, &request.target})
    parts += " tokenizer " + Hash().add(tokenizer->bytes()).hex();
  CleaningSettings cleaning = request.cleaning;
  cleaning.fields([&](std::string_view key, const auto& value, std::string_view) {
    parts += join(" ", key, " ", write_value(value));
  });
  const std::uint64_t key = Hash().add(parts).value();
  if (request.check) request.check(key);
  contents.save();
  return key;
}

void make_cache(const CacheRequest& request, const std::filesystem::path& path, std::uint64_t key) {
  CacheWriter writer(path, key, form_of(request));
  tokenise_corpora(request, writer);
  const CleaningCounts counts = writer.counts();
  require<UsageError>(counts.pairs > 0, "'", request.files[0].source, "' holds no sentences to train on.");
  require<UsageError>(counts.kept > 0, "no pair is left to train on: ", counts.why_none(request.cleaning));
  writer.finish();
}

// Reads the ids of one side and removes them from `bytes`.
template <class Id>
Sentence take_ids(std::string_view& bytes, std::size_t n) {
  Sentence ids(n);
  for (std::int32_t& id : ids) {
    Id stored = 0;
    std::memcpy(&stored, bytes.data(), sizeof stored);  // the address may be unaligned
    id = static_cast<std::int32_t>(stored);
    bytes.remove_prefix(sizeof stored);
  }
  return ids;
}

}  // namespace

struct TokenCache::File {
  CacheRequest request;
  std::uint64_t key = 0;
  std::unique_ptr<const CacheFile> cache;
  std::vector<WeightedRange> ranges;
};

TokenCache::TokenCache(std::unique_ptr<File> file) : file_(std::move(file)) {}
TokenCache::~TokenCache() = default;
TokenCache::TokenCache(TokenCache&&) noexcept = default;
TokenCache& TokenCache::operator=(TokenCache&&) noexcept = default;

TokenCache TokenCache::open(const CacheRequest& request) {
  validate(request);
  make_directory(request.directory);
  const CacheLock lock(request.directory);
  const std::filesystem::path path = request.directory / "tokens.cache";
  auto file = std::make_unique<File>(File{request, key_of(request), nullptr, {}});
  std::error_code ignored;
  std::filesystem::remove(unfinished_path(path), ignored);
  std::string problem;
  // Use the cache on disk if it fits; otherwise make a new one and open that.
  file->cache = CacheFile::open(path, file->key, problem);
  if (!file->cache) {
    if (request.message) request.message(join("making the token cache '", path.string(), "': ", problem, "."));
    std::filesystem::remove(path, ignored);  // first, so that the disk does not have to hold both
    make_cache(request, path, file->key);
    file->cache = CacheFile::open(path, file->key, problem);
    require<Error>(file->cache != nullptr, "the token cache '", path.string(), "' cannot be read back: ", problem, ".");
  }
  const std::span<const CorpusRecord> corpora = file->cache->corpora();
  for (std::size_t c = 0; c < corpora.size(); ++c) {
    file->ranges.push_back({.first = corpora[c].first,
                            .end = corpora[c].first + corpora[c].counts.kept,
                            .weight = request.files[c].weight});
  }
  return TokenCache(std::move(file));
}

std::int64_t TokenCache::pairs() const { return file_->cache->pairs(); }
std::span<const PairLengths> TokenCache::lengths() const { return file_->cache->lengths(); }

SentencePair TokenCache::pair(std::int64_t pair) const {
  if (keeps_text()) {
    const TextPair texts = text_pair(pair);
    return {source().with_end(source().encode(texts.source)), target().with_end(target().encode(texts.target))};
  }
  const auto [n_source, n_target] = lengths(pair);
  const std::string stored = file_->cache->pair(pair);
  std::string_view bytes = stored;
  const auto take = file_->cache->form() == PairForm::kIds16 ? take_ids<std::uint16_t> : take_ids<std::int32_t>;
  SentencePair ids;
  ids.source = take(bytes, n_source);
  ids.target = take(bytes, n_target);
  return ids;
}

TokenCache::TextPair TokenCache::text_pair(std::int64_t pair) const {
  assert(keeps_text() && "the cache was made without keep_text");
  const std::string stored = file_->cache->pair(pair);
  const std::size_t end = stored.find('\n');
  return {stored.substr(0, end), stored.substr(end + 1)};
}

bool TokenCache::keeps_text() const { return file_->cache->form() == PairForm::kText; }
std::int64_t TokenCache::corpora() const { return std::ssize(file_->ranges); }

std::int64_t TokenCache::corpus_of(std::int64_t pair) const {
  const auto after = std::ranges::upper_bound(file_->ranges, pair, {}, &WeightedRange::end);
  return after - file_->ranges.begin();
}

std::int64_t TokenCache::line_of(std::int64_t pair) const { return file_->cache->lines()[pair]; }
const ParallelFiles& TokenCache::files(std::int64_t corpus) const { return file_->request.files[corpus]; }
std::span<const WeightedRange> TokenCache::ranges() const { return file_->ranges; }
const CleaningCounts& TokenCache::counts(std::int64_t corpus) const { return file_->cache->corpora()[corpus].counts; }

CleaningCounts TokenCache::counts() const {
  CleaningCounts all;
  for (const CorpusRecord& corpus : file_->cache->corpora()) all += corpus.counts;
  return all;
}

const CleaningSettings& TokenCache::cleaning() const { return file_->request.cleaning; }
const text::Tokenizer& TokenCache::source() const { return file_->request.source; }
const text::Tokenizer& TokenCache::target() const { return file_->request.target; }
std::uint64_t TokenCache::key() const { return file_->key; }
std::int64_t TokenCache::index_bytes() const { return file_->cache->index_bytes(); }

}  // namespace dragoman::data
