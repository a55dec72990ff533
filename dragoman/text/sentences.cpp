#include "dragoman/text/sentences.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/abbreviations.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

// No abbreviation is longer than this.
constexpr std::size_t kLongestAbbreviation = 24;
// In bytes. Nobody writes sentences this long, and tokenizing longer ones is slow.
constexpr std::size_t kLongestSentence = 4096;

constexpr std::u32string_view kClosing = U")]}’”›）］｝」』】〉》〕＂";
// These open or close, depending on the language or on the characters around them.
constexpr std::u32string_view kEither = U"\"'“‘«»*_";
// No sentence begins with these.
constexpr std::u32string_view kContinuing = U",;:.!?…、，；：/&+=%·";
// These end a sentence even without white space after them.
constexpr std::u32string_view kStrongMarks = U"。！？｡‼⁇⁈⁉؟۔।॥։።፧။។៕";

bool among(char32_t code, std::u32string_view set) { return set.find(code) != std::u32string_view::npos; }
bool is_word(char32_t code) { return is_letter(code) || is_digit(code) || is_accent(code); }

// The kind of marks at the end of a sentence: one full stop, several dots, a question or exclamation mark, or marks of
// kStrongMarks.
enum class Ending : std::uint8_t { kFullStop, kDots, kQuestionOrExclamation, kStrong };

// Cuts a text into sentences. The text is decoded once; all positions below are indices of characters in codes_.
class Cutter {
 public:
  Cutter(std::string_view text, std::string_view language) : text_(text), language_(language_of(language)) {
    for (std::size_t at = 0; at < text.size();) {
      begins_.push_back(at);
      codes_ += next_code_point(text, at);
    }
    begins_.push_back(text.size());
    has_capitals_ = std::ranges::any_of(codes_, is_upper_case);
  }

  Layout cut() const {
    Layout layout;
    std::size_t gap = 0, begin = 0;
    bool quoted = false;  // whether a straight quote is open in the line
    const auto bytes = [&](std::size_t from, std::size_t to) {
      return std::string(text_.substr(begins_[from], begins_[to] - begins_[from]));
    };
    while ((begin = after_white_space(gap)) < codes_.size()) {
      if (std::any_of(codes_.data() + gap, codes_.data() + begin, is_line_end)) quoted = false;
      const bool was_quoted = quoted;
      std::size_t end = sentence_end(begin, quoted);
      if (is_too_long(begin, end)) {
        end = shorter_end(begin);
        // sentence_end() counted the quotes of the longer sentence; count those that are left.
        quoted = was_quoted != (std::count(codes_.data() + begin, codes_.data() + end, U'"') % 2 == 1);
      }
      layout.gaps.push_back(bytes(gap, begin));
      layout.sentences.push_back(bytes(begin, end));
      gap = end;
    }
    layout.gaps.push_back(bytes(gap, codes_.size()));
    return layout;
  }

 private:
  bool at_line_end(std::size_t at) const { return at == codes_.size() || is_line_end(codes_[at]); }
  bool at_space_or_end(std::size_t at) const { return at == codes_.size() || is_white_space(codes_[at]); }

  std::size_t after_white_space(std::size_t at) const {
    while (at < codes_.size() && is_white_space(codes_[at])) ++at;
    return at;
  }

  bool is_end_mark(char32_t code) const {
    return among(code, U".!?…．") || among(code, kStrongMarks) || (language_ == "el" && among(code, U";\u037E"));
  }

  // The end of the sentence that begins at `begin`: after its last character that is not white space. `quoted` says
  // whether a straight quote is open; it is updated to the state at the end.
  std::size_t sentence_end(std::size_t begin, bool& quoted) const {
    std::size_t last = begin;
    bool has_words = false;
    for (std::size_t at = begin; !at_line_end(at) && !is_too_long(begin, last);) {
      const char32_t code = codes_[at];
      if (has_words && is_end_mark(code)) {
        const std::size_t marks_end = after_marks(at), stop = after_closing(marks_end, quoted);
        if (ends_sentence(begin, at, marks_end, stop)) {
          if (std::count(codes_.data() + marks_end, codes_.data() + stop, U'"') % 2 == 1) quoted = !quoted;
          return stop;
        }
        at = last = marks_end;
        continue;
      }
      if (is_word(code)) has_words = true;
      if (code == '"') quoted = !quoted;
      at += 1;
      if (!is_white_space(code)) last = at;
    }
    return last;
  }

