// HTML fragments whose text is translated and whose tags stay: units of text are taken out of a fragment, and their
// translations put back in their place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/inline_tags.h"

namespace dragoman::text {

// Text that belongs together: what is between the tags of blocks (<p>, <li>, <br> and so on), across inline ones (<b>,
// <a>). As it is read on a page: character references stand for their characters, white space for one space, and there
// is none at the ends (no-break spaces aside). It holds at least one letter.
struct Unit {
  std::string text;
  std::vector<InlineTag> tags;
};

class Markup {
 public:
  // Any bytes are a fragment.
  explicit Markup(std::string_view fragment);

  const std::vector<Unit>& units() const { return units_; }

  // The fragment with its units translated, one translation each. Every tag is there exactly once, byte for byte; what
  // is in no unit (comments, scripts, <code>, what is marked as not to be translated, text without letters) is as it
  // was, and so is a unit whose translation is its text. In all others &, < and > are written as references, no other
  // character is, and white space between words is the translation's. Throws a UsageError if there are more or fewer
  // translations than units.
  std::string put_back(std::span<const Translation> translations) const;

 private:
  // What the fragment is made of: bytes that stay, or a unit and its bytes in the fragment.
  struct Part {
    std::string bytes;
    bool unit = false;
  };
  class Reader;

  std::vector<Unit> units_;
  std::vector<Part> parts_;
};

}  // namespace dragoman::text
