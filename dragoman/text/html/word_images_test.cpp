#include "dragoman/text/html/word_images.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::text {
namespace {

std::vector<std::string> pieces(std::string_view text, const std::vector<std::size_t>& cuts = {}) {
  std::vector<std::string> pieces;
  for (const Atom& atom : atoms_of(text, cuts)) {
    pieces.emplace_back(text.substr(atom.bytes.begin, atom.bytes.end - atom.bytes.begin));
  }
  return pieces;
}

TEST(Atoms, AreWordsIdeographsAndMarks) {
  EXPECT_EQ(pieces(" Don't (go), 你好 42!"),
            (std::vector<std::string>{"Don", "'", "t", "(", "go", ")", ",", "你", "好", "42", "!"}));
  EXPECT_EQ(pieces("e\u0301t\u00E9 \u0391\u03B1"), (std::vector<std::string>{"e\u0301t\u00E9", "\u0391\u03B1"}));
  EXPECT_TRUE(pieces("").empty());
}

TEST(Atoms, AreCutWhereAsked) {
  EXPECT_EQ(pieces("Hello there", {1, 3, 6}), (std::vector<std::string>{"H", "el", "lo", "there"}));
}

TEST(WordLinks, AreBytesOfWords) {
  EXPECT_EQ(words_of(" a  bc\n"), (std::vector<Range>{{1, 2}, {4, 6}}));
  // The last three pairs name words that do not exist, and are skipped.
  const std::vector<std::pair<std::int64_t, std::int64_t>> alignment{{0, 1}, {1, 0}, {2, 0}, {-1, 0}, {0, 9}};
  EXPECT_EQ(link_words("a bc", "d e", alignment), (std::vector<TextLink>{{{0, 1}, {2, 3}}, {{2, 4}, {0, 1}}}));
}

TEST(WordImages, AreTheRunWithMostLinkedAtoms) {
  const std::string source = "a b c", target = "A x B C";
  const Atoms from = atoms_of(source, {}), to = atoms_of(target, {});
  const std::vector<std::pair<std::int64_t, std::int64_t>> alignment{{0, 0}, {1, 2}, {2, 3}};
  const WordImages images(from, to, link_words(source, target, alignment));
  EXPECT_EQ(images.image({0, 1}), (Range{0, 1}));
  EXPECT_EQ(images.image({1, 3}), (Range{2, 4}));
  EXPECT_EQ(images.image({0, 3}), (Range{0, 4}));
}

TEST(WordImages, OfWordsWithoutALinkAreBetweenTheirNeighbours) {
  const std::string source = "a b c";
  const Atoms from = atoms_of(source, {}), to = from;
  const std::vector<TextLink> links{{{0, 1}, {0, 1}}, {{4, 5}, {4, 5}}};
  const WordImages images(from, to, links);
  EXPECT_EQ(images.image({1, 2}), (Range{1, 2}));
  EXPECT_EQ(images.place(1, /*belongs_left=*/true), 1u);
  EXPECT_EQ(images.place(1, /*belongs_left=*/false), 2u);
  EXPECT_EQ(images.place(3, /*belongs_left=*/true), 3u);
}

}  // namespace
}  // namespace dragoman::text
