#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"
#include "dragoman/text/pieces/bpe_codes.h"
#include "dragoman/text/pieces/piece_model.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::text {
namespace {

constexpr const char *kCodes = "codes", *kTokens = "tokens";
constexpr std::string_view kUnknownText = "\u2047";

// fairseq cuts text into words at spaces, but the pieces of words at any white space. The two invisible characters are
// no white space there.
bool separates_pieces(char32_t code) {
  const bool is_invisible = code == U'\u200B' || code == U'\uFEFF';
  return is_white_space(code) && !is_invisible;
}

class BpeModel final : public PieceModel {
 public:
  BpeModel(std::string_view codes, std::vector<std::string> tokens, const std::string& where)
      : codes_(codes, where), tokens_(std::move(tokens)) {
    constexpr std::string_view kSpecial[] = {"<pad>", "<s>", "</s>", "<unk>"};
    for (std::size_t id = 0; id < std::size(kSpecial); ++id) {
      require<Error>(id < tokens_.size() && tokens_[id] == kSpecial[id], where, ": the token ", id, " is not ",
                     kSpecial[id], ".");
    }
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      require<Error>(ids_.emplace(tokens_[id], static_cast<std::int32_t>(id)).second, where, ": the token ", id,
                     " is there twice.");
    }
  }

  std::int64_t size() const override { return std::ssize(tokens_); }
  const std::string& piece(std::int32_t id) const override { return tokens_[static_cast<std::size_t>(id)]; }
  std::string piece_after(std::int32_t previous, std::int32_t id) const override {
    if (id <= kUnk) return piece(id);
    return std::string(begins_word(previous, id) ? kSpace : "").append(BpeCodes::without_mark(piece(id)));
  }
  std::optional<std::int32_t> id(std::string_view piece) const override {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  bool begins_word(std::int32_t previous, std::int32_t id) const override {
    return id >= kUnk && !BpeCodes::is_continued(piece(previous));
  }

  std::vector<std::int32_t> encode(std::string_view text) const override {
    return ids_of(codes_.split(well_formed(text)));
  }
  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const override {
    BpeCodes::Dropout dropout{.amount = amount, .random = random};
    return ids_of(codes_.split(well_formed(text), &dropout));
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::vector<std::string> pieces;
    for (const std::int32_t id : ids) {
      // An unknown token is shown as a word of its own, whatever is before it.
      if (id == kUnk && !pieces.empty()) pieces.back() = BpeCodes::without_mark(pieces.back());
      pieces.emplace_back(id == kUnk ? kUnknownText : piece(id));
    }
    return BpeCodes::join_pieces(pieces);
  }

 private:
  static std::string well_formed(std::string_view text) {
    return first_invalid_utf8(text) ? to_utf8(to_code_points(text)) : std::string(text);
  }

  std::vector<std::int32_t> ids_of(const std::vector<std::string>& pieces) const {
    std::vector<std::int32_t> ids;
    const auto add = [&](std::string_view part) {
      if (!part.empty()) ids.push_back(id(part).value_or(kUnk));
    };
    for (const std::string_view piece : pieces) {
      std::size_t begin = 0;
      for (std::size_t at = 0; at < piece.size();) {
        const std::size_t before = at;
        if (!separates_pieces(next_code_point(piece, at))) continue;
        add(piece.substr(begin, before - begin));
        begin = at;
      }
      add(piece.substr(begin));
    }
    return ids;
  }

  BpeCodes codes_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // by the texts in tokens_
};

}  // namespace

bool is_bpe(std::string_view bytes) { return bytes.starts_with('{'); }

std::string bpe_file(std::string_view codes, const std::vector<std::string>& tokens) {
  return Json{{kCodes, codes}, {kTokens, tokens}}.dump(0) + "\n";
}

std::unique_ptr<const PieceModel> read_bpe(const std::string& bytes, const std::string& name) {
  const std::string where = join("'", name, "'");
  const Json file = try_parse_json(bytes);
  require<Error>(
      file.is_object() && file.contains(kCodes), where,
      " is not a SentencePiece model, nor has it BPE codes as `dragoman import` writes them; it is damaged, or "
      "another kind of file.");
  const auto codes = json_entry<std::string>(file, kCodes, where);
  const auto found = file.find(kTokens);
  const auto is_text = [](const Json& token) { return token.is_string(); };
  require<Error>(found != file.end() && found->is_array() && std::ranges::all_of(*found, is_text), where, ": '",
                 kTokens, "' is not a list of texts.");
  return std::make_unique<BpeModel>(codes, found->get<std::vector<std::string>>(), where);
}

}  // namespace dragoman::text
