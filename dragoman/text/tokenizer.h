// Converts text to token ids and back, with SentencePiece or with BPE codes. The special ids are the same in every
// vocabulary.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::text {

// U+2581 stands for a space in pieces.
inline constexpr std::string_view kSpace = "\xE2\x96\x81";

enum class TokenizerKind : std::uint8_t { kBpe, kUnigram, kChar, kWord };
constexpr std::array<std::string_view, 4> names(TokenizerKind) { return {"bpe", "unigram", "char", "word"}; }

// What is done to text before it is cut. The identity keeps every character; the others are Unicode's NFKC, alone or
// with SentencePiece's rules for translation, with case folding, or with both. (NFKC rewrites Chinese punctuation.)
enum class Normalisation : std::uint8_t { kIdentity, kNfkc, kNmtNfkc, kNfkcCaseFold, kNmtNfkcCaseFold };
constexpr std::array<std::string_view, 5> names(Normalisation) {
  return {"identity", "nfkc", "nmt-nfkc", "nfkc-case-fold", "nmt-nfkc-case-fold"};
}

struct TokenizerSettings {
  TokenizerKind kind = TokenizerKind::kBpe;
  Normalisation normalisation = Normalisation::kIdentity;
  bool byte_fallback = false;
  double character_coverage = 1.0;
  int sentences = 1'000'000;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("tokenizer", kind,
          "kind of tokens: subwords by merges (bpe) or by likelihood (unigram), characters, or words");
    field("normalisation", normalisation, "what is done to text before it is cut into tokens");
    field("byte-fallback", byte_fallback, "spell characters that are not in the vocabulary as bytes");
    field("character-coverage", character_coverage, "share of the text's characters that the vocabulary must cover");
    field("tokenizer-sentences", sentences, "number of sentences, drawn at random, to learn the vocabulary from");
  }

  // Throws a UsageError if no tokenizer can be made with these settings.
  void validate() const;
};

class PieceModel;
struct VocabularyLimits;

// Immutable, cheap to copy, and safe to use from many threads.
class Tokenizer {
 public:
  // The file is a SentencePiece model, or BPE codes with their dictionary (bpe_file in pieces/piece_model.h). Throws an
  // Error that names the file if it cannot be read, is damaged, or has other special ids.
  static Tokenizer load(const std::string& path);
  // The same, but refuses a larger vocabulary before it takes memory for it.
  static Tokenizer load(const std::string& path, const VocabularyLimits& limits);
  // `name` stands for the file in messages.
  static Tokenizer from_bytes(std::string bytes, const std::string& name);

  std::int64_t size() const;  // ids are below this

  // The token that every sentence begins with, such as the code of a language (see with_first_piece in model_file.h);
  // most vocabularies have none. encode() and sample() put it before the tokens of a text, and decode() leaves it out.
  std::optional<std::int32_t> first() const;

  // Returns no BOS, EOS or kPad; empty if the text is empty or all spaces. Accepts any bytes: a tab counts as a space,
  // and bytes that are not UTF-8 as U+FFFD. A text of more than 64 KiB is encoded in stretches, as first_stretch() cuts
  // it; this makes no difference unless a single word is that long, which is then cut into several. Text that cannot be
  // cut into pieces is kUnk, except if it is a piece that is never produced otherwise (PieceKind::kUnused).
  // Pieces that the vocabulary lacks are kUnk, too (see with_unknown_pieces in model_file.h).
  std::vector<std::int32_t> encode(std::string_view text) const;
  // The tokens of a sentence as models read it: with EOS at its end, except for the sources of some imported models
  // (see without_end in model_file.h).
  std::vector<std::int32_t> with_end(std::vector<std::int32_t> ids) const;
  // One of the many ways to cut the text, drawn with `random`. With bpe, merges are left out with probability `amount`;
  // with unigram, a cut is drawn with its probability to the power of (1 - amount) / amount. The other kinds have only
  // one way to cut. An amount of 0 gives the same as encode(). Requires 0 <= amount <= 1.
  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const;

  // Skips special ids and writes kUnk as U+2047 between spaces. Throws a ShapeError for an id outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  // The text of one token as it is in the vocabulary. In SentencePiece models U+2581 stands for a space; with BPE codes
  // "@@" at the end says that the word goes on.
  const std::string& piece(std::int32_t id) const;
  // The text of the token as it follows `previous` (kBos at the beginning), with U+2581 for a space.
  std::string piece_after(std::int32_t previous, std::int32_t id) const;
  // Whether the token is a single byte of a character that is spelled in bytes.
  bool is_byte(std::int32_t id) const;
  // The token with this text, if there is one.
  std::optional<std::int32_t> id(std::string_view piece) const;
  // Whether the token begins a word if it follows `previous` (kBos at the beginning).
  bool begins_word(std::int32_t previous, std::int32_t id) const;

  // The file's contents.
  const std::string& bytes() const;

 private:
  struct Model;
  const PieceModel& pieces() const;
  std::int32_t checked(std::int32_t id) const;
  std::vector<std::int32_t> completed(std::vector<std::int32_t> ids) const;
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

// Stores the next sentence and returns true, or returns false at the end.
using NextSentence = std::function<bool(std::string& sentence)>;

// The memory that learning a vocabulary may use.
struct LearningLimits {
  std::size_t memory = 0;                                         // bytes; 0 for no limit
  std::function<void(const std::string& sentence)> message = {};  // called if the limit makes it use less text
};

// Learns a vocabulary of `vocabulary` tokens, including the special ones, from the sentences; a smaller one if the text
// does not contain that many. The same sentences, settings, seed and limits give the same bytes. At most 100 MB of text
// are used, and at most as much as the memory allows; the sentences are drawn at random. Throws a UsageError if there
// is no text or its characters alone need more tokens, and a MemoryError if the memory is too small for a single
// sentence.
Tokenizer train_tokenizer(const TokenizerSettings& settings, std::int64_t vocabulary, std::uint64_t seed,
                          const NextSentence& next, const LearningLimits& limits = {});

}  // namespace dragoman::text
