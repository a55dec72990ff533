#include "dragoman/data/tokens.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "dragoman/base/error.h"

namespace dragoman::data {

namespace {

void check(std::span<const Sentence> sentences, const TokenOptions& options) {
  std::size_t R = 0;
  for (std::size_t b = 0; b < sentences.size(); ++b) {
    require<UsageError>(!sentences[b].empty(), "sentence ", b + 1, " of the batch has no tokens.");
    for (std::size_t i = 0; i < sentences[b].size(); ++i) {
      const std::int32_t id = sentences[b][i], first = options.zero_start && i == 0 ? kPad : kPad + 1;
      require<UsageError>(id >= first && id < options.V, "sentence ", b + 1, " of the batch has the token id ", id,
                          ", but the vocabulary's tokens are ", first, " to ", options.V - 1, ".");
    }
    R += sentences[b].size();
    require<UsageError>(R < std::numeric_limits<std::int32_t>::max(), "a batch of ", R, " tokens is too large.");
  }
}

// Counting sort of the rows by token. Rows are placed in ascending order, so the rows of one token stay sorted.
HostTokens::Index make_index(std::span<const std::int32_t> ids, std::int64_t V) {
  std::vector<std::int32_t> next(V, 0);  // first the count of each token, then where its next row goes
  for (const std::int32_t id : ids) ++next[id];
  HostTokens::Index index;
  std::int32_t start = 0;
  for (std::int64_t token = 0; token < V; ++token) {
    const std::int32_t count = next[token];
    next[token] = start;
    if (count == 0) continue;
    index.tokens.push_back(static_cast<std::int32_t>(token));
    index.starts.push_back(start);
    start += count;
  }
  index.starts.push_back(start);
  index.rows.resize(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r) index.rows[next[ids[r]]++] = static_cast<std::int32_t>(r);
  return index;
}

}  // namespace

HostTokens make_host_tokens(std::span<const Sentence> sentences, const TokenOptions& options) {
  check(sentences, options);
  HostTokens tokens;
  tokens.offsets.push_back(0);
  tokens.first_sentence = options.first_sentence;
  for (std::size_t b = 0; b < sentences.size(); ++b) {
    const Sentence& sentence = sentences[b];
    tokens.longest = std::max(tokens.longest, static_cast<std::int64_t>(sentence.size()));
    tokens.ids.insert(tokens.ids.end(), sentence.begin(), sentence.end());
    tokens.offsets.push_back(static_cast<std::int32_t>(tokens.ids.size()));
    tokens.position.resize(tokens.ids.size());
    std::iota(tokens.position.end() - static_cast<std::ptrdiff_t>(sentence.size()), tokens.position.end(), 0);
    tokens.sentence.resize(tokens.ids.size(), options.first_sentence + static_cast<std::int32_t>(b));
  }
  if (options.index) tokens.index = make_index(tokens.ids, options.V);
  return tokens;
}

void Upload::add(std::span<const std::int32_t> ids) {
  constexpr std::size_t kAlignment = Arena::kAlignment / sizeof(std::int32_t);
  parts_.emplace_back(all_.size(), ids.size());
  all_.insert(all_.end(), ids.begin(), ids.end());
  all_.resize((all_.size() + kAlignment - 1) / kAlignment * kAlignment);
}

void Upload::send(Backend& on) { sent_ = make_ids(on, all_); }

Array Upload::next() {
  const auto [first, count] = parts_[taken_++];
  return sent_.columns(first, count);
}

void add(const HostTokens& host, Upload& upload) {
  for (const auto* list : {&host.offsets, &host.position, &host.sentence, &host.ids}) upload.add(*list);
  if (host.index.starts.empty()) return;
  for (const auto* list : {&host.index.tokens, &host.index.starts, &host.index.rows}) upload.add(*list);
}

Tokens received(Backend& on, const HostTokens& host, Upload& upload) {
  Tokens tokens;
  Segments& segments = tokens.segments;
  segments.B = host.B();
  segments.R = host.R();
  segments.longest = host.longest;
  segments.first_sentence = host.first_sentence;
  auto* offsets = static_cast<std::int32_t*>(on.host_arena().push(host.offsets.size() * sizeof(std::int32_t)));
  std::ranges::copy(host.offsets, offsets);
  segments.host_offsets = offsets;
  for (Array* array : {&segments.offsets, &segments.position, &segments.sentence, &tokens.ids}) *array = upload.next();
  if (host.index.starts.empty()) return tokens;
  for (Array* array : {&tokens.index.tokens, &tokens.index.starts, &tokens.index.rows}) *array = upload.next();
  return tokens;
}

Tokens to_device(Backend& on, const HostTokens& host) {
  Upload upload;
  add(host, upload);
  upload.send(on);
  return received(on, host, upload);
}

Tokens make_tokens(Backend& on, std::span<const Sentence> sentences, const TokenOptions& options) {
  return to_device(on, make_host_tokens(sentences, options));
}

Array make_ids(Backend& on, std::span<const std::int32_t> ids) {
  Array array = on.empty({static_cast<std::int64_t>(ids.size())}, DType::kInt32);
  on.copy_in(ids.data(), array);
  return array;
}

}  // namespace dragoman::data
