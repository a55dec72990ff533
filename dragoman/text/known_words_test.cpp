#include "dragoman/text/known_words.h"

#include <gtest/gtest.h>

namespace dragoman::text {
namespace {

using Words = std::vector<std::string>;

TEST(KnownWords, NamesTheWordsThatTheListLacks) {
  const KnownWords known({"my", "lamp", "is", "red", "didn't", "Zürich"});
  EXPECT_EQ(known.unseen("My name is Anna, not ANNA; is Anna red?"), (Words{"name", "Anna", "not", "ANNA"}));
  EXPECT_EQ(known.unseen("My lamp is red. DIDN'T ZÜRICH..."), Words());
  EXPECT_EQ(known.unseen(" \t?! \u2014 "), Words());
  EXPECT_EQ(known.unseen("2 lamps, Straße 李明 e\u0301t\u00E9"),
            (Words{"2", "lamps", "Straße", "李明", "e\u0301t\u00E9"}));
}

TEST(KnownWords, QuotationMarksAndDashesAreNoPartOfAWord) {
  const KnownWords known({"red", "dogs'", "re-read"});
  EXPECT_EQ(known.unseen("'red' red- \u2018red\u2019 dogs' re-read --red"), Words());
  EXPECT_EQ(known.unseen("'blue' un-red"), (Words{"blue", "un-red"}));
}

TEST(KnownWords, WithoutAListNothingIsSaid) {
  EXPECT_TRUE(KnownWords().empty());
  EXPECT_EQ(KnownWords().unseen("My name is Anna."), Words());
}

TEST(KnownWords, OfTwoListsAreUnseenIfBothLackThem) {
  KnownWords both({"one", "two"});
  both.join(KnownWords({"two", "three"}));
  EXPECT_EQ(both.unseen("one two three four"), Words{"four"});
  both.join(KnownWords());  // a model that may know anything
  EXPECT_EQ(both.unseen("four"), Words());
  both.join(KnownWords({"one"}));
  EXPECT_EQ(both.unseen("four"), Words());
}

TEST(KnownWords, OfALongTextAreLimitedInNumber) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + " ";
  EXPECT_EQ(KnownWords({"one"}).unseen(text).size(), KnownWords::kMostUnseen);
}

TEST(KnownWords, UnseenWordsAreNamedInASentence) {
  EXPECT_EQ(never_saw({"Anna"}), "the model never saw 'Anna' in training");
  EXPECT_EQ(never_saw({"a", "b", "c", "d", "e"}), "the model never saw 'a', 'b', 'c', 'd' and 'e' in training");
  EXPECT_EQ(never_saw({"a", "b", "c", "d", "e", "f", "g"}),
            "the model never saw 'a', 'b', 'c', 'd', 'e' and 2 more in training");
  EXPECT_EQ(never_saw(Words(KnownWords::kMostUnseen, "a")),
            "the model never saw 'a', 'a', 'a', 'a', 'a' and many more in training");
}

TEST(KnownWords, TextThatIsNotUtf8DoesNoHarm) {
  EXPECT_EQ(KnownWords({"one"}).unseen("one\xFFtwo \xC3"), Words{"two"});
}

}  // namespace
}  // namespace dragoman::text
