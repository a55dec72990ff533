#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/text/cut_sampler.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/pieces/piece_model.h"

namespace dragoman::text {
namespace {

class SentencePieceModel final : public PieceModel {
 public:
  SentencePieceModel(const std::string& bytes, const std::string& name)
      : file_(read_model_file(bytes, name)), cuts_(file_) {
    require<Error>(load(bytes) && processor_.GetPieceSize() == static_cast<int>(file_.pieces.size()), "'", name,
                   "' is not a SentencePiece model, or is damaged.");
    require<Error>(processor_.pad_id() == kPad && processor_.bos_id() == kBos && processor_.eos_id() == kEos &&
                       processor_.unk_id() == kUnk,
                   "'", name, "' has pad, bos, eos and unk at ", processor_.pad_id(), ", ", processor_.bos_id(), ", ",
                   processor_.eos_id(), " and ", processor_.unk_id(),
                   " instead of 0, 1, 2 and 3; train a tokenizer with 'dragoman tokenizer train'.");
    if (file_.first.empty()) return;
    first_ = processor_.PieceToId(file_.first);
    require<Error>(*first_ > kUnk, "'", name, "' says that sentences begin with '", file_.first,
                   "', which is not in its vocabulary.");
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(file_.pieces.size()); }
  std::optional<std::int32_t> first() const override { return first_; }
  bool has_end() const override { return file_.has_end; }
  const std::string& piece(std::int32_t id) const override { return at(id).text; }
  std::string piece_after(std::int32_t /*previous*/, std::int32_t id) const override { return piece(id); }
  std::optional<std::int32_t> id(std::string_view text) const override {
    const std::int32_t id = processor_.PieceToId(text);  // kUnk if there is no such piece
    return piece(id) == text ? std::optional(id) : std::nullopt;
  }
  bool is_byte(std::int32_t id) const override { return at(id).kind == PieceKind::kByte; }
  bool begins_word(std::int32_t /*previous*/, std::int32_t id) const override { return piece(id).starts_with(kSpace); }

  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<int> ids;
    const sentencepiece::util::Status status = processor_.Encode(text, &ids);
    require<Error>(status.ok(), "the tokenizer cannot encode a text (", status.message(), ").");
    if (has_unused_ && std::ranges::count(ids, kUnk) > 0) look_up_unknown(text, ids);
    return with_known_only(std::move(ids));
  }

  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const override {
    const bool has_one_way = file_.kind == TokenizerKind::kChar || file_.kind == TokenizerKind::kWord;
    if (has_one_way) return encode(text);
    return with_known_only(cuts_.sample(normalised(text), amount, random));
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    const sentencepiece::util::Status status = processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
    require<Error>(status.ok(), "the tokenizer cannot decode its tokens (", status.message(), ").");
    return text;
  }

 private:
  // Whether the library accepts the bytes. It returns an error status, or throws if it cannot build its tables.
  bool load(const std::string& bytes) {
    try {
      return processor_.LoadFromSerializedProto(bytes).ok();
    } catch (const std::exception&) {
      return false;
    }
  }

  const Piece& at(std::int32_t id) const { return file_.pieces[static_cast<std::size_t>(id)]; }

  // The library gives a run of characters that it cannot spell as one unknown piece. If its text is a piece that is
  // never produced, such as one of the other language of a joint vocabulary, it becomes that piece.
  void look_up_unknown(std::string_view text, std::vector<int>& ids) const {
    const sentencepiece::ImmutableSentencePieceText encoded = processor_.EncodeAsImmutableProto(text);
    for (std::size_t i = 0; i < ids.size() && i < encoded.pieces_size(); ++i) {
      if (ids[i] != kUnk) continue;
      const int found = processor_.PieceToId(encoded.pieces(static_cast<int>(i)).piece());
      if (processor_.IsUnused(found)) ids[i] = found;
    }
  }

  std::vector<std::int32_t> with_known_only(std::vector<std::int32_t> ids) const {
    const std::uint64_t known = file_.pieces.size() - file_.unknown;
    std::ranges::replace_if(
        ids, [&](std::int32_t id) { return static_cast<std::uint64_t>(id) >= known; }, kUnk);
    return ids;
  }

  // The normalised text, as the pieces spell it.
  std::string normalised(std::string_view text) const {
    std::string result;
    const sentencepiece::ImmutableSentencePieceText encoded = processor_.EncodeAsImmutableProto(text);
    for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
      const auto piece = encoded.pieces(static_cast<int>(i));
      if (!processor_.IsByte(static_cast<int>(piece.id()))) {
        result += piece.piece();
      } else {
        result += static_cast<char>(std::stoi(piece.piece().substr(3, 2), nullptr, 16));  // "<0xE2>"
      }
    }
    return result;
  }

  ModelFile file_;
  CutSampler cuts_;
  sentencepiece::SentencePieceProcessor processor_;
  std::optional<std::int32_t> first_;
  bool has_unused_ = std::ranges::count(file_.pieces, PieceKind::kUnused, &Piece::kind) > 0;
};

}  // namespace

std::unique_ptr<const PieceModel> read_sentencepiece(const std::string& bytes, const std::string& name) {
  return std::make_unique<SentencePieceModel>(bytes, name);
}

}  // namespace dragoman::text
