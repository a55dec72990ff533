// Splits an HTML fragment into tags, text, and parts that are not translated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::text {

// The characters that HTML collapses into one space.
inline bool is_html_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

enum class TokenKind : std::uint8_t {
  kText,
  kOpening,  // <b>
  kClosing,  // </b>
  kAlone,    // <img>, <x/>, a comment, or a whole element whose contents are not translated
};

struct HtmlToken {
  TokenKind kind = TokenKind::kText;
  std::string_view bytes;  // points into the fragment
  std::string name = {};   // of the element, in lower case; empty for comments and the like
  bool ends_unit = false;  // a tag of a block element, which separates the text before it from the text after it
};

// Reads a fragment from beginning to end, as browsers do. The bytes of all tokens, concatenated, are the fragment. Some
// elements are a single token: script, style, pre, code, textarea and so on, and elements with translate="no" or the
// class notranslate. A tag, comment or such element that is not closed extends to the end of the fragment.
class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view fragment) : rest_(fragment) {}
  bool next(HtmlToken& token);

 private:
  HtmlToken take(TokenKind kind, std::size_t bytes);
  HtmlToken take_markup();
  HtmlToken take_tag();
  // The length of the whole element, given that of its opening tag. The contents are not parsed: the first closing tag
  // of that name ends the element.
  std::size_t raw_element(std::string_view name, std::size_t opening) const;
  // The same for contents that may hold elements of the same name.
  std::size_t nested_element(std::string_view name, std::size_t opening) const;

  std::string_view rest_;
};

}  // namespace dragoman::text
