// Turns sentences of token ids into the tokens of a ragged batch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/backend.h"

namespace dragoman::data {

using Sentence = std::vector<std::int32_t>;

// The tokens of a batch in host memory. Making them needs no backend.
struct HostTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> offsets, position, sentence;  // as in Segments
  std::int64_t longest = 0;
  std::int32_t first_sentence = 0;
  struct Index {
    std::vector<std::int32_t> tokens, starts, rows;  // as in TokenRows
  } index;

  std::int64_t B() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t R() const { return static_cast<std::int64_t>(ids.size()); }
};

struct TokenOptions {
  std::int64_t V = 0;               // ids are below this
  std::int32_t first_sentence = 0;  // number of the first sentence within the update
  bool zero_start = false;          // allow id 0 as the first token: the decoder starts from a zero vector
  bool index = true;                // attach the token -> rows index that the embedding's gradient needs
};

// Concatenates the sentences. Throws a UsageError if one is empty or has an id that is not in the vocabulary.
HostTokens make_host_tokens(std::span<const Sentence> sentences, const TokenOptions& options);

// Copies several lists of int32 to a device in one transfer: `add` them, `send` them, then take the arrays with `next`
// in the order in which they were added.
class Upload {
 public:
  void add(std::span<const std::int32_t> ids);
  // Allocates from the backend's arena.
  void send(Backend& on);
  Array next();

 private:
  std::vector<std::int32_t> all_;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts_;  // first element and count
  std::size_t taken_ = 0;                                     // parts that next() has returned
  Array sent_;
};

// Allocates from the backend's arena and from its host arena.
Tokens to_device(Backend& on, const HostTokens& tokens);
// to_device() in two halves: call add() before Upload::send() and received() after it.
void add(const HostTokens& tokens, Upload& upload);
Tokens received(Backend& on, const HostTokens& tokens, Upload& upload);
// make_host_tokens() and to_device() in one.
Tokens make_tokens(Backend& on, std::span<const Sentence> sentences, const TokenOptions& options);

// Copies int32 values into the backend's arena.
Array make_ids(Backend& on, std::span<const std::int32_t> ids);

}  // namespace dragoman::data
