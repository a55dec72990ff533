// What a Tokenizer is made of: a vocabulary, and a way to cut text into pieces that it lists. There is one kind for
// SentencePiece models and one for BPE codes with a dictionary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::text {

// Immutable. All ids that are passed must be below size(), and the first four are our special tokens. Tokenizer has the
// contracts of these functions.
class PieceModel {
 public:
  virtual ~PieceModel() = default;

  virtual std::int64_t size() const = 0;
  virtual std::optional<std::int32_t> first() const { return std::nullopt; }
  virtual bool has_end() const { return true; }  // whether sentences end with EOS
  virtual const std::string& piece(std::int32_t id) const = 0;
  virtual std::string piece_after(std::int32_t previous, std::int32_t id) const = 0;
  virtual std::optional<std::int32_t> id(std::string_view piece) const = 0;
  virtual bool is_byte(std::int32_t) const { return false; }
  virtual bool begins_word(std::int32_t previous, std::int32_t id) const = 0;

  // The text has no tabs and at most 64 KiB. The result may have special ids, which Tokenizer makes unknown.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  virtual std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const = 0;
  // The ids have no special ones except kUnk.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
};

// These read the contents of a file. They throw an Error that begins with `name` in quotes if it is damaged, or if the
// special ids are not ours.
std::unique_ptr<const PieceModel> read_sentencepiece(const std::string& bytes, const std::string& name);
std::unique_ptr<const PieceModel> read_bpe(const std::string& bytes, const std::string& name);

// Whether these bytes are for read_bpe(): an object of JSON, with which no SentencePiece model begins.
bool is_bpe(std::string_view bytes);
// The file of a BPE model: the contents of a file of codes (BpeCodes), and all tokens in the order of their ids.
std::string bpe_file(std::string_view codes, const std::vector<std::string>& tokens);

}  // namespace dragoman::text
