#include "dragoman/decode/roles/word_units.h"

#include <span>
#include <utility>

#include "dragoman/array/tokens.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::decode {
namespace {

enum class PieceKind : std::uint8_t { kLetters, kMark, kIdeographs };

struct Piece {
  std::string text;
  PieceKind kind = PieceKind::kMark;
};

Piece piece_of(std::int32_t previous, std::int32_t token, const text::Tokenizer& tokenizer) {
  std::string text = tokenizer.piece_after(previous, token);
  for (std::size_t at; (at = text.find(text::kSpace)) != std::string::npos;) text.erase(at, text::kSpace.size());
  if (tokenizer.is_byte(token)) return {text, PieceKind::kLetters};
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    if (text::is_ideographic(code)) return {text, PieceKind::kIdeographs};
    if (text::is_letter(code) || text::is_digit(code)) return {text, PieceKind::kLetters};
  }
  return {text, PieceKind::kMark};
}

// Adds the units of one word between spaces. Marks inside the word, as in o'clock, belong to it.
void add_word(std::span<const Piece> pieces, std::int64_t word, WordUnits& to) {
  const auto is_mark = [&](std::size_t at) { return pieces[at].kind == PieceKind::kMark; };
  std::size_t first = 0, end = pieces.size();
  while (first < end && is_mark(first)) ++first;
  while (end > first && is_mark(end - 1)) --end;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (pieces[at].text.empty() && at + 1 < pieces.size()) {  // only a space: it belongs to the piece after it
      to.of_token.push_back(std::ssize(to.units));
      continue;
    }
    const bool outside = at < first || at >= end;
    if (outside || at == first || pieces[at].kind == PieceKind::kIdeographs) {
      to.units.push_back({.text = "", .is_mark = outside, .word = word});
    }
    to.units.back().text += pieces[at].text;
    to.of_token.push_back(std::ssize(to.units) - 1);
  }
}

}  // namespace

WordUnits word_units(const data::Sentence& tokens, const text::Tokenizer& tokenizer) {
  WordUnits words;
  std::vector<Piece> pieces;  // of the word that is being read
  std::int64_t word = 0;
  const auto end_word = [&] {
    if (!pieces.empty()) add_word(pieces, word++, words);
    pieces.clear();
  };
  std::int32_t previous = kBos;
  for (const std::int32_t token : tokens) {
    if (token == kEos || tokenizer.begins_word(previous, token)) end_word();
    pieces.push_back(token == kEos ? Piece{"</s>", PieceKind::kMark} : piece_of(previous, token, tokenizer));
    previous = token;
  }
  end_word();
  return words;
}

}  // namespace dragoman::decode
