// Reads the vocabularies of other programs: lists of tokens whose places are their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::model::foreign {

class Dictionary {
 public:
  // Throws an Error that begins with `where` if a token is there twice.
  Dictionary(std::vector<std::string> tokens, std::string_view where);

  const std::vector<std::string>& tokens() const { return tokens_; }
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::optional<std::int32_t> id(const std::string& token) const;
  // Adds a token at the end. Throws an Error that begins with `where` if it is there already.
  void append(std::string token, std::string_view where);

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

// All readers throw an Error that begins with `where` if the text is not such a vocabulary.
// fairseq's dict.txt: a token and its count in each line. The special tokens <s>, <pad>, </s> and <unk> come first.
Dictionary parse_fairseq_dictionary(std::string_view text, std::string_view where);
// The vocab.json of Marian and M2M100 in Transformers: an object of tokens and their ids, which are 0, 1, 2, ... in any
// order.
Dictionary parse_vocab_json(std::string_view text, std::string_view where);
// CTranslate2's vocabularies: a list of strings (.json), or a token in each line (.txt). `unknown` is added if it is
// missing.
Dictionary parse_ctranslate2_vocabulary_json(std::string_view text, const std::string& unknown, std::string_view where);
Dictionary parse_ctranslate2_vocabulary_text(std::string_view text, const std::string& unknown, std::string_view where);

// The languages of M2M100 in the order of their ids, which follow those of vocab.json: "af", "am", ... The token of a
// language is m2m100_token(): "__af__".
std::span<const std::string_view> m2m100_languages();
std::string m2m100_token(std::string_view language);

}  // namespace dragoman::model::foreign
