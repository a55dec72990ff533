// How another program's vocabulary becomes ours, in which the special tokens have fixed ids: the order of its rows, and
// the pieces of a SentencePiece model with these ids.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/foreign/dictionary.h"
#include "dragoman/text/model_file.h"

namespace dragoman::model::foreign {

// Their special tokens. Those without a name need not be in the dictionary.
struct SpecialTokens {
  std::string end = "</s>", unknown = "<unk>";
  std::optional<std::string> pad = std::nullopt, begin = std::nullopt;
};

struct VocabularyPlan {
  struct Row {
    std::string token;
    std::optional<std::int32_t> from;  // their id; nothing for a row of zeros
    bool is_offered = true;            // whether the token takes part in the softmax
  };
  std::vector<Row> rows;           // by our ids
  std::size_t unknown_pieces = 0;  // rows at the end for pieces that the dictionary lacks

  // Rows one after the other in our order that are so in theirs, or rows of zeros.
  struct Run {
    std::optional<std::int32_t> from;
    std::int64_t count = 0;
  };
  // Calls take(run) for all rows in our order, in runs of at most `longest` rows.
  void each_run(std::int64_t longest, const std::function<void(const Run&)>& take) const;
  // Throws an Error that begins with `where` unless `count` of their rows are enough.
  void require_rows(std::int64_t count, std::string_view where) const;
  // The output bias in our order. Tokens that are not offered get -1e30, so that their probability is 0. If `values` is
  // empty, the others get 0.
  std::vector<float> output_bias(const std::vector<float>& values, std::string_view where) const;
};

enum class Padding : std::uint8_t {
  kAbsent,     // <pad> and <s> are never offered: rows of zeros
  kInSoftmax,  // the rows of those that have a name take part in the softmax, as in fairseq
};

// Our special tokens, then all other tokens in their order. `sides` are the SentencePiece models that text is cut with.
// A piece that the dictionary lacks gets a row at the end that equals that of <unk> and is not offered. Throws an Error
// that begins with `where` if the dictionary lacks a special token.
VocabularyPlan plan_vocabulary(const Dictionary& dictionary, const SpecialTokens& special, Padding padding,
                               std::span<const text::ModelFile> sides, std::string_view where);

// The SentencePiece model of one side with the words of the plan: pieces that it has keep their scores, the others are
// never produced, and those that the dictionary lacks are unknown. `bytes` is its file, and `name` stands for the file
// in messages.
std::string planned_model(const VocabularyPlan& plan, std::string_view bytes, const std::string& name);

}  // namespace dragoman::model::foreign