  bool is_too_long(std::size_t begin, std::size_t end) const {
    return begins_[end] - begins_[begin] > kLongestSentence;
  }

  // The end for a sentence that is too long: after the last word that fits, or inside the first word if that does not
  // fit.
  std::size_t shorter_end(std::size_t begin) const {
    std::size_t longest = begin;
    while (!is_too_long(begin, longest + 1)) ++longest;
    std::size_t end = longest;
    while (end > begin && !is_white_space(codes_[end])) --end;
    while (end > begin && is_white_space(codes_[end - 1])) --end;
    return end > begin ? end : longest;
  }

  std::size_t after_marks(std::size_t at) const {
    while (at < codes_.size() && is_end_mark(codes_[at])) ++at;
    return at;
  }

  // Skips the quotes and brackets that close here, and returns the position after them. `quoted` says that a straight
  // quote closes an open one. Marks of kEither count as closing only if white space or the end of the text follows.
  std::size_t after_closing(std::size_t at, bool quoted) const {
    std::size_t sure_end = at, end = at;
    for (; end < codes_.size(); ++end) {
      const char32_t code = codes_[end];
      const bool closing = among(code, kClosing) || (quoted && code == '"');
      if (!closing && !among(code, kEither)) break;
      if (closing && sure_end == end) sure_end = end + 1;
    }
    if (!at_space_or_end(end)) return sure_end;
    // In French there is a space before the quote: « Viens ! » Puis il partit.
    const bool spaced_quote =
        !at_line_end(end) && end + 1 < codes_.size() && among(codes_[end + 1], U"»”") && at_space_or_end(end + 2);
    return spaced_quote ? end + 2 : end;
  }

  // Whether a sentence ends here. It began at `begin`; its end marks are at [mark, marks_end), and the quotes and
  // brackets that close after them end at `stop`.
  bool ends_sentence(std::size_t begin, std::size_t mark, std::size_t marks_end, std::size_t stop) const {
    std::size_t next = stop;
    while (!at_line_end(next) && is_white_space(codes_[next])) ++next;
    if (at_line_end(next)) return true;
    const Ending ending = ending_of(mark, marks_end);
    if (ending == Ending::kStrong) return strong_mark_ends_sentence(marks_end, stop, next);
    const bool ideographs = is_ideographic(codes_[mark - 1]) && is_ideographic(codes_[next]);
    if (next == stop) return ideographs && ending != Ending::kDots;  // no white space follows
    while (!at_line_end(next) && may_precede(next)) ++next;          // to the first word of what follows
    if (at_line_end(next) || !can_begin(codes_[next], ending)) return false;
    return ending != Ending::kFullStop || !is_abbreviation(begin, mark, codes_[next]);
  }

  Ending ending_of(std::size_t mark, std::size_t marks_end) const {
    const std::u32string_view run = std::u32string_view(codes_).substr(mark, marks_end - mark);
    const auto has = [run](std::u32string_view set) { return run.find_first_of(set) != std::u32string_view::npos; };
    if (run == U"．") return is_digit(codes_[mark - 1]) ? Ending::kFullStop : Ending::kStrong;
    if (has(kStrongMarks)) return Ending::kStrong;
    if (has(U"!?;\u037E")) return Ending::kQuestionOrExclamation;
    return run == U"." ? Ending::kFullStop : Ending::kDots;
  }

  // Whether a strong mark ends the sentence. `next` is the first character after the mark that is not white space.
  bool strong_mark_ends_sentence(std::size_t marks_end, std::size_t stop, std::size_t next) const {
    // In Japanese a sentence goes on after a quotation inside it, with a particle.
    if (marks_end < stop && stop == next && script_of(codes_[next]) == Script::kHiragana) return false;
    return !among(codes_[next], kContinuing) && !among(codes_[next], kClosing);
  }

  // Whether the character at `at` may come before the first word of a sentence: an opening quote or bracket, a dash, a
  // symbol, or a space after some of them.
  bool may_precede(std::size_t at) const {
    const char32_t code = codes_[at];
    if (is_white_space(code)) return among(codes_[at - 1], U"«-–—•*");
    return !is_word(code) && !among(code, kContinuing) && !among(code, kClosing);
  }

