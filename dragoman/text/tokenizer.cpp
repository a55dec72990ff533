#include "dragoman/text/tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/text/cut_sampler.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/stretches.h"

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
  Model(std::string contents, const std::string& name)
      : bytes(std::move(contents)), file(read_model_file(bytes, name)), cuts(file) {
    require<Error>(load() && processor.GetPieceSize() == static_cast<int>(file.pieces.size()), "'", name,
                   "' is not a SentencePiece model, or is damaged.");
    require<Error>(processor.pad_id() == kPad && processor.bos_id() == kBos && processor.eos_id() == kEos &&
                       processor.unk_id() == kUnk,
                   "'", name, "' has pad, bos, eos and unk at ", processor.pad_id(), ", ", processor.bos_id(), ", ",
                   processor.eos_id(), " and ", processor.unk_id(),
                   " instead of 0, 1, 2 and 3; train a tokenizer with 'dragoman tokenizer train'.");
    if (file.first.empty()) return;
    first = processor.PieceToId(file.first);
    require<Error>(!is_special(*first) && *first != kUnk, "'", name, "' says that sentences begin with '", file.first,
                   "', which is not in its vocabulary.");
  }

  // Whether the library accepts the bytes. It returns an error status, or throws if it cannot build its tables.
  bool load() {
    try {
      return processor.LoadFromSerializedProto(bytes).ok();
    } catch (const std::exception&) {
      return false;
    }
  }

  const Piece& piece(std::int32_t id) const {
    require<ShapeError>(id >= 0 && static_cast<std::size_t>(id) < file.pieces.size(), "tokenizer: there is no token ",
                        id, "; the vocabulary has ", file.pieces.size(), " tokens.");
    return file.pieces[static_cast<std::size_t>(id)];
  }

  std::vector<int> encode(std::string_view text) const {
    std::vector<int> ids;
    const sentencepiece::util::Status status = processor.Encode(text, &ids);
    require<Error>(status.ok(), "the tokenizer cannot encode a text (", status.message(), ").");
    if (has_unused && std::ranges::count(ids, kUnk) > 0) look_up_unknown(text, ids);
    return ids;
  }

  // The library gives a run of characters that it cannot spell as one unknown piece. If its text is a piece that is
  // never produced, such as one of the other language of a joint vocabulary, it becomes that piece.
  void look_up_unknown(std::string_view text, std::vector<int>& ids) const {
    const sentencepiece::ImmutableSentencePieceText encoded = processor.EncodeAsImmutableProto(text);
    for (std::size_t i = 0; i < ids.size() && i < encoded.pieces_size(); ++i) {
      if (ids[i] != kUnk) continue;
      const int found = processor.PieceToId(encoded.pieces(static_cast<int>(i)).piece());
      if (processor.IsUnused(found)) ids[i] = found;
    }
  }

  bool is_known(std::int32_t id) const { return static_cast<std::uint64_t>(id) < file.pieces.size() - file.unknown; }

  // The normalised text, as the pieces spell it.
  std::string normalised(std::string_view text) const {
    std::string result;
    const sentencepiece::ImmutableSentencePieceText encoded = processor.EncodeAsImmutableProto(text);
    for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
      const auto piece = encoded.pieces(static_cast<int>(i));
      if (!processor.IsByte(static_cast<int>(piece.id()))) {
        result += piece.piece();
      } else {
        result += static_cast<char>(std::stoi(piece.piece().substr(3, 2), nullptr, 16));  // "<0xE2>"
      }
    }
    return result;
  }

  std::string bytes;
  ModelFile file;
  CutSampler cuts;
  sentencepiece::SentencePieceProcessor processor;
  std::optional<std::int32_t> first;
  bool has_unused = std::ranges::count(file.pieces, PieceKind::kUnused, &Piece::kind) > 0;
};

Tokenizer Tokenizer::load(const std::string& path) {
  constexpr std::size_t kLargestFile = 64 << 20;  // a vocabulary of a million tokens takes less than half of this
  return from_bytes(read_file(path, kLargestFile), path);
}

Tokenizer Tokenizer::from_bytes(std::string bytes, const std::string& name) {
  return Tokenizer(std::make_shared<const Model>(std::move(bytes), name));
}

std::int64_t Tokenizer::size() const { return static_cast<std::int64_t>(model_->file.pieces.size()); }

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids =
      encode_stretches(without_tabs(text), [&](std::string_view stretch) { return model_->encode(stretch); });
  // The text "<s>" must not become a special token. A model that puts no space before the first word would find it in
  // its vocabulary.
  std::ranges::replace_if(
      ids, [&](std::int32_t id) { return is_special(id) || !model_->is_known(id); }, kUnk);
  return beginning_with_first(std::move(ids));
}

std::vector<std::int32_t> Tokenizer::with_end(std::vector<std::int32_t> ids) const {
  if (model_->file.has_end) ids.push_back(kEos);
  return ids;
}

std::optional<std::int32_t> Tokenizer::first() const { return model_->first; }

std::vector<std::int32_t> Tokenizer::beginning_with_first(std::vector<std::int32_t> ids) const {
  if (model_->first && !ids.empty()) ids.insert(ids.begin(), *model_->first);
  return ids;
}

std::vector<std::int32_t> Tokenizer::sample(std::string_view text, double amount, RandomStream& random) const {
  require<UsageError>(amount >= 0 && amount <= 1, "the amount of sampling is ", amount, "; it must be from 0 to 1.");
  const bool has_one_way = model_->file.kind == TokenizerKind::kChar || model_->file.kind == TokenizerKind::kWord;
  if (amount == 0 || has_one_way) return encode(text);
  std::vector<std::int32_t> ids = encode_stretches(without_tabs(text), [&](std::string_view stretch) {
    return model_->cuts.sample(model_->normalised(stretch), amount, random);
  });
  std::ranges::replace_if(
      ids, [&](std::int32_t id) { return !model_->is_known(id); }, kUnk);
  return beginning_with_first(std::move(ids));
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  if (!ids.empty() && ids.front() == model_->first) ids = ids.subspan(1);
  std::vector<int> shown;
  for (const std::int32_t id : ids) {
    model_->piece(id);  // throws for an id outside the vocabulary
    if (!is_special(id)) shown.push_back(id);
  }
  std::string text;
  const sentencepiece::util::Status status = model_->processor.Decode(shown, &text);
  require<Error>(status.ok(), "the tokenizer cannot decode its tokens (", status.message(), ").");
  // Single-byte tokens may spell a line feed, but the result must stay one line.
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

const std::string& Tokenizer::piece(std::int32_t id) const { return model_->piece(id).text; }

std::optional<std::int32_t> Tokenizer::id(std::string_view piece) const {
  const std::int32_t id = model_->processor.PieceToId(piece);  // kUnk if there is no such piece
  return model_->piece(id).text == piece ? std::optional(id) : std::nullopt;
}

bool Tokenizer::is_byte(std::int32_t id) const { return model_->piece(id).kind == PieceKind::kByte; }

bool Tokenizer::begins_word(std::int32_t id) const { return piece(id).starts_with(kSpace); }

const std::string& Tokenizer::bytes() const { return model_->bytes; }

}  // namespace dragoman::text
