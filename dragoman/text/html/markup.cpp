#include "dragoman/text/html/markup.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"
#include "dragoman/text/html/entities.h"
#include "dragoman/text/html/html_tokens.h"

namespace dragoman::text {
namespace {

// Finds each tag's partner. A closing tag takes the most recent open tag of its name; tags opened after that one get no
// partner, so that pairs are always nested.
void find_partners(std::vector<InlineTag>& tags, const std::vector<std::string>& names) {
  std::vector<std::size_t> open;
  std::unordered_map<std::string_view, std::size_t> open_of_name;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].kind == TagKind::kOpening) {
      open.push_back(i);
      open_of_name[names[i]] += 1;
    }
    if (tags[i].kind != TagKind::kClosing || open_of_name[names[i]] == 0) continue;
    std::size_t last = 0;
    do {
      last = open.back();
      open.pop_back();
      open_of_name[names[last]] -= 1;
    } while (names[last] != names[i]);
    tags[last].partner = i;
    tags[i].partner = last;
  }
}

}  // namespace

// Splits a fragment into units, one after the other.
class Markup::Reader {
 public:
  explicit Reader(Markup& markup) : markup_(markup) {}

  void read(std::string_view fragment) {
    HtmlTokens tokens(fragment);
    for (HtmlToken token; tokens.next(token);) {
      if (token.ends_unit) {
        finish();
        keep(token.bytes);
      } else if (token.kind == TokenKind::kText) {
        add_text(token.bytes);
      } else {
        add_tag(token);
      }
    }
    finish();
  }

 private:
  // Appends bytes of the fragment that stay as they are.
  void keep(std::string_view bytes) {
    if (markup_.parts_.empty() || markup_.parts_.back().is_unit) markup_.parts_.emplace_back();
    markup_.parts_.back().bytes += bytes;
  }

  void add_text(std::string_view html) {
    for (std::size_t at = 0; at < html.size();) {
      const std::optional<Reference> reference = reference_at(html.substr(at));
      const std::string_view bytes = html.substr(at, reference ? reference->bytes : 1);
      if (reference && !reference->code) {
        add_tag({.kind = TokenKind::kAlone, .bytes = bytes});  // an unknown reference keeps its place, like a tag
      } else if (reference ? *reference->code == ' ' : is_html_space(html[at])) {
        raw_ += bytes;
        add_space(bytes);
      } else {
        raw_ += bytes;
        append_character(reference, html[at]);
      }
      at += bytes.size();
    }
  }

  void append_character(const std::optional<Reference>& reference, char byte) {
    if (reference) {
      append_utf8(unit_.text, *reference->code);
    } else {
      unit_.text += byte;
    }
  }

  // White space that directly follows a tag is appended to the tag's bytes, if the text is still empty or already ends
  // in a space. Other white space before the text goes to before_. Of other white space inside the text, the text gets
  // one space for each run, and last_space_ gets the run's bytes.
  void add_space(std::string_view bytes) {
    const bool begins = unit_.text.empty();
    if ((begins || unit_.text.back() == ' ') && !unit_.tags.empty() && unit_.tags.back().at == unit_.text.size()) {
      unit_.tags.back().bytes += bytes;
    } else if (begins) {
      before_ += bytes;
    } else if (unit_.text.back() == ' ') {
      last_space_ += bytes;
    } else {
      unit_.text += ' ';
      last_space_ = bytes;
    }
  }

  void add_tag(const HtmlToken& token) {
    const TagKind kind = token.kind == TokenKind::kOpening   ? TagKind::kOpening
                         : token.kind == TokenKind::kClosing ? TagKind::kClosing
                                                             : TagKind::kAlone;
    raw_ += token.bytes;
    unit_.tags.push_back({.kind = kind, .bytes = std::string(token.bytes), .at = unit_.text.size()});
    names_.push_back(token.name);
  }

  void finish() {
    const std::u32string codes = to_code_points(unit_.text);
    if (std::ranges::any_of(codes, is_letter)) {
      trim_end();
      find_partners(unit_.tags, names_);
      take_off_edges();
      keep(before_);
      // Bytes before and after the unit are not part of it.
      const std::size_t bytes = raw_.size() - before_.size() - after_.size();
      markup_.parts_.push_back({raw_.substr(before_.size(), bytes), true});
      markup_.units_.push_back(std::move(unit_));
      keep(after_);
    } else {
      keep(raw_);
    }
    unit_ = {};
    names_.clear();
    for (std::string* text : {&raw_, &before_, &after_, &last_space_}) text->clear();
  }

  // White space at the end is moved to the tag behind it; if there is none, it is kept after the unit.
  void trim_end() {
    if (unit_.text.back() != ' ') return;
    auto behind = std::ranges::lower_bound(unit_.tags, unit_.text.size(), {}, &InlineTag::at);
    if (behind == unit_.tags.end()) {
      after_ = last_space_;
    } else {
      behind->bytes.insert(0, last_space_);
    }
    unit_.text.pop_back();
    for (; behind != unit_.tags.end(); ++behind) behind->at = unit_.text.size();
  }

  // Tags without a partner at either end stay where they are, outside the unit.
  void take_off_edges() {
    std::vector<InlineTag>& tags = unit_.tags;
    std::size_t begin = 0, end = tags.size();
    while (begin < end && tags[begin].at == 0 && !tags[begin].partner) before_ += tags[begin++].bytes;
    while (end > begin && tags[end - 1].at == unit_.text.size() && !tags[end - 1].partner) end -= 1;
    std::string last;
    for (std::size_t i = end; i < tags.size(); ++i) last += tags[i].bytes;
    after_.insert(0, last);
    tags.erase(tags.begin() + static_cast<std::ptrdiff_t>(end), tags.end());
    tags.erase(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(begin));
    for (InlineTag& tag : tags) {
      if (tag.partner) *tag.partner -= begin;
    }
  }

  Markup& markup_;
  Unit unit_;
  std::vector<std::string> names_;  // of the unit's tags
  std::string raw_;                 // the unit's bytes in the fragment, including before_ and after_
  std::string before_, after_;      // bytes at the edges of raw_ that do not belong to the unit
  std::string last_space_;          // the fragment's bytes for the last space of the text
};

Markup::Markup(std::string_view fragment) { Reader(*this).read(fragment); }

std::string Markup::put_back(std::span<const Translation> translations) const {
  require<UsageError>(translations.size() == units_.size(), "put_back: ", units_.size(), " units, but ",
                      translations.size(), " translations.");
  std::string fragment;
  std::size_t number = 0;
  for (const Part& part : parts_) {
    if (!part.is_unit) {
      fragment += part.bytes;
      continue;
    }
    const Unit& unit = units_[number];
    const Translation& translation = translations[number++];
    const bool same = translation.text == unit.text;
    fragment += same ? part.bytes : place_tags(unit.text, unit.tags, translation);
  }
  return fragment;
}

}  // namespace dragoman::text
