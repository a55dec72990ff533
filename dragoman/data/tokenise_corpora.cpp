#include "dragoman/data/tokenise_corpora.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/threads.h"
#include "dragoman/data/parallel_text.h"

namespace dragoman::data {

namespace {

// All threads tokenize a chunk together. A chunk ends at either limit, so that long lines do not fill the memory.
constexpr std::size_t kChunkPairs = 16'384, kChunkBytes = 16 << 20;
constexpr std::int64_t kPiecePairs = 64;  // pairs that one thread takes at a time

struct TokenizedPair {
  std::string source, target;
  std::int64_t line = 0;

  Verdict verdict = Verdict::kKept;
  PairLengths lengths;
  std::string stored;  // the bytes for the cache
};

// Reuses its pairs, so that their strings keep their memory from chunk to chunk.
struct Chunk {
  std::vector<TokenizedPair> pairs = std::vector<TokenizedPair>(kChunkPairs);
  std::size_t count = 0;

  void read(ParallelReader& reader) {
    count = 0;
    for (std::size_t bytes = 0; count < kChunkPairs && bytes < kChunkBytes; ++count) {
      TokenizedPair& pair = pairs[count];
      if (!reader.next(pair.source, pair.target)) break;
      pair.line = reader.line();
      require<Error>(pair.line <= std::numeric_limits<std::uint32_t>::max(),
                     "a corpus has more than 4,294,967,295 lines; split it.");
      bytes += pair.source.size() + pair.target.size();
    }
  }
};

template <class Id>
void append_ids(const std::vector<std::int32_t>& ids, std::string& stored) {
  const auto append = [&](std::int32_t id) {
    const auto value = static_cast<Id>(id);
    stored.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const std::int32_t id : ids) append(id);
}

void tokenize(const CacheRequest& request, PairForm form, TokenizedPair& pair) {
  std::vector<std::int32_t> source = request.source.encode(pair.source);
  std::vector<std::int32_t> target = request.target.encode(pair.target);
  pair.verdict = judge(request.cleaning, std::ssize(source), std::ssize(target));
  if (pair.verdict != Verdict::kKept) return;
  source = request.source.with_end(std::move(source));
  target = request.target.with_end(std::move(target));
  pair.lengths = {static_cast<std::uint16_t>(source.size()), static_cast<std::uint16_t>(target.size())};
  pair.stored.clear();
  if (form == PairForm::kText) {
    pair.stored.append(pair.source).append("\n").append(pair.target);
  } else {
    for (const auto& ids : {source, target})
      form == PairForm::kIds16 ? append_ids<std::uint16_t>(ids, pair.stored)
                               : append_ids<std::int32_t>(ids, pair.stored);
  }
}

void store(const Chunk& chunk, CacheWriter& writer) {
  for (std::size_t i = 0; i < chunk.count; ++i) {
    const TokenizedPair& pair = chunk.pairs[i];
    if (pair.verdict == Verdict::kKept)
      writer.add(pair.stored, pair.lengths, static_cast<std::uint32_t>(pair.line));
    else
      writer.drop(pair.verdict);
  }
}

}  // namespace

PairForm form_of(const CacheRequest& request) {
  if (request.keep_text) return PairForm::kText;
  const std::int64_t V = std::max(request.source.size(), request.target.size());
  return V <= std::int64_t{1} << 16 ? PairForm::kIds16 : PairForm::kIds32;
}

void tokenise_corpora(const CacheRequest& request, CacheWriter& writer) {
  ThreadTeam team(threads_for(request.threads));
  const PairForm form = form_of(request);
  Chunk chunk, following;
  std::int64_t done = 0;
  for (const ParallelFiles& files : request.files) {
    writer.begin_corpus();
    ParallelReader reader(files);
    chunk.read(reader);
    while (chunk.count > 0) {
      // Piece 0 reads (and unpacks) the next chunk, while the other pieces tokenize the current one.
      const std::int64_t pieces = (static_cast<std::int64_t>(chunk.count) + kPiecePairs - 1) / kPiecePairs;
      run_guarded(team, 1 + pieces, [&](std::int64_t piece) {
        if (piece == 0) return following.read(reader);
        const std::size_t first = static_cast<std::size_t>((piece - 1) * kPiecePairs);
        const std::size_t last = std::min(first + kPiecePairs, chunk.count);
        for (std::size_t i = first; i < last; ++i) tokenize(request, form, chunk.pairs[i]);
      });
      store(chunk, writer);
      done += static_cast<std::int64_t>(chunk.count);
      if (request.progress) request.progress(done);
      std::swap(chunk, following);
    }
  }
}

}  // namespace dragoman::data
