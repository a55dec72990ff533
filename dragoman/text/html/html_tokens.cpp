#include "dragoman/text/html/html_tokens.h"

#include <algorithm>
#include <utility>

namespace dragoman::text {
namespace {

using Name = std::string_view;

// They have no contents and no closing tag.
constexpr Name kVoid[] = {"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                          "input", "link", "meta", "param", "source", "track", "wbr"};
// Their contents are not HTML.
constexpr Name kRaw[] = {"iframe", "noembed", "noframes", "script", "style", "textarea", "xmp"};
// Their contents are HTML, but not translated.
constexpr Name kUntranslated[] = {"code", "math", "pre", "svg"};
// Block elements. All other elements, and unknown ones, are part of a line of text.
constexpr Name kBlockElements[] = {
    "address",  "article", "aside",   "audio",    "base",       "blockquote", "body",    "br",       "button",
    "canvas",   "caption", "center",  "col",      "colgroup",   "dd",         "details", "dialog",   "dir",
    "div",      "dl",      "dt",      "fieldset", "figcaption", "figure",     "footer",  "form",     "frame",
    "frameset", "h1",      "h2",      "h3",       "h4",         "h5",         "h6",      "head",     "header",
    "hgroup",   "hr",      "html",    "iframe",   "legend",     "li",         "link",    "main",     "menu",
    "meta",     "nav",     "noembed", "noframes", "noscript",   "object",     "ol",      "optgroup", "option",
    "p",        "param",   "pre",     "script",   "search",     "section",    "select",  "source",   "style",
    "summary",  "table",   "tbody",   "td",       "template",   "textarea",   "tfoot",   "th",       "thead",
    "title",    "tr",      "track",   "ul",       "video",      "xmp"};

template <std::size_t n>
bool among(Name name, const Name (&names)[n]) {
  return std::ranges::binary_search(names, name);
}
static_assert(std::ranges::is_sorted(kVoid) && std::ranges::is_sorted(kRaw) && std::ranges::is_sorted(kUntranslated) &&
              std::ranges::is_sorted(kBlockElements));

bool is_tag_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string to_lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

// The number of bytes up to and including `end`; all bytes if it does not occur.
std::size_t through(std::string_view text, std::string_view end) {
  const std::size_t at = text.find(end);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

struct Tag {
  std::size_t bytes = 0;
  std::string name;
  bool closed = false;        // ends in "/>"
  bool untranslated = false;  // its attributes say so
};

// Reads the name and the attributes of a tag. A '>' inside quotes does not end the tag.
class TagReader {
 public:
  // `text` begins with the tag; `name` is the byte at which the tag's name begins.
  TagReader(std::string_view text, std::size_t name) : text_(text), at_(name) {}

  Tag read() {
    tag_.name = to_lower(until(" \t\n\r\f/>"));
    while (at_ < text_.size() && text_[at_] != '>') read_attribute();
    tag_.bytes = std::min(text_.size(), at_ + 1);
    return tag_;
  }

 private:
  std::string_view until(std::string_view ends) {
    const std::size_t begin = at_;
    at_ = std::min(text_.size(), text_.find_first_of(ends, at_));
    return text_.substr(begin, at_ - begin);
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_html_space(text_[at_])) ++at_;
  }

  void read_attribute() {
    tag_.closed = text_[at_] == '/';
    if (tag_.closed) {
      at_ += 1;
      return;
    }
    const std::string_view key = until(" \t\n\r\f/>=");
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '=') {
      at_ += 1;
      skip_spaces();
      note(key, value());
    }
  }

  std::string_view value() {
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return until(" \t\n\r\f>");
    const std::string_view quote = text_.substr(at_++, 1);
    const std::string_view value = until(quote);
    at_ = std::min(text_.size(), at_ + 1);
    return value;
  }

  // Notes translate="no" and the class notranslate.
  void note(std::string_view key, std::string_view value) {
    // The lengths are compared first, because to_lower() copies the key.
    if (key.size() == 9 && to_lower(key) == "translate" && to_lower(value) == "no") tag_.untranslated = true;
    if (key.size() != 5 || to_lower(key) != "class") return;
    while (!value.empty()) {
      const std::string_view word = value.substr(0, value.find_first_of(" \t\n\r\f"));
      if (to_lower(word) == "notranslate") tag_.untranslated = true;
      value.remove_prefix(std::min(value.size(), word.size() + 1));
    }
  }

  std::string_view text_;
  std::size_t at_;
  Tag tag_;
};

// `text` begins with '<'. Whether that starts markup and is not just the character '<'.
bool is_markup(std::string_view text) {
  return text.size() > 1 && (is_tag_letter(text[1]) || text[1] == '/' || text[1] == '!' || text[1] == '?');
}

}  // namespace

bool HtmlTokens::next(HtmlToken& token) {
  if (rest_.empty()) return false;
  std::size_t text = 0;
  while (text < rest_.size() && !(rest_[text] == '<' && is_markup(rest_.substr(text)))) ++text;
  token = text > 0 ? take(TokenKind::kText, text) : take_markup();
  return true;
}

HtmlToken HtmlTokens::take(TokenKind kind, std::size_t bytes) {
  const HtmlToken token{.kind = kind, .bytes = rest_.substr(0, bytes)};
  rest_.remove_prefix(bytes);
  return token;
}

HtmlToken HtmlTokens::take_markup() {
  if (rest_.starts_with("<!--")) return take(TokenKind::kAlone, through(rest_, "-->"));
  if (rest_.starts_with("<![CDATA[")) return take(TokenKind::kAlone, through(rest_, "]]>"));
  const bool has_name = is_tag_letter(rest_[1]) || (rest_[1] == '/' && rest_.size() > 2 && is_tag_letter(rest_[2]));
  return has_name ? take_tag() : take(TokenKind::kAlone, through(rest_, ">"));
}

HtmlToken HtmlTokens::take_tag() {
  const bool closing = rest_[1] == '/';
  Tag tag = TagReader(rest_, closing ? 2 : 1).read();
  const bool is_block = among(tag.name, kBlockElements);
  const bool alone = !closing && (tag.closed || among(tag.name, kVoid));
  TokenKind kind = closing ? TokenKind::kClosing : alone ? TokenKind::kAlone : TokenKind::kOpening;
  std::size_t bytes = tag.bytes;
  if (kind == TokenKind::kOpening) {
    if (among(tag.name, kRaw)) {
      bytes = raw_element(tag.name, tag.bytes);
    } else if (tag.untranslated || among(tag.name, kUntranslated)) {
      bytes = nested_element(tag.name, tag.bytes);
    }
    if (bytes > tag.bytes) kind = TokenKind::kAlone;
  }
  HtmlToken token = take(kind, bytes);
  token.name = std::move(tag.name);
  token.ends_unit = is_block;
  return token;
}

std::size_t HtmlTokens::raw_element(std::string_view name, std::size_t opening) const {
  for (std::size_t at = opening; (at = rest_.find("</", at)) != std::string_view::npos; at += 2) {
    const std::string_view found = rest_.substr(at + 2, name.size());
    if (to_lower(found) == name) return at + TagReader(rest_.substr(at), 2).read().bytes;
  }
  return rest_.size();
}

std::size_t HtmlTokens::nested_element(std::string_view name, std::size_t opening) const {
  int depth = 1;
  for (std::size_t at = opening; (at = rest_.find('<', at)) != std::string_view::npos;) {
    const std::string_view from = rest_.substr(at);
    if (from.starts_with("<!--")) {
      at += through(from, "-->");
      continue;
    }
    const bool closing = from.size() > 1 && from[1] == '/';
    const std::size_t begin = closing ? 2 : 1;
    if (from.size() <= begin || !is_tag_letter(from[begin])) {
      at += 1;
      continue;
    }
    const Tag tag = TagReader(from, begin).read();
    at += tag.bytes;
    if (tag.name == name && !tag.closed) depth += closing ? -1 : 1;
    if (depth == 0) return at;
  }
  return rest_.size();
}

}  // namespace dragoman::text
