#include "dragoman/eval/ter.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/eval/testing.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

TEST(Ter, IsEditsPerWordOfTheReference) {
  EXPECT_EQ(Ter().statistics("the cat sat", Sentences{"the cat is here"}), (Statistics{2, 4}));
  EXPECT_EQ(sentence_score(Ter(), "the cat sat", {"the cat is here"}), 50);
  EXPECT_EQ(sentence_score(Ter(), "a b", {"a b"}), 0);
}

TEST(Ter, MovingAStretchOfWordsIsOneEdit) {
  EXPECT_EQ(Ter().statistics("on the mat the cat sat", Sentences{"the cat sat on the mat"}), (Statistics{1, 6}));
  EXPECT_EQ(Ter().statistics("a b c d e f g h", Sentences{"e f g h a b c d"}), (Statistics{1, 8}));
}

TEST(Ter, TakesTheFewestEditsAndTheMeanLength) {
  EXPECT_EQ(Ter().statistics("a b", Sentences{"x y z", "a b", "a b c d"}), (Statistics{0, 3}));
}

TEST(Ter, WordsWithoutAReferenceAreAllWrong) {
  EXPECT_EQ(sentence_score(Ter(), "a b", {""}), 100);
  EXPECT_EQ(sentence_score(Ter(), "", {""}), 0);
  EXPECT_EQ(sentence_score(Ter(), "", {"a b"}), 100);
  EXPECT_EQ(Ter().score({}), 0);
  EXPECT_THROW(Ter().statistics("a", {}), ShapeError);
}

TEST(Ter, IgnoresCaseByDefault) {
  EXPECT_EQ(sentence_score(Ter(), "A b", {"a b"}), 0);
  EXPECT_EQ(sentence_score(Ter({.case_sensitive = true}), "A b", {"a b"}), 50);
}

// sacreBLEU 2.6.0 prints these scores.
TEST(Ter, TokenisesAsTercomDoes) {
  const std::string given = "He didn't, did he? &quot;No&quot; it's 3-4";
  const Sentences reference{"He did not, did he ? \" No \" it 's 3 - 4"};
  EXPECT_NEAR(sentence_score(Ter(), given, reference), 85.714286, 5e-7);
  EXPECT_NEAR(sentence_score(Ter({.normalized = true}), given, reference), 13.333333, 5e-7);
  EXPECT_NEAR(sentence_score(Ter({.no_punctuation = true}), given, reference), 72.727273, 5e-7);
  EXPECT_EQ(tokenize_tercom("The dog's 3-4 &lt;b&gt; e.g. 1,5.", {.normalized = true}),
            "the dog 's 3 - 4 < b > e . g . 1,5 .");
}

TEST(Ter, KnowsAsianCharacters) {
  if (!knows_unicode()) GTEST_SKIP() << "this build has no ICU";
  const std::string text =
      "\xE6\x88\x91\xE7\x88\xB1\xE3\x80\x82"
      "abc!";
  EXPECT_EQ(tokenize_tercom(text, {.normalized = true, .asian_support = true}),
            "\xE6\x88\x91 \xE7\x88\xB1 \xE3\x80\x82 abc !");
  EXPECT_EQ(tokenize_tercom(text, {.normalized = true, .no_punctuation = true, .asian_support = true}),
            "\xE6\x88\x91 \xE7\x88\xB1 abc");
  EXPECT_EQ(tokenize_tercom(text, {.asian_support = true}), text);
}

TEST(Ter, HasSacreBleusSignature) {
  EXPECT_EQ(signature(Ter(), 1), "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no");
  EXPECT_EQ(
      signature(Ter({.case_sensitive = true, .normalized = true, .no_punctuation = true, .asian_support = true}), 2),
      "nrefs:2|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes");
}

}  // namespace
}  // namespace dragoman::eval