  // In a text without any capitals, sentences begin with small letters.
  bool can_begin(char32_t code, Ending ending) const {
    if (is_lower_case(code)) return !has_capitals_ && ending != Ending::kDots;
    return is_word(code);
  }

  // Whether the full stop at `mark` belongs to the word before it. `next` is the first character that follows.
  bool is_abbreviation(std::size_t begin, std::size_t mark, char32_t next) const {
    std::size_t from = mark;
    while (from > begin && (is_word(codes_[from - 1]) || among(codes_[from - 1], U".°º"))) {
      if (mark - --from > kLongestAbbreviation) return false;
    }
    if (from == mark) return false;
    const std::u32string_view word = std::u32string_view(codes_).substr(from, mark - from);
    const bool first = from - begin < 2;  // at the start of the sentence, or after a bracket there
    if (is_digit(word.front())) return is_numbering(word, first);
    // A Roman number, such as "IV." at the start of a list item.
    if (first && word.size() < 6 && word.find_first_not_of(U"IVXLC") == std::u32string_view::npos) return true;
    const bool after_apostrophe = from > begin && among(codes_[from - 1], U"'’");  // "s" of "my father's"
    if (!after_apostrophe && is_initials(word)) return true;
    std::u32string small(word);
    std::ranges::transform(small, small.begin(), lower_case);
    const Stop stop = stop_of(small, language_);
    return stop == Stop::kAbbreviation || (stop == Stop::kBeforeNumber && is_digit(next));
  }

  // "1." or "2.3." at the start of a list item, or "3." in "3. Oktober".
  bool is_numbering(std::u32string_view word, bool first) const {
    const auto numeric = [](char32_t code) { return is_digit(code) || code == '.'; };
    if (!std::ranges::all_of(word, numeric)) return false;
    if (first && (word.size() < 4 || among('.', word))) return true;
    return word.size() < 3 && writes_ordinals_with_stop(language_);
  }

  // "J" in "J. S. Bach", "B" in "z. B.", "U.S", "Ph.D": one or two letters between full stops.
  bool is_initials(std::u32string_view word) const {
    const bool english = language_.empty() || language_ == "en";
    if (word.size() == 1) return (is_upper_case(word[0]) || is_lower_case(word[0])) && !(english && word == U"I");
    std::size_t letters = 0, stops = 0;
    for (const char32_t code : word) {
      if (code == '.') ++stops;
      letters = code == '.' ? 0 : letters + 1;
      if (letters > 2) return false;
    }
    return stops > 0;
  }

  std::string_view text_;
  std::string language_;
  std::u32string codes_;
  std::vector<std::size_t> begins_;  // the byte at which each character begins, and the size of the text
  bool has_capitals_ = false;
};

bool has_spaces_between_sentences(std::string_view language) {
  constexpr std::string_view kWithout[] = {"ja", "lzh", "wuu", "yue", "zh"};
  return std::ranges::find(kWithout, language_of(language)) == std::end(kWithout);
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// What to put between two translations where the source text had `gap`. `spaces` says whether the target language
// writes spaces between sentences.
std::string_view adapted(std::string_view gap, std::string_view before, std::string_view after, bool spaces) {
  if (before.empty() || after.empty()) return gap;
  if (spaces) return gap.empty() ? " " : gap;
  // The space between words in Latin letters stays.
  const bool latin = is_ascii(before.back()) && is_ascii(after.front());
  return gap == " " && !latin ? "" : gap;
}

}  // namespace

Layout cut_sentences(std::string_view text, std::string_view language) { return Cutter(text, language).cut(); }

std::string put_together(const Layout& layout, std::span<const std::string> translations,
                         std::string_view source_language, std::string_view target_language) {
  require<UsageError>(translations.size() == layout.sentences.size(), "put_together: ", layout.sentences.size(),
                      " sentences, but ", translations.size(), " translations.");
  const bool spaces = has_spaces_between_sentences(target_language);
  const bool adapt = spaces != has_spaces_between_sentences(source_language);
  std::string text = layout.gaps.front();
  for (std::size_t i = 0; i < translations.size(); ++i) {
    text += translations[i];
    const bool inner = i + 1 < translations.size();
    const std::string_view gap = layout.gaps[i + 1];
    text += inner && adapt ? adapted(gap, translations[i], translations[i + 1], spaces) : gap;
  }
  return text;
}

}  // namespace dragoman::text
