// An HTML fragment as a row of tags, text and stretches that are nobody's to translate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::text {

// The white space that HTML runs together.
inline bool is_html_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

enum class TokenKind : std::uint8_t {
  kText,
  kOpening,  // <b>
  kClosing,  // </b>
  kAlone,    // <img>, <x/>, a comment, or a whole element whose contents stay as they are
};

struct HtmlToken {
  TokenKind kind = TokenKind::kText;
  std::string_view bytes;  // of the fragment
  std::string name = {};   // of the element, in lower case; comments and the like have none
  bool ends_unit = false;  // a tag of an element that stands apart from the text around it
};

// Reads a fragment from its beginning to its end, as browsers do: the bytes of all tokens, one after the other, are the
// fragment's. Whole are the elements script, style, pre, code, textarea and so on, and those with translate="no" or the
// class notranslate. What is begun and not closed (a tag, a comment, such an element) goes on to the end.
class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view fragment) : rest_(fragment) {}
  bool next(HtmlToken& token);

 private:
  HtmlToken take(TokenKind kind, std::size_t bytes);
  HtmlToken take_markup();
  HtmlToken take_tag();
  // Bytes to the end of an element whose opening tag has that many and whose contents are not looked into.
  std::size_t raw_element(std::string_view name, std::size_t opening) const;
  // Likewise where the contents may hold elements of the same name.
  std::size_t nested_element(std::string_view name, std::size_t opening) const;

  std::string_view rest_;
};

}  // namespace dragoman::text
