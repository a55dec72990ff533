#include "dragoman/demo/demo_corpus.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/demo/plain_words.h"

namespace dragoman::demo {
namespace {

// Each sentence has a singer (one bird or two), a song, and a mark. Reserved for the test set are 10 % of the pairs of
// bird and song, and sentences in which two birds ("and") shout ("!").
constexpr std::string_view kSongs = R"(
words Bird : name
  wren
  rook
  dove
  lark
  crow
  kite
words Song : name
  high
  low
  long
  short
  old
  new
  sad
  gay
category Sentence
  rule calm 2
    S : Singer
    T : Song
    source = {S.text} {T.name}.
    target = {T.name} {S.text}.
  rule shout 1
    S : Singer
    T : Song
    source = {S.text} {T.name}!
    target = {T.name} {S.text}!
category Singer
  rule one 2
    B : Bird
    text = {B.name}
  rule two 1
    B : Bird
    C : Bird
    text = {B.name} and {C.name}
unseen shout two
unseen Bird Song 10%
)";

bool shouts(const TextPair& pair) { return pair.source.ends_with('!'); }
bool has_two_birds(const TextPair& pair) { return pair.source.find(" and ") != std::string::npos; }

// "low crow" for every bird and song of the sentence.
std::set<std::string> word_pairs(const TextPair& pair) {
  const auto words = plain_words(pair.target);  // the song is the first word
  std::set<std::string> pairs;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) pairs.insert(std::string(words[0]) + ' ' + std::string(words[i]));
  pairs.erase(std::string(words[0]) + " and");
  std::set<std::string> lower;
  for (std::string text : pairs) {
    text[0] = static_cast<char>(std::tolower(text[0]));
    lower.insert(text);
  }
  return lower;
}

DemoCorpus songs() { return make_demo_corpus(Grammar(kSongs, "songs"), {.train = 150, .valid = 10, .test = 40}); }

TEST(DemoCorpus, ATestSentenceCombinesWhatNoTrainingSentenceDoes) {
  const DemoCorpus corpus = songs();
  std::set<std::string> trained;
  bool shouted = false, two_birds_sang = false;
  for (const TextPair& pair : corpus.train) {
    trained.merge(word_pairs(pair));
    EXPECT_FALSE(shouts(pair) && has_two_birds(pair)) << pair.source;
    shouted |= shouts(pair);
    two_birds_sang |= has_two_birds(pair);
  }
  EXPECT_TRUE(shouted && two_birds_sang);
  for (const TextPair& pair : corpus.test) {
    bool new_pair = false;
    for (const std::string& words : word_pairs(pair)) new_pair |= !trained.contains(words);
    EXPECT_TRUE(new_pair || (shouts(pair) && has_two_birds(pair))) << pair.source;
  }
}

TEST(DemoCorpus, NoSourceOccursTwiceInAnyPart) {
  const DemoCorpus corpus =
      make_demo_corpus(Grammar(demo_grammar(), "demo"), {.train = 3000, .valid = 100, .test = 200, .references = 1});
  EXPECT_EQ(corpus.train.size(), 3000u);
  EXPECT_EQ(corpus.valid.size(), 100u);
  EXPECT_EQ(corpus.test.size(), 200u);
  std::set<std::string> sources;
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test})
    for (const TextPair& pair : *part) EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
}

TEST(DemoCorpus, EveryWordOfTheTestSetOccursFiveTimesInTraining) {
  const DemoCorpus corpus =
      make_demo_corpus(Grammar(demo_grammar(), "demo"), {.train = 3000, .valid = 100, .test = 200, .references = 1});
  std::map<std::string, int> count;
  for (const TextPair& pair : corpus.train)
    for (const std::string& side : {pair.source, pair.target})
      for (const std::string_view word : plain_words(side)) ++count[std::string(word)];
  for (const TextPair& pair : corpus.test)
    for (const std::string& side : {pair.source, pair.target})
      for (const std::string_view word : plain_words(side)) EXPECT_GE(count[std::string(word)], 5) << word;
}

// The noun that the pronoun stands for, and the adjective, which is the third word after it: "it was too tired".
std::string noun_and_adjective(const ReferencePair& pair) {
  std::string source = pair.text.source;
  std::erase_if(source, [](char c) { return c == '.' || c == ','; });
  std::istringstream text(source);
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  return words.at(pair.reference.meant) + " " + words.at(pair.reference.pronoun + 3);
}

TEST(DemoCorpus, HalfOfTheNounsAndAdjectivesThatAPronounCombinesAreUnseen) {
  const DemoCorpus corpus =
      make_demo_corpus(Grammar(demo_grammar(), "demo"), {.train = 20000, .valid = 1, .test = 100, .references = 500});
  std::set<std::string> trained, unseen;
  for (const ReferencePair& pair : corpus.train_references) trained.insert(noun_and_adjective(pair));
  for (const ReferencePair& pair : corpus.unseen_references) unseen.insert(noun_and_adjective(pair));
  EXPECT_EQ(corpus.unseen_references.size(), 500u);
  EXPECT_EQ(trained.size() + unseen.size(), 2u * 9 * 6);  // nine nouns and six adjectives, of beings and of paths
  EXPECT_EQ(unseen.size(), 54u);
  for (const std::string& words : unseen) EXPECT_FALSE(trained.contains(words)) << words;
  for (const ReferencePair& pair : corpus.unseen_references) EXPECT_NE(pair.reference.pronoun, 1) << pair.text.source;
  EXPECT_TRUE(unseen.contains("animal tired") && unseen.contains("street wide"));
  for (const TextPair& pair : corpus.test) EXPECT_EQ(pair.source.find("ecause it was too"), std::string::npos);
}

TEST(DemoCorpus, TheSeedDeterminesTheCorpus) {
  const Grammar grammar(demo_grammar(), "demo");
  const DemoCorpusSettings settings{.train = 1500, .valid = 1, .test = 1, .references = 1};
  const auto first = make_demo_corpus(grammar, settings), again = make_demo_corpus(grammar, settings);
  EXPECT_EQ(first.train, again.train);
  DemoCorpusSettings other = settings;
  set(other, "seed", "2");
  EXPECT_NE(first.train, make_demo_corpus(grammar, other).train);
}

std::string error_of(std::string_view grammar, const DemoCorpusSettings& settings) {
  try {
    make_demo_corpus(Grammar(grammar, "songs"), settings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DemoCorpus, OneSourceWithTwoTranslationsIsRefused) {
  EXPECT_EQ(
      error_of("category Sentence\n  rule only 1\n    source = bank\n    target = Bank | Ufer\n", {}).substr(0, 38),
      "the grammar translates 'Bank' both as ");
}

TEST(DemoCorpus, ImpossibleSizesAreRefused) {
  EXPECT_EQ(error_of(kSongs, {.train = 5000}).substr(0, 23), "the grammar makes only ");
  EXPECT_EQ(error_of(kSongs, {.train = 0}),
            "train-pairs is 0, valid-pairs 500, test-pairs 1000 and reference-pairs 300; each must be above 0.");
}

TEST(SourceWords, AreWrittenAsInsideASentence) {
  const std::vector<TextPair> pairs{{"Who saw Ada?", ""}, {"Ada, who saw May.", ""}, {"It may be May!", ""}};
  EXPECT_EQ(source_words(pairs), (std::vector<std::string>{"Ada", "May", "be", "it", "may", "saw", "who"}));
}

}  // namespace
}  // namespace dragoman::demo
