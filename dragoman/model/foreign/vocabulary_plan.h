// How another program's vocabulary becomes ours, in which the special tokens have fixed ids: the order of its rows, and
// the pieces of a SentencePiece model with these ids.
#pragma once

#include <cstdint>
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

  // The rows of a matrix with a row of `width` values for each of their tokens, or of a bias (width 1), in our order.
  // Throws an Error that begins with `where` if it has too few rows.
  std::vector<float> permuted(const std::vector<float>& values, std::int64_t width, std::string_view where) const;
  // The same for the output bias. Tokens that are not offered get -1e30, so that their probability is 0. If `values` is
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
