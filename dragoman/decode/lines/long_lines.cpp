#include "dragoman/decode/lines/long_lines.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "dragoman/text/characters.h"
#include "dragoman/text/sentences.h"

namespace dragoman::decode {
namespace {

bool ends_sentence(const std::string& piece) {
  constexpr std::array<std::string_view, 7> kEnds = {".", "!", "?", "\u3002", "\uFF01", "\uFF1F", "\u2026"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return piece.ends_with(end); });
}

// The end of the piece that begins with `first`. Looks back from its greatest length to half of it for the end of a
// sentence. If there is none, takes the last boundary between two words, and if there is none either, the greatest
// length.
std::size_t end_of_piece(const data::Sentence& tokens, std::size_t first, std::size_t longest,
                         const text::Tokenizer& tokenizer) {
  const std::size_t last = std::min(tokens.size(), first + longest);
  if (last == tokens.size()) return last;
  std::size_t between_words = 0;
  for (std::size_t end = last; end > first; --end) {
    if (!tokenizer.begins_word(tokens[end - 1], tokens[end])) continue;
    if (between_words == 0) between_words = end;
    if (end - first < longest / 2) break;
    if (ends_sentence(tokenizer.piece(tokens[end - 1]))) return end;
  }
  return between_words > first ? between_words : last;
}

}  // namespace

std::vector<data::Sentence> pieces(const data::Sentence& tokens, std::int64_t longest,
                                   const text::Tokenizer& tokenizer) {
  std::vector<data::Sentence> pieces;
  const std::size_t coded = tokenizer.first() ? 1 : 0;  // tokens[0] is then the first token
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(longest) - coded);
  for (std::size_t first = coded; first < tokens.size();) {
    const std::size_t end = end_of_piece(tokens, first, most, tokenizer);
    data::Sentence& piece = pieces.emplace_back(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(coded));
    piece.insert(piece.end(), tokens.begin() + static_cast<std::ptrdiff_t>(first),
                 tokens.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
  }
  return pieces;
}

std::vector<data::Sentence> pieces_of_sentences(std::string_view text, std::int64_t longest,
                                                const text::Tokenizer& tokenizer, std::string_view language) {
  std::vector<data::Sentence> all;
  for (const std::string& sentence : text::cut_sentences(text, language).sentences) {
    if (text::is_blank(sentence)) continue;
    std::ranges::move(pieces(tokenizer.encode(sentence), longest, tokenizer), std::back_inserter(all));
  }
  return all;
}

void append_text(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += ' ';
  text += more;
}

std::string_view separator_before(const TranslatedLine& line, const TranslatedLine& part) {
  const bool kept = line.bad && part.bad;  // bad lines are kept byte for byte
  return line.text.empty() || part.text.empty() || kept ? "" : " ";
}

void add_part(TranslatedLine& line, const TranslatedLine& part) {
  // A part without text was not translated, so it has no piece.
  const auto pieces = [](const TranslatedLine& of) { return of.steps > 0 ? of.pieces : 0; };
  line.pieces = std::max<std::int64_t>(1, pieces(line) + pieces(part));
  line.text += separator_before(line, part);
  line.text += part.text;
  line.log_probability += part.log_probability;
  line.score += part.score;
  line.finished = line.finished && part.finished;
  line.repeats = line.repeats || part.repeats;
  line.odd_length = line.odd_length || part.odd_length;
  line.unknown = line.unknown || part.unknown;
  text::add_unseen(line.unseen, part.unseen);
  line.bad = line.bad || part.bad;
  line.failed = line.failed || part.failed;
  line.steps += part.steps;
  line.tokens += part.tokens;
  line.continues = part.continues;
  line.source.clear();
  line.target.clear();
  line.attention = {};
  line.hypotheses.clear();
  line.trace.reset();
  line.projections.clear();
  line.next_words.clear();
  line.layer_words.clear();
  line.layer_steps.reset();
}

}  // namespace dragoman::decode
