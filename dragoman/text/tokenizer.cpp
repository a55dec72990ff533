#include "dragoman/text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/pieces/piece_model.h"
#include "dragoman/text/stretches.h"
#include "dragoman/text/vocabulary_limits.h"

namespace dragoman::text {
namespace {

constexpr bool is_special(std::int32_t id) { return id == kPad || id == kBos || id == kEos; }

// SentencePiece puts no tab into a vocabulary, so every tab would be unknown.
std::string without_tabs(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '\t', ' ');
  return result;
}

// SentencePiece uses some two hundred bytes of memory for each byte of a text, so a long text is encoded in stretches.
// A stretch that ends between words gives the same tokens as it does within the whole text.
constexpr std::size_t kStretchBytes = 1 << 16;

template <class Encode>
std::vector<std::int32_t> encode_stretches(std::string_view text, Encode&& encode) {
  if (text.size() <= kStretchBytes) return encode(text);
  std::vector<std::int32_t> ids;
  const auto add = [&](std::string_view stretch) {
    const std::vector<std::int32_t> part = encode(stretch);
    ids.insert(ids.end(), part.begin(), part.end());
  };
  while (text.size() > kStretchBytes) {
    std::string_view stretch = text.substr(0, first_stretch(text, kStretchBytes));
    text.remove_prefix(stretch.size());
    if (stretch.ends_with(' ')) stretch.remove_suffix(1);  // SentencePiece adds a space before the next stretch
    add(stretch);
  }
  add(text);
  return ids;
}

}  // namespace

struct Tokenizer::Model {
  std::string bytes;
  std::unique_ptr<const PieceModel> pieces;
};

Tokenizer Tokenizer::load(const std::string& path) {
  return load(path, {.bytes = 64 << 20, .words = 1'000'000});  // of the largest vocabulary that is learned
}

Tokenizer Tokenizer::load(const std::string& path, const VocabularyLimits& limits) {
  std::string bytes = read_plain_file(path, limits.bytes);
  limits.require_words(is_bpe(bytes) ? most_json_values(bytes) : count_pieces(bytes, path), join("'", path, "'"));
  return from_bytes(std::move(bytes), path);
}

Tokenizer Tokenizer::from_bytes(std::string bytes, const std::string& name) {
  auto pieces = is_bpe(bytes) ? read_bpe(bytes, name) : read_sentencepiece(bytes, name);
  return Tokenizer(std::make_shared<const Model>(Model{std::move(bytes), std::move(pieces)}));
}

const PieceModel& Tokenizer::pieces() const { return *model_->pieces; }

std::int64_t Tokenizer::size() const { return pieces().size(); }

std::optional<std::int32_t> Tokenizer::first() const { return pieces().first(); }

std::int32_t Tokenizer::checked(std::int32_t id) const {
  require<ShapeError>(id >= 0 && id < size(), "tokenizer: there is no token ", id, "; the vocabulary has ", size(),
                      " tokens.");
  return id;
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  return completed(
      encode_stretches(without_tabs(text), [&](std::string_view stretch) { return pieces().encode(stretch); }));
}

std::vector<std::int32_t> Tokenizer::with_end(std::vector<std::int32_t> ids) const {
  if (pieces().has_end()) ids.push_back(kEos);
  return ids;
}

std::vector<std::int32_t> Tokenizer::sample(std::string_view text, double amount, RandomStream& random) const {
  require<UsageError>(amount >= 0 && amount <= 1, "the amount of sampling is ", amount, "; it must be from 0 to 1.");
  if (amount == 0) return encode(text);
  return completed(encode_stretches(
      without_tabs(text), [&](std::string_view stretch) { return pieces().sample(stretch, amount, random); }));
}

std::vector<std::int32_t> Tokenizer::completed(std::vector<std::int32_t> ids) const {
  // The text "<s>" must not become a special token. A model that puts no space before the first word would find it in
  // its vocabulary.
  std::ranges::replace_if(ids, is_special, kUnk);
  if (first() && !ids.empty()) ids.insert(ids.begin(), *first());
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  if (!ids.empty() && ids.front() == first()) ids = ids.subspan(1);
  std::vector<std::int32_t> shown;
  for (const std::int32_t id : ids) {
    if (!is_special(checked(id))) shown.push_back(id);
  }
  std::string text = pieces().decode(shown);
  // Single-byte tokens may spell a line feed, but the result must stay one line.
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

const std::string& Tokenizer::piece(std::int32_t id) const { return pieces().piece(checked(id)); }

std::string Tokenizer::piece_after(std::int32_t previous, std::int32_t id) const {
  return pieces().piece_after(checked(previous), checked(id));
}

std::optional<std::int32_t> Tokenizer::id(std::string_view piece) const { return pieces().id(piece); }

bool Tokenizer::is_byte(std::int32_t id) const { return pieces().is_byte(checked(id)); }

bool Tokenizer::begins_word(std::int32_t previous, std::int32_t id) const {
  return pieces().begins_word(checked(previous), checked(id));
}

const std::string& Tokenizer::bytes() const { return model_->bytes; }

}  // namespace dragoman::text
