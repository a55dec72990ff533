// Text to token ids and back: SentencePiece, with the special ids of every vocabulary in their places.
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

enum class TokenizerKind : std::uint8_t { kBpe, kUnigram, kChar, kWord };
constexpr std::array<std::string_view, 4> names(TokenizerKind) { return {"bpe", "unigram", "char", "word"}; }

// What happens to text before it is cut. The identity keeps every character; the others are Unicode's NFKC, with the
// rules for translation, with case folded, or both. (NFKC rewrites Chinese punctuation.)
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
    field("tokenizer", kind, "how the vocabulary is made: subwords by merges or by likelihood, characters, or words");
    field("normalisation", normalisation, "what is done to text before it is cut into tokens");
    field("byte-fallback", byte_fallback, "spell characters that are not in the vocabulary as bytes");
    field("character-coverage", character_coverage, "share of the text's characters that the vocabulary must hold");
    field("tokenizer-sentences", sentences, "sentences, drawn at random, that the vocabulary is learned from");
  }

  // Throws a UsageError for settings that make no tokenizer.
  void validate() const;
};

// Immutable, cheap to copy, and safe to use from many threads.
class Tokenizer {
 public:
  // Throws an Error that names the file if it cannot be read, is no SentencePiece model, or has other special ids.
  static Tokenizer load(const std::string& path);
  // `name` stands for the file in messages.
  static Tokenizer from_bytes(std::string bytes, const std::string& name);

  std::int64_t size() const;  // ids are below this

  // Without BOS and EOS; never kPad. Empty for text that holds nothing but spaces. Any bytes will do: a tab is a space,
  // and what is not UTF-8 is U+FFFD. A text of more than 32 KiB is cut as first_stretch() says before it is encoded:
  // that makes no difference unless it holds a word of that length, which becomes several.
  std::vector<std::int32_t> encode(std::string_view text) const;
  // One of the many ways to cut the text, drawn by `random`: with bpe, merges are left out with probability `amount`;
  // with unigram, a cut is drawn from its probability to the power of (1 - amount) / amount. Other kinds have one way
  // only, and 0 always gives encode()'s. Requires 0 <= amount <= 1.
  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const;

  // Special ids are left out, and kUnk is U+2047 between spaces. Throws a ShapeError for an id that is none.
  std::string decode(std::span<const std::int32_t> ids) const;

  // The text of one token; a space is U+2581.
  const std::string& piece(std::int32_t id) const;
  // Whether it stands for one byte of a character that is spelled out.
  bool is_byte(std::int32_t id) const;
  // The token with that text, if there is one.
  std::optional<std::int32_t> id(std::string_view piece) const;
  // Whether the token begins a word.
  bool begins_word(std::int32_t id) const;

  // The file's contents.
  const std::string& bytes() const;

 private:
  struct Model;
  explicit Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

// Gives the next sentence, or false when there is none.
using NextSentence = std::function<bool(std::string& sentence)>;

// What learning a vocabulary may take.
struct LearningLimits {
  std::size_t memory = 0;                                         // bytes; 0 for no limit
  std::function<void(const std::string& sentence)> message = {};  // told if less text is used because of it
};

// Learns a vocabulary of `vocabulary` tokens, special ones among them, from the sentences; fewer if the text does not
// hold that many. The same sentences, settings, seed and limits give the same bytes. No more than 100 MB of text are
// used, and no more than the memory allows, drawn at random like the sentences. Throws a UsageError if there is no text
// or its characters alone need more tokens, and a MemoryError if the memory does not allow a single sentence.
Tokenizer train_tokenizer(const TokenizerSettings& settings, std::int64_t vocabulary, std::uint64_t seed,
                          const NextSentence& next, const LearningLimits& limits = {});

}  // namespace dragoman::text
