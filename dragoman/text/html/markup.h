// Translates the text of an HTML fragment and keeps its tags: Markup takes units of text out of the fragment and puts
// their translations back in the same places.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/html/inline_tags.h"

namespace dragoman::text {

// Text that belongs together: everything between two tags of block elements (<p>, <li>, <br> and so on), across inline
// tags (<b>, <a>). The text is as a reader sees it on a page: character references are decoded, each run of white space
// is one space, and there is none at either end (except no-break spaces). It contains at least one letter.
struct Unit {
  std::string text;
  std::vector<InlineTag> tags;
};

class Markup {
 public:
  // Accepts any bytes.
  explicit Markup(std::string_view fragment);

  const std::vector<Unit>& units() const { return units_; }

  // The fragment with its units translated; takes one translation for each unit. Every tag occurs exactly once, byte
  // for byte. All that is in no unit (comments, scripts, <code>, elements marked as not to be translated, text without
  // letters) is unchanged, and so is a unit whose translation equals its text. In all other units &, < and > are
  // written as references, no other character is, and the white space between words is that of the translation. Throws
  // a UsageError if the number of translations differs from the number of units.
  std::string put_back(std::span<const Translation> translations) const;

 private:
  // A part of the fragment: bytes that stay, or the original bytes of a unit.
  struct Part {
    std::string bytes;
    bool is_unit = false;
  };
  class Reader;

  std::vector<Unit> units_;
  std::vector<Part> parts_;
};

}  // namespace dragoman::text
