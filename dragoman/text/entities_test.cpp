#include "dragoman/text/entities.h"

#include <gtest/gtest.h>

namespace dragoman::text {
namespace {

// The character that a reference stands for; 0 if its name is unknown, nullopt if there is no reference.
std::optional<char32_t> meaning(std::string_view text) {
  const std::optional<Reference> reference = reference_at(text);
  if (!reference) return std::nullopt;
  return reference->code.value_or(0);
}

TEST(References, StandForCharacters) {
  EXPECT_EQ(meaning("&amp;"), U'&');
  EXPECT_EQ(meaning("&lt;b"), U'<');
  EXPECT_EQ(meaning("&eacute;t&eacute;"), U'é');
  EXPECT_EQ(meaning("&#65;"), U'A');
  EXPECT_EQ(meaning("&#x41;"), U'A');
  EXPECT_EQ(meaning("&#X1F600;"), U'😀');
  EXPECT_EQ(reference_at("&nbsp;x")->bytes, 6u);
}

TEST(References, WithUnknownMeaningAreStillRecognised) {
  for (const char* text : {"&notaname;", "&#0;", "&#xD800;", "&#x110000;", "&#99999999999999;", "&#xZZ;", "&#12a;"}) {
    EXPECT_EQ(meaning(text), U'\0') << text;
  }
}

TEST(References, EndInASemicolon) {
  for (const char* text : {"&", "& amp;", "&amp", "&amp x;", "&;", "&#;", "amp;", ""}) {
    EXPECT_EQ(meaning(text), std::nullopt) << text;
  }
  EXPECT_EQ(meaning("&" + std::string(1000, 'a') + ";"), std::nullopt);
}

TEST(AsHtml, EscapesMarkupCharacters) {
  EXPECT_EQ(as_html("a < b && c > \"d\" é"), "a &lt; b &amp;&amp; c &gt; \"d\" é");
}

}  // namespace
}  // namespace dragoman::text
