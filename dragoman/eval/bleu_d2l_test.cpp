#include "dragoman/eval/bleu_d2l.h"

#include <gtest/gtest.h>

#include "dragoman/eval/testing.h"

namespace dragoman::eval {
namespace {

TEST(BleuD2l, AgreesWithTheWorkedExamples) {
  const auto score = [](std::size_t longest) { return bleu_d2l("A B B C D", "A B C D E F", longest); };
  EXPECT_NEAR(score(2), 0.681477, 5e-7);
  EXPECT_NEAR(score(3), 0.594034, 5e-7);
  EXPECT_EQ(score(4), 0);
  EXPECT_NEAR(bleu_d2l("A B", "A B C D E F", 2), 0.135335, 5e-7);
}

TEST(BleuD2l, OfEqualSentencesIsOne) {
  EXPECT_EQ(bleu_d2l("a b c", "a b c", 2), 1);
  EXPECT_EQ(bleu_d2l("a", "a", 4), 1);
  EXPECT_EQ(bleu_d2l("", "a", 2), 0);
}

TEST(BleuD2l, OfACorpusIsTheMeanOverSentences) {
  EXPECT_EQ(corpus_score(BleuD2l(), {"a b", "x"}, {"a b", "y"}), 0.5);
  EXPECT_EQ(sentence_score(BleuD2l(), "a b", {"x", "a b"}), 1);
  EXPECT_EQ(BleuD2l().score({}), 0);
}

}  // namespace
}  // namespace dragoman::eval
