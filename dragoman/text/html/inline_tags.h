// Places the inline tags of a source text (<b>, <a> and so on) in its translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/html/word_images.h"

namespace dragoman::text {

struct Translation {
  std::string text;
  std::vector<TextLink> links = {};  // of all its sentences; may be empty
};

enum class TagKind : std::uint8_t { kOpening, kClosing, kAlone };

// A tag inside a text. An opening tag and the closing tag that is its partner enclose the bytes between their places.
struct InlineTag {
  TagKind kind = TagKind::kAlone;
  std::string bytes;
  std::size_t at = 0;                                 // before this byte of the text
  std::optional<std::size_t> partner = std::nullopt;  // its index among the tags; absent if the HTML is broken
};

// The translation as HTML, with the tags of its source. Each tag occurs exactly once; a pair encloses the translation
// of the words that it enclosed, and pairs stay nested as they were. Without links, positions are in proportion to the
// text lengths. If a tag has no partner, or tags are nested very deeply, all tags keep their order and are placed in
// proportion.
// `tags` are in the order of the source.
std::string place_tags(std::string_view source, std::span<const InlineTag> tags, const Translation& translation);

}  // namespace dragoman::text
