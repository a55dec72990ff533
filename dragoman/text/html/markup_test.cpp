#include "dragoman/text/html/markup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/text/html/html_tokens.h"

namespace dragoman::text {
namespace {

using Strings = std::vector<std::string>;
using Alignment = std::vector<std::pair<std::int64_t, std::int64_t>>;

Strings texts(std::string_view fragment) {
  Strings texts;
  const Markup markup(fragment);
  for (const Unit& unit : markup.units()) texts.push_back(unit.text);
  return texts;
}

// The fragment, which has one unit, with `text` as the unit's translation.
std::string translated(std::string_view fragment, const std::string& text, const Alignment& alignment = {}) {
  const Markup markup(fragment);
  EXPECT_EQ(markup.units().size(), 1u) << fragment;
  return markup.put_back(std::vector{Translation{text, link_words(markup.units().at(0).text, text, alignment)}});
}

// All tokens that are not text, in order.
Strings tags_of(std::string_view fragment) {
  Strings tags;
  HtmlTokens tokens(fragment);
  for (HtmlToken token; tokens.next(token);) {
    if (token.kind != TokenKind::kText) tags.emplace_back(token.bytes);
  }
  return tags;
}

Strings sorted(Strings strings) {
  std::ranges::sort(strings);
  return strings;
}

// Whether each closing tag closes the tag that was opened last.
bool is_nested(std::string_view fragment) {
  Strings open;
  HtmlTokens tokens(fragment);
  for (HtmlToken token; tokens.next(token);) {
    if (token.kind == TokenKind::kOpening) open.push_back(token.name);
    if (token.kind != TokenKind::kClosing) continue;
    if (open.empty() || open.back() != token.name) return false;
    open.pop_back();
  }
  return open.empty();
}

TEST(Tokens, JoinedAreTheFragment) {
  const std::string fragment = "a < b<!-- <b> --><P class='x>y'>c</P ><br/><a href=x/>d</a><?e?></><![CDATA[<i>]]><b";
  std::string joined;
  HtmlTokens tokens(fragment);
  for (HtmlToken token; tokens.next(token);) joined += token.bytes;
  EXPECT_EQ(joined, fragment);
  EXPECT_EQ(tags_of(fragment), (Strings{"<!-- <b> -->", "<P class='x>y'>", "</P >", "<br/>", "<a href=x/>", "</a>",
                                        "<?e?>", "</>", "<![CDATA[<i>]]>", "<b"}));
}

TEST(Tokens, OfUntranslatedElementsIncludeTheirContents) {
  for (const char* element : {"<script>if (a</b/.c) '</i>'</script>", "<STYLE>p > b</style>", "<code>a<b>b</b></code>",
                              "<span translate=\"no\">a<span>b</span>c</span>", "<i class='x notranslate y'>a</i>",
                              "<b TRANSLATE=no>a</b>", "<pre>a\n<pre>b</pre>\n</pre>", "<textarea><b></textarea>"}) {
    EXPECT_EQ(tags_of(std::string("x") + element + "y"), Strings{element});
  }
  EXPECT_EQ(tags_of("<b translate=yes>a</b>").size(), 2u);
}

TEST(Units, EndAtBlocksAndGoOnAcrossInlineTags) {
  EXPECT_EQ(texts("<h1>Title</h1><p>One <b>bold</b> word.<br>Next</p><ul><li>a<li>b</ul>"),
            (Strings{"Title", "One bold word.", "Next", "a", "b"}));
  EXPECT_EQ(texts("<p>x <unknown-tag>y</unknown-tag></p>"), Strings{"x y"});
}

TEST(Units, ContainTextAsAReaderSeesIt) {
  EXPECT_EQ(texts("<p>\n  Fish &amp; chips &lt;3\n  caf&eacute;&#33; </p>"), Strings{"Fish & chips <3 café!"});
  EXPECT_EQ(texts("a <b> b </b> c"), Strings{"a b c"});
  EXPECT_EQ(texts("a < b and c > d"), Strings{"a < b and c > d"});
}

TEST(Units, ContainAtLeastOneLetter) {
  EXPECT_EQ(texts("<p> </p><p>123 &bull; |</p><!-- no --><script>no</script><pre>no</pre>"), Strings{});
  EXPECT_EQ(texts(""), Strings{});
}

TEST(Units, HaveTagsWithPositionsAndPartners) {
  const Markup markup("<p>See <a href='x'>the big</a> house</p>");
  const Unit& unit = markup.units().at(0);
  ASSERT_EQ(unit.tags.size(), 2u);
  EXPECT_EQ(unit.text.substr(unit.tags[0].at, unit.tags[1].at - unit.tags[0].at), "the big");
  EXPECT_EQ(unit.tags[0].partner, 1u);
  EXPECT_EQ(unit.tags[1].partner, 0u);
}

TEST(PutBack, PutsTagsAroundTheTranslationsOfTheirWords) {
  EXPECT_EQ(translated("The <b>red</b> house.", "Das rote Haus.", {{0, 0}, {1, 1}, {2, 2}}), "Das <b>rote</b> Haus.");
  EXPECT_EQ(translated("I <i>have</i> <b>seen</b> him", "Ich habe ihn gesehen", {{0, 0}, {1, 1}, {2, 3}, {3, 2}}),
            "Ich <i>habe</i> ihn <b>gesehen</b>");
  EXPECT_EQ(translated("<i>white</i> <b>house</b>", "maison blanche", {{0, 1}, {1, 0}}),
            "<b>maison</b> <i>blanche</i>");
}

TEST(PutBack, LeavesPunctuationOutside) {
  EXPECT_EQ(translated("Read <a href=\"x\">this</a>, now!", "Lies das, jetzt!", {{0, 0}, {1, 1}, {2, 2}}),
            "Lies <a href=\"x\">das</a>, jetzt!");
}

TEST(PutBack, KeepsOneTagAroundOneRun) {
  // One linked word far away does not stretch the pair over the whole sentence.
  EXPECT_EQ(translated("<b>a b c</b> d e f g", "A B C D E F G",
                       {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {2, 6}}),
            "<b>A B C</b> D E F G");
}

TEST(PutBack, PlacesTagsOfUnlinkedWordsBetweenNeighbours) {
  EXPECT_EQ(translated("one <a>two</a> three", "eins zwei drei", {{0, 0}, {2, 2}}), "eins <a>zwei</a> drei");
  EXPECT_EQ(translated("one <a>two</a> three", "eins drei", {{0, 0}, {2, 1}}), "eins <a>drei</a>");
  EXPECT_EQ(translated("one <a>two</a> three", ""), "<a></a>");
}

TEST(PutBack, PlacesInProportionWithoutAnAlignment) {
  EXPECT_EQ(translated("one <b>two</b> three", "eins zwei drei"), "eins <b>zwei</b> drei");
  EXPECT_EQ(translated("<b>one two</b>", "eins zwei drei"), "<b>eins zwei drei</b>");
  EXPECT_EQ(translated("我<b>爱</b>你", "I love you"), "I <b>love</b> you");
  EXPECT_EQ(translated("I <b>love</b> you", "我爱你"), "我<b>爱</b>你");
}

TEST(PutBack, LinksMayConnectAnyRangesOfBytes) {
  const Markup markup("我<b>爱</b>你");
  const Translation translation{"You I love", {{{0, 3}, {4, 5}}, {{3, 6}, {6, 10}}, {{6, 9}, {0, 3}}}};
  EXPECT_EQ(markup.put_back(std::vector{translation}), "You I <b>love</b>");
}

TEST(PutBack, KeepsVoidTagsAndUntranslatedElementsNextToTheirWords) {
  EXPECT_EQ(translated("a <img src=x> b", "A B"), "A <img src=x> B");
  EXPECT_EQ(translated("a<img> b", "B A", {{0, 1}, {1, 0}}), "B A<img>");
  EXPECT_EQ(translated("Run <code>ls</code> now", "Jetzt ausführen", {{0, 1}, {1, 0}}),
            "<code>ls</code> Jetzt ausführen");
}

TEST(PutBack, WritesReferencesWhereTheyAreNeeded) {
  EXPECT_EQ(translated("Fish &amp; <b>chips</b> &eacute; &unknown; &lt;", "Poisson & frites é <"),
            "Poisson &amp; <b>frites</b> é &unknown; &lt;");
}

TEST(PutBack, KeepsTagsInTheirOrderWhereHtmlIsBroken) {
  for (const char* fragment : {"a <b>b <i>c</b> d</i> e", "a </b> b <b> c", "<b>a <i>b c d", "x </i></b> y <a href='",
                               "a <b <i> c</i> d", "<b><i>a</b> b <!-- c"}) {
    const Markup markup(fragment);
    std::vector<Translation> translations;
    for (const Unit& unit : markup.units()) translations.push_back({unit.text + " und mehr", {}});
    EXPECT_EQ(tags_of(markup.put_back(translations)), tags_of(fragment)) << fragment;
  }
}

TEST(PutBack, RequiresATranslationForEachUnit) {
  EXPECT_THROW(Markup("a<p>b").put_back(std::vector<Translation>(1)), UsageError);
}

// A fragment of words and tags, well formed or not.
std::string random_fragment(RandomStream& random, bool well_formed) {
  const Strings words{"one", "two,", "three.", "Haus", "好", "是。", "été", "(x)", "don't", "5", "-"};
  const Strings alone{"<img src='a>b'>", "<!-- c -->", "<code>x <b>y</b></code>", "<x/>", "&unknown;", "<wbr>"};
  const Strings names{"b", "i", "a", "span"}, blocks{"<p>", "</p>", "<br>", "<div>", "<li>"};
  const auto pick = [&random](const Strings& from) {
    return from[random.below(static_cast<std::uint32_t>(from.size()))];
  };
  std::string fragment;
  Strings open;
  for (std::uint32_t n = 1 + random.below(25); n > 0; --n) {
    const std::uint32_t what = random.below(12);
    if (what < 5) fragment += pick(words);
    if (what >= 3 && what < 8 && !fragment.ends_with(' ')) fragment += " ";
    if (what == 8) fragment += pick(alone);
    if (what == 9) fragment += "<" + open.emplace_back(pick(names)) + ">";
    if (what == 10 && !well_formed) fragment += random.below(2) == 0 ? "</" + pick(names) + ">" : pick(blocks);
    if (what == 11 && !open.empty()) {
      fragment += "</" + open.back() + ">";
      open.pop_back();
    }
  }
  while (well_formed && !open.empty()) {
    fragment += "</" + open.back() + ">";
    open.pop_back();
  }
  return fragment;
}

Translation random_translation(const Unit& unit, RandomStream& random) {
  const Strings words{"eins", "zwei,", "好", "drei.", "<", "&", "vier", "(fünf)"};
  Translation translation;
  for (std::uint32_t n = random.below(12); n > 0; --n) {
    translation.text += words[random.below(static_cast<std::uint32_t>(words.size()))];
    if (random.below(4) > 0) translation.text += ' ';
  }
  Alignment alignment;
  for (std::uint32_t n = random.below(3) * random.below(8); n > 0; --n) {
    alignment.emplace_back(random.below(12), random.below(12));
  }
  translation.links = link_words(unit.text, translation.text, alignment);
  return translation;
}

TEST(PutBack, LosesNoTagWhateverTheTranslation) {
  RandomStream random(1);
  for (int round = 0; round < 10'000; ++round) {
    const bool well_formed = round % 2 == 0;
    const std::string fragment = random_fragment(random, well_formed);
    const Markup markup(fragment);
    std::vector<Translation> translations;
    for (const Unit& unit : markup.units()) translations.push_back(random_translation(unit, random));
    const std::string result = markup.put_back(translations);
    ASSERT_EQ(sorted(tags_of(result)), sorted(tags_of(fragment))) << fragment << "\n" << result;
    ASSERT_TRUE(!well_formed || is_nested(result)) << fragment << "\n" << result;
  }
}

TEST(PutBack, LosesNoTagOfAFragmentOfRandomBytes) {
  const Strings parts{"<",   ">",   "/",    "!",      "-",   "--",   "&",    ";",   "#",    "'",
                      "\"",  "=",   " ",    "\n",     "a",   "b",    "p",    "i",   "x",    "\xFF",
                      "好",  "[",   "code", "script", "<b>", "</b>", "<!--", "-->", "&lt;", "translate=no",
                      "<p>", "</p>"};
  RandomStream random(4);
  for (int round = 0; round < 10'000; ++round) {
    std::string fragment;
    for (std::uint32_t n = random.below(30); n > 0; --n) {
      fragment += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    }
    const Markup markup(fragment);
    std::vector<Translation> same, others;
    for (const Unit& unit : markup.units()) {
      same.push_back({unit.text});
      others.push_back(random_translation(unit, random));
    }
    ASSERT_EQ(markup.put_back(same), fragment);
    ASSERT_EQ(sorted(tags_of(markup.put_back(others))), sorted(tags_of(fragment))) << fragment;
  }
}

TEST(PutBack, OfUnchangedTextGivesTheFragment) {
  RandomStream random(2);
  for (int round = 0; round < 5'000; ++round) {
    const std::string fragment = random_fragment(random, round % 2 == 0);
    const Markup markup(fragment);
    std::vector<Translation> translations;
    for (const Unit& unit : markup.units()) translations.push_back({unit.text});
    ASSERT_EQ(markup.put_back(translations), fragment);
  }
}

// An unchanged text takes a shortcut in put_back(). A word appended to the translation avoids it.
TEST(PutBack, KeepsEveryTagInItsPlaceWhenAllWordsStay) {
  RandomStream random(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string fragment = random_fragment(random, true);
    fragment += fragment.ends_with(' ') ? "end." : " end.";
    const Markup markup(fragment);
    const Unit& unit = markup.units().at(0);
    Alignment alignment;
    for (std::size_t i = 0; i < words_of(unit.text).size(); ++i) alignment.emplace_back(i, i);
    const std::string text = unit.text + " More";
    const Translation translation{text, link_words(unit.text, text, alignment)};
    ASSERT_EQ(markup.put_back(std::vector{translation}), fragment + " More");
  }
}

TEST(PutBack, TakesLinearTime) {
  for (const std::string part :
       {" ",      ".",     "<",   "&",  "\n", "<b>",  "</b>",     "<b>x",  "x</i> ", "<b>x</b> ", "<!--",
        "<a b='", "&amp;", "&x;", "x ", "好", "<p>x", "<script>", "<pre>", "<b x",   "</",        "<![CDATA["}) {
    std::string fragment = "a ";
    while (fragment.size() < (part.size() == 1 ? 1'000'000 : 300'000)) fragment += part;
    const auto begin = std::chrono::steady_clock::now();
    const Markup markup(fragment);
    std::vector<Translation> translations;
    for (const Unit& unit : markup.units()) translations.push_back({unit.text + " b"});
    EXPECT_EQ(sorted(tags_of(markup.put_back(translations))), sorted(tags_of(fragment)));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << part;
  }
}

}  // namespace
}  // namespace dragoman::text
