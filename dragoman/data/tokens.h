// Sentences as token ids, and how they become the tokens of a ragged batch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/backend.h"

namespace dragoman::data {

using Sentence = std::vector<std::int32_t>;

// The tokens of a batch in memory of the host, made without a backend.
struct HostTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> offsets, position, sentence;  // as in Segments
  std::int64_t longest = 0;
  struct Index {
    std::vector<std::int32_t> tokens, starts, rows;  // as in TokenRows
  } index;

  std::int64_t B() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t R() const { return static_cast<std::int64_t>(ids.size()); }
};

struct TokenOptions {
  std::int64_t V = 0;               // ids are below this
  std::int32_t first_sentence = 0;  // the number of the first sentence within the update
  bool zero_start = false;          // id 0 may stand first: the decoder's start from a zero vector
  bool index = true;                // attach the token -> rows index that the embedding's gradient needs
};

// Stacks the sentences. Throws UsageError if one has no tokens, or has an id that is not a token of the vocabulary.
HostTokens make_host_tokens(std::span<const Sentence> sentences, const TokenOptions& options);

// Brings lists of int32 to a device in one copy: `add` them, `send` them, and take the arrays by `next` in the order in
// which they were added.
class Upload {
 public:
  void add(std::span<const std::int32_t> ids);
  // In memory of the backend's arena.
  void send(Backend& on);
  Array next();

 private:
  std::vector<std::int32_t> all_;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts_;  // first element and count
  std::size_t given_ = 0;
  Array sent_;
};

// In memory of the backend's arena.
Tokens to_device(Backend& on, const HostTokens& tokens);
// In two halves, around `send`.
void add(const HostTokens& tokens, Upload& upload);
Tokens received(const HostTokens& tokens, Upload& upload);
// Both in one.
Tokens make_tokens(Backend& on, std::span<const Sentence> sentences, const TokenOptions& options);

// int32 values in memory of the backend's arena.
Array make_ids(Backend& on, std::span<const std::int32_t> ids);

}  // namespace dragoman::data
