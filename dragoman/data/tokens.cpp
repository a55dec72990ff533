#include "dragoman/data/tokens.h"

#include <algorithm>
#include <limits>

#include "dragoman/base/error.h"

namespace dragoman::data {

namespace {

// Host memory of the step, in which index arrays are put together before they go to the device.
std::span<std::int32_t> staging(Backend& on, std::int64_t count) {
  auto* start =
      static_cast<std::int32_t*>(on.host_arena().push(static_cast<std::size_t>(count) * sizeof(std::int32_t)));
  return {start, static_cast<std::size_t>(count)};
}

void check(std::span<const Sentence> sentences, const TokenOptions& options) {
  for (std::size_t b = 0; b < sentences.size(); ++b) {
    require<UsageError>(!sentences[b].empty(), "sentence ", b + 1, " of the batch has no tokens.");
    for (std::size_t i = 0; i < sentences[b].size(); ++i) {
      const std::int32_t id = sentences[b][i], first = options.zero_start && i == 0 ? kPad : kPad + 1;
      require<UsageError>(id >= first && id < options.V, "sentence ", b + 1, " of the batch has the token id ", id,
                          ", but the vocabulary's tokens are ", first, " to ", options.V - 1, ".");
    }
  }
}

Segments make_segments(Backend& on, std::span<const Sentence> sentences, std::int32_t first_sentence) {
  Segments segments;
  segments.B = static_cast<std::int64_t>(sentences.size());
  const auto offsets = staging(on, segments.B + 1);
  offsets[0] = 0;
  for (std::int64_t b = 0; b < segments.B; ++b) {
    const auto n = static_cast<std::int64_t>(sentences[b].size());
    segments.longest = std::max(segments.longest, n);
    segments.R += n;
    require<UsageError>(segments.R < std::numeric_limits<std::int32_t>::max(), "a batch of ", segments.R,
                        " tokens is too large.");
    offsets[b + 1] = static_cast<std::int32_t>(segments.R);
  }
  const auto position = staging(on, segments.R), sentence = staging(on, segments.R);
  for (std::int64_t b = 0; b < segments.B; ++b) {
    for (std::int32_t r = offsets[b]; r < offsets[b + 1]; ++r) {
      position[r] = r - offsets[b];
      sentence[r] = first_sentence + static_cast<std::int32_t>(b);
    }
  }
  segments.offsets = make_ids(on, offsets);
  segments.position = make_ids(on, position);
  segments.sentence = make_ids(on, sentence);
  return segments;
}

// Sorts the rows by token; rows of one token stay in rising order because the key holds both.
TokenRows make_index(Backend& on, std::span<const std::int32_t> ids) {
  const auto R = static_cast<std::int64_t>(ids.size());
  auto* start = static_cast<std::uint64_t*>(on.host_arena().push(ids.size() * sizeof(std::uint64_t)));
  const std::span<std::uint64_t> keys(start, ids.size());
  for (std::int64_t r = 0; r < R; ++r)
    keys[r] = static_cast<std::uint64_t>(ids[r]) << 32 | static_cast<std::uint64_t>(r);
  std::ranges::sort(keys);

  const auto tokens = staging(on, R), starts = staging(on, R + 1), rows = staging(on, R);
  std::int64_t U = 0;
  for (std::int64_t r = 0; r < R; ++r) {
    const auto token = static_cast<std::int32_t>(keys[r] >> 32);
    if (U == 0 || tokens[U - 1] != token) {
      tokens[U] = token;
      starts[U++] = static_cast<std::int32_t>(r);
    }
    rows[r] = static_cast<std::int32_t>(keys[r] & 0xFFFFFFFFu);
  }
  starts[U] = static_cast<std::int32_t>(R);
  return {make_ids(on, tokens.first(U)), make_ids(on, starts.first(U + 1)), make_ids(on, rows)};
}

}  // namespace

Array make_ids(Backend& on, std::span<const std::int32_t> ids) {
  Array array = on.empty({static_cast<std::int64_t>(ids.size())}, DType::kInt32);
  on.copy_in(ids.data(), array);
  return array;
}

Tokens make_tokens(Backend& on, std::span<const Sentence> sentences, const TokenOptions& options) {
  check(sentences, options);
  Tokens tokens;
  const ArenaScope staged(on.host_arena());
  tokens.segments = make_segments(on, sentences, options.first_sentence);
  const auto ids = staging(on, tokens.segments.R);
  auto next = ids.begin();
  for (const Sentence& sentence : sentences) next = std::ranges::copy(sentence, next).out;
  tokens.ids = make_ids(on, ids);
  if (options.index) tokens.index = make_index(on, ids);
  return tokens;
}

}  // namespace dragoman::data
