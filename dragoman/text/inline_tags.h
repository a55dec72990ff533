// Tags inside a line of text, and where they go in its translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/word_images.h"

namespace dragoman::text {

struct Translation {
  std::string text;
  std::vector<Link> links = {};  // of a text of several sentences, those of all; may be empty
};

enum class TagKind : std::uint8_t { kOpening, kClosing, kAlone };

// A tag of a text with tags. Those of an opening tag and the closing tag that is its partner cover the bytes of the
// text between their places.
struct InlineTag {
  TagKind kind = TagKind::kAlone;
  std::string bytes;
  std::size_t at = 0;                                 // before this byte of the text
  std::optional<std::size_t> partner = std::nullopt;  // its number; nothing where HTML is broken
};

// The translation as HTML, with the tags of its source: each exactly once, pairs around what their words became and
// nested as they were. Without links positions are in proportion. If a tag has no partner, or tags are nested very
// deeply, all of them keep their order and are placed in proportion.
// `tags` are in the order in which they stand in the source.
std::string place_tags(std::string_view source, std::span<const InlineTag> tags, const Translation& translation);

}  // namespace dragoman::text
