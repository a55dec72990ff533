#include "dragoman/demo/grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "dragoman/base/error.h"

namespace dragoman::demo {
namespace {

// Articles that agree with their nouns, a verb at the end of German subordinate clauses, and a category used twice.
constexpr std::string_view kSmall = R"(
words Noun : en gender de
  dog   | m Hund
  egg   | n Ei
words Verb : en de
  sees  | sieht
  has   | hat   # a comment
table der : m n
  nom       der das
  acc       den das
category Sentence
  rule main 2
    C : Clause
    source = {C.en}.
    target = {C.subject} {C.verb} {C.object}.
  rule because 1
    C : Clause
    D : Clause
    source = {C.en} because {D.en}.
    target = {C.subject} {C.verb} {C.object}, weil {D.subject} {D.object} {D.verb}.
category Clause
  rule clause 1
    S : Phrase case=nom
    V : Verb
    O : Phrase case=acc
    en = {S.en} {V.en} {O.en}
    subject = {S.de}
    verb = {V.de}
    object = {O.de}
category Phrase : case
  rule definite 1
    N : Noun
    en = the {N.en}
    de = {der case N.gender} {N.de}
)";

std::set<std::pair<std::string, std::string>> sentences(const Grammar& grammar, int count) {
  std::set<std::pair<std::string, std::string>> all;
  for (int i = 0; i < count; ++i) {
    RandomStream random(1, 0, i);
    const TextPair pair = grammar.derive(random).text;
    all.emplace(pair.source, pair.target);
  }
  return all;
}

// The error from reading `text` or making sentences with it.
std::string error_of(std::string_view text) {
  try {
    sentences(Grammar(text, "my.grammar"), 50);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Grammar, NamesItsLanguages) {
  const Languages named = Grammar("languages en DE\n" + std::string(kSmall), "my.grammar").languages();
  EXPECT_EQ(named.source + " " + named.target, "en de");
  const Languages unnamed = Grammar(kSmall, "my.grammar").languages();
  EXPECT_EQ(unnamed.source + " " + unnamed.target, "source target");
}

TEST(Grammar, BothSidesAreMadeAtOnceAndAgree) {
  const auto made = sentences(Grammar(kSmall, "small"), 2000);
  EXPECT_TRUE(made.contains({"The egg sees the dog.", "Das Ei sieht den Hund."}));
  EXPECT_TRUE(made.contains(
      {"The dog has the egg because the egg sees the dog.", "Der Hund hat das Ei, weil das Ei den Hund sieht."}));
  EXPECT_EQ(made.size(), 8u + 64u);  // 2 x 2 x 2 clauses, alone and in pairs
}

TEST(Grammar, TheSameStreamGivesTheSameSentence) {
  const Grammar grammar(kSmall, "small");
  RandomStream a(7, 0, 3), b(7, 0, 3);
  const Derivation first = grammar.derive(a), second = grammar.derive(b);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.rules, second.rules);
  EXPECT_EQ(first.words, second.words);
}

TEST(Grammar, ADerivationNamesItsRulesAndWords) {
  const Grammar grammar(kSmall, "small");
  RandomStream random(1);
  const Derivation derivation = grammar.derive(random);
  std::set<std::string> names;
  for (const int rule : derivation.rules) names.insert(grammar.rule_name(rule));
  EXPECT_TRUE(names.contains("clause") && names.contains("definite"));
  for (const int word : derivation.words)  // without its first letter, which may be a capital in the sentence
    EXPECT_NE(derivation.text.source.find(grammar.word_name(word).substr(1)), std::string::npos);
}

// The links of a pair as words: "The=Der dog=Hund". Punctuation is left out.
std::string links_in_words(const Derivation& derivation) {
  const auto words_of = [](std::string text) {
    std::erase_if(text, [](char c) { return std::string_view(".,?!").find(c) != std::string_view::npos; });
    std::vector<std::string> words{""};
    for (const char c : text) {
      if (c == ' ')
        words.emplace_back();
      else
        words.back() += c;
    }
    return words;
  };
  const std::vector<std::string> source = words_of(derivation.text.source), target = words_of(derivation.text.target);
  std::string text;
  for (const auto& [from, to] : derivation.links)
    text += (text.empty() ? "" : " ") + source.at(from) + "=" + target.at(to);
  return text;
}

TEST(Grammar, LinksWordsThatComeFromOneWordOrOneRule) {
  const Grammar grammar(kSmall, "small");
  for (int i = 0; i < 100; ++i) {
    RandomStream random(1, 0, i);
    const Derivation derivation = grammar.derive(random);
    if (derivation.text.source != "The egg has the dog because the dog sees the egg.") continue;
    EXPECT_EQ(derivation.text.target, "Das Ei hat den Hund, weil der Hund das Ei sieht.");
    EXPECT_EQ(links_in_words(derivation),
              "The=Das egg=Ei has=hat the=den dog=Hund because=weil the=der dog=Hund sees=sieht the=das egg=Ei");
    return;
  }
  FAIL() << "the sentence was not made";
}

TEST(Grammar, MarksLinkWordsWithinARuleAndWordsThatDependOnOneText) {
  const Grammar grammar(R"(
respell target in_dem_ im_
category Sentence
  rule only 1
    neg = yes
    P : Part neg={neg}
    source = it^it is^is not^neg {P.en} in^in the^the house^house.
    target = in^in dem^the Haus^house ist^is es^it {P.de}.
category Part : neg
  rule part 1
    en = here
    de = nicht^neg hier
)",
                        "small");
  RandomStream random(1);
  const Derivation derivation = grammar.derive(random);
  EXPECT_EQ(derivation.text, (TextPair{"It is not here in the house.", "Im Haus ist es nicht hier."}));
  EXPECT_EQ(links_in_words(derivation), "It=es is=ist not=nicht here=hier in=Im the=Im house=Haus");
}

TEST(Grammar, WordsAndRulesMatchAnyAlternative) {
  const Grammar grammar(R"(
words Thing : name kind
  bread food
  milk  food/drink
  water drink
category Sentence
  rule meal 1
    T : Thing kind=food
    C : Comment kind=drink/music
    source = {T.name} {C.text}
    target =
category Comment : kind
  rule never 1 when kind=food
    text = never
  rule always 1 when kind=drink/sleep
    text = always
)",
                        "small");
  EXPECT_EQ(sentences(grammar, 100),
            (std::set<std::pair<std::string, std::string>>{{"Bread always", ""}, {"Milk always", ""}}));
}

TEST(Grammar, SpellsAsTheFileSays) {
  const Grammar grammar(R"(
respell source a_a an_a
respell target in_dem_ im_
category Sentence
  rule only 1
    empty =
    source = a {empty} apple , \
             then.
    target = über in dem Baum, {empty}.
)",
                        "small");
  EXPECT_EQ(*sentences(grammar, 1).begin(), std::pair(std::string("An apple, then."), std::string("Über im Baum.")));
}

TEST(Grammar, RecursionComesToAnEnd) {
  const Grammar grammar(R"(
category Sentence
  rule deeper 1000
    S : Sentence
    source = x{S.source}
    target =
  rule stop 1
    source = x
    target =
)",
                        "small");
  for (const auto& [source, target] : sentences(grammar, 20)) EXPECT_LE(source.size(), 20u);
}

TEST(Grammar, AGrammarThatNeverEndsIsRefused) {
  EXPECT_EQ(error_of("category Sentence\n  rule loop 1\n    S : Sentence\n    source = x\n    target = x\n"),
            "my.grammar:1: no rule of 'Sentence' ever comes to an end.");
  // Ends in principle, but may grow to 20 to the power of 12 constituents.
  std::string wide = "category Sentence\n  rule stop 1\n    source = x\n    target = x\n  rule wide 1000\n";
  for (int i = 0; i < 20; ++i) wide += "    S" + std::to_string(i) + " : Sentence\n";
  EXPECT_NE(error_of(wide + "    source = x\n    target = x\n").find("does not come to an end"), std::string::npos);
  // Each line doubles the text.
  std::string doubling = "category Sentence\n  rule only 1\n    t0 = ab\n";
  for (int i = 0; i < 64; ++i) {
    const std::string last = "{t" + std::to_string(i) + "}";
    doubling += "    t" + std::to_string(i + 1) + " = " + last + last + "\n";
  }
  EXPECT_NE(error_of(doubling + "    source = x\n    target = x\n").find("longer than 4096 bytes"), std::string::npos);
}

// The error for the small grammar with one line changed.
std::string error_with(std::string_view from, std::string_view to) {
  std::string text(kSmall);
  return error_of(text.replace(text.find(from), from.size(), to));
}

TEST(Grammar, MistakesAreNamedWithFileAndLine) {
  EXPECT_EQ(error_with("V : Verb", "V : Verbs"), "my.grammar:24: there is no category 'Verbs'.");
  EXPECT_EQ(error_with("{V.de}", "{V.dee}"), "my.grammar:28: there is no column 'dee'. Did you mean 'de'?");
  EXPECT_EQ(error_with("{S.en} {V.en}", "{S.fr} {V.en}"),
            "my.grammar:26: no rule of 'Phrase' (line 30) writes a text 'fr'.");
  EXPECT_EQ(error_with("{S.en} {V.en}", "{S.em} {V.en}"),
            "my.grammar:26: no rule of 'Phrase' (line 30) writes a text 'em'. Did you mean 'en'?");
  EXPECT_EQ(error_with("{der case", "{derr case"), "my.grammar:34: there is no table 'derr'. Did you mean 'der'?");
  EXPECT_EQ(error_with("| m Hund", "| m"), "my.grammar:3: the word 'dog' has 2 cells for 3 columns.");
  EXPECT_EQ(error_with("case=acc", ""), "my.grammar:25: 'Phrase' needs 'case='.");
  EXPECT_EQ(error_with("case=acc", "case=gen"),
            "my.grammar:25: the table 'der' has no row 'gen' with a column 'm', which line 34 looks up.");
  EXPECT_EQ(error_with("V : Verb", "V : Verb en=eats"), "my.grammar:24: no word of 'Verb' fits en=eats.");
  EXPECT_EQ(error_with("rule clause 1", "rule clause -1"),
            "my.grammar:22: a rule's weight must be above 0 and at most 1000000.");
  EXPECT_EQ(error_with("{N.de}", "{N.de"), "my.grammar:34: there is a { without its }.");
  EXPECT_EQ(error_with("{N.de}", "{N.}"), "my.grammar:34: 'N.' does not name a text.");
  EXPECT_EQ(error_with("de = {der", "d.e = {der"), "my.grammar:34: 'd.e' cannot be a name.");
  EXPECT_EQ(error_with("the {N.en}", "the^article {N.en}"),
            "my.grammar:33: the mark ^article is used only once in this rule, so it links nothing.");
  EXPECT_EQ(error_with("the {N.en}", "the^N {N.en}"),
            "my.grammar:33: '^N' is the name of a child; a mark is that of a text, or a new name.");
  EXPECT_EQ(error_with("the {N.en}", "the ^x {N.en}^x"),
            "my.grammar:33: a mark is written as word^NAME or {NAME}^NAME, without a space.");
  EXPECT_EQ(error_of("languages English German\n"),
            "my.grammar:1: expected 'languages SOURCE TARGET' with tags of languages, such as 'languages en de'.");
  EXPECT_EQ(error_of("languages en EN\n"),
            "my.grammar:1: source and target are both 'en', but their files need different names; add a subtag to one, "
            "as in 'languages en en-x-plain'.");
  EXPECT_EQ(error_of("word Noun : en\n"),
            "my.grammar:1: expected languages, words, table, category, respell, unseen or refers, not 'word'.");
  EXPECT_EQ(error_of(std::string(kSmall) + "refers definite N\n"),
            "my.grammar:35: expected 'refers RULE MARK MARK MARK'.");
  EXPECT_EQ(error_of(std::string(kSmall) + "refers definite a b c\n"),
            "my.grammar:35: the rule 'definite' has no mark ^a.");
  EXPECT_EQ(error_of(std::string(kSmall) + "refers definite case case case\n"),
            "my.grammar:31: a sentence with this rule lacks a word with a mark that its 'refers' line names.");
  EXPECT_EQ(error_of(std::string(kSmall) + "unseen Verb colour=red Noun 5%\n"),
            "my.grammar:35: there is no column 'colour'.");
  EXPECT_EQ(error_of(std::string(kSmall) + "unseen Verb en=has 5%\n"),
            "my.grammar:35: expected 'unseen RULE RULE' or 'unseen LIST LIST SHARE%'.");
  EXPECT_EQ(error_of(""), "my.grammar:1: there is no category 'Sentence'.");
}

// The line that is wrong may be hundreds of lines from the line where that shows.
TEST(Grammar, AMistakeIsReportedWhereItIs) {
  const std::string small(kSmall);  // 34 lines
  EXPECT_EQ(error_of(small + "category Extra\n  rule extra 1\n    en = x\n  rule other 1\n    eng = x\n"
                             "category More\n  rule more 1\n    E : Extra\n    en = {E.en}\n"),
            "my.grammar:38: the rule 'other' of 'Extra' writes no text 'en', which line 43 reads. Did you mean 'eng'?");
  EXPECT_EQ(error_with("source = {C.en}.", "sauce = {C.en}."),
            "my.grammar:12: the rule 'main' of 'Sentence' writes no text 'source', which a pair of sentences needs. "
            "Did you mean 'sauce'?");
  EXPECT_EQ(error_with("category Sentence", "category Sentense"),
            "my.grammar:11: there is no category 'Sentence'. Did you mean 'Sentense'?");
  EXPECT_EQ(error_of("category Clause\n  rule clause 1\n    en = x\n"),
            "my.grammar:1: there is no category 'Sentence'.");
  EXPECT_EQ(error_with("    N : Noun\n", "    N : Noun\n    P : Phrase case=nom\n"),
            "my.grammar:30: no rule of 'Phrase' ever comes to an end.");
}

TEST(Grammar, AValueThatIsPassedOnNamesTheLineThatWroteIt) {
  const std::string passes =
      "category Sentence\n  rule s 1\n    A : A v=bad\n    source = {A.t}\n    target = {A.t}\n"
      "category A : v\n  rule a 1\n    B : B v={v}\n    t = {B.t}\n"
      "category B : v\n  rule b 1";
  EXPECT_EQ(error_of(passes + " when v=good\n    t = x\n"), "my.grammar:8: no rule of 'B' fits v=bad (from line 3).");
  EXPECT_EQ(error_of("words W : x\n  good\n" + passes + "\n    W : W x={v}\n    t = {W.x}\n"),
            "my.grammar:14: no word of 'W' fits x=bad (from line 5).");
  EXPECT_EQ(error_of("table T : c\n  good d\n" + passes + "\n    t = {T v 'c'}\n"),
            "my.grammar:5: the table 'T' has no row 'bad' with a column 'c', which line 14 looks up.");
}

// Reading and deriving either succeed or throw an error.
TEST(Grammar, NoInputCrashesIt) {
  RandomStream random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text(kSmall);
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      constexpr std::string_view kBytes =
          " \n{}.$'=:|~-_/#\\\0\xff"
          "aN1";
      switch (random.below(3)) {
        case 0: text[at] = kBytes[random.below(static_cast<std::uint32_t>(kBytes.size()))]; break;
        case 1: text.erase(at, random.below(20)); break;
        default: text.insert(at, text, random.below(static_cast<std::uint32_t>(text.size())), 30); break;
      }
      if (text.empty()) text = " ";
    }
    error_of(text);
  }
}

TEST(Grammar, RecognisesUnseenRulesAndAShareOfUnseenWords) {
  const Grammar grammar(std::string(kSmall) + "unseen because definite\n", "small");
  const Grammar words(std::string(kSmall) + "unseen Verb Noun 50%\n", "small");
  int unseen = 0;
  for (int i = 0; i < 200; ++i) {
    RandomStream random(1, 0, i);
    const Derivation derivation = grammar.derive(random);
    EXPECT_EQ(grammar.unseen(derivation), derivation.text.source.find("because") != std::string::npos);
    unseen += words.unseen(derivation);
  }
  EXPECT_GT(unseen, 0);
  EXPECT_LT(unseen, 200);
}

TEST(Grammar, UnseenWordsAreOnlyThoseThatFitTheConditions) {
  const auto unseen_share = [](const std::string& line) {
    const Grammar grammar(std::string(kSmall) + line, "small");
    std::set<std::string> unseen;
    for (int i = 0; i < 200; ++i) {
      RandomStream random(1, 0, i);
      const Derivation derivation = grammar.derive(random);
      if (grammar.unseen(derivation)) unseen.insert(derivation.text.source);
    }
    return unseen;
  };
  const std::set<std::string> all = unseen_share("unseen Verb Noun 50%\n");
  const std::set<std::string> with_n = unseen_share("unseen Verb Noun gender=n 50%\n");
  EXPECT_EQ(unseen_share("unseen Verb Noun gender=m/n 50%\n"), all);
  EXPECT_TRUE(std::ranges::includes(all, with_n));
  for (const std::string& sentence : with_n) EXPECT_NE(sentence.find("egg"), std::string::npos) << sentence;
  EXPECT_TRUE(unseen_share("unseen Verb en=eats Noun 50%\n").empty());
}

// The word of a sentence with this number, without punctuation.
std::string word_of(std::string text, std::int64_t number) {
  std::erase_if(text, [](char c) { return c == '.' || c == ','; });
  std::istringstream words(text);
  std::string word;
  for (std::int64_t i = 0; i <= number; ++i) words >> word;
  return word;
}

TEST(Grammar, TellsWhatAPronounStandsFor) {
  const Grammar grammar(R"(
words Noun : en de
  cat  | Katze
  road | Straße
category Sentence
  rule only 1
    A : Noun en=cat
    B : Noun en=road
    first = {A.en}
    second = {B.en}
    R : Reason being={first} way={second}
    source = {first}^first leaves {second}^second, since {R.en}
    target = {A.de}^first geht {B.de}^second {R.de}
category Reason : being way
  rule tired 1
    en = it^it was^x tired
    de = müde^x ist sie^it
  rule wide 1
    en = it^it was^x wide
    de = breit^x ist sie^it
refers tired it being way
refers wide it way being
)",
                        "roads");
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    RandomStream random(1, 0, i);
    const Derivation derivation = grammar.derive(random);
    ASSERT_TRUE(derivation.reference.has_value());
    const auto& [pronoun, meant, other, translation] = *derivation.reference;
    const std::string& source = derivation.text.source;
    EXPECT_EQ(word_of(source, pronoun), "it");
    EXPECT_EQ(word_of(derivation.text.target, translation), "sie");
    seen.insert(word_of(source, 6) + ": " + word_of(source, meant) + ", not " + word_of(source, other));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"tired: Cat, not road", "wide: road, not Cat"}));
}

TEST(DemoGrammar, EveryRuleAndEveryWordIsUsed) {
  const Grammar grammar(demo_grammar(), "demo");
  EXPECT_GE(grammar.word_count(), 350);
  std::set<int> rules, words;
  for (int i = 0; i < 8000; ++i) {
    RandomStream random(1, 0, i);
    const Derivation derivation = grammar.derive(random);
    rules.insert(derivation.rules.begin(), derivation.rules.end());
    words.insert(derivation.words.begin(), derivation.words.end());
  }
  for (int rule = 0; rule < grammar.rule_count(); ++rule) EXPECT_TRUE(rules.contains(rule)) << grammar.rule_name(rule);
  for (int word = 0; word < grammar.word_count(); ++word) EXPECT_TRUE(words.contains(word)) << grammar.word_name(word);
}

// Twelve sentences in which German changes the order of the words, with links that were written by hand.
TEST(DemoGrammar, LinksTheWordsThatTranslateEachOther) {
  struct Checked {
    int stream;
    std::string source, links;
  };
  const std::vector<Checked> sentences{
      {100,
       "On the fifth of June Mrs. Weber will not see a flower.",  // Am fünften Juni wird Frau Weber keine Blume ...
       "On=Am fifth=fünften June=Juni Mrs=Frau Weber=Weber will=wird not=keine see=sehen a=keine flower=Blume"},
      {84, "Their brother fears that they have run into his museum.",  // ..., dass sie in sein Museum gerannt sind.
       "Their=Ihr brother=Bruder fears=fürchtet that=dass they=sie have=sind run=gerannt into=in his=sein "
       "museum=Museum"},
      {256,
       "Does the uncle who comes into the offices sleep in front of a house?",  // Schläft der Onkel, der in die ...
       "the=der uncle=Onkel who=der comes=kommt into=in the=die offices=Büros sleep=Schläft in=vor front=vor of=vor "
       "a=einem house=Haus"},
      {390, "I will go to the dark house.",  // Ich werde zum dunklen Haus gehen.
       "I=Ich will=werde go=gehen to=zum the=zum dark=dunklen house=Haus"},
      {296, "The knives do not cost forty euros.",  // Die Messer kosten nicht vierzig Euro.
       "The=Die knives=Messer do=kosten do=nicht not=kosten not=nicht cost=kosten cost=nicht forty=vierzig euros=Euro"},
      {212, "I do not want to give the uncle the roll.",  // Ich will dem Onkel das Brötchen nicht geben.
       "I=Ich not=nicht want=will give=geben the=dem uncle=Onkel the=das roll=Brötchen"},
      {196, "Has their sister waited for the polite girl?",  // Hat ihre Schwester auf das höfliche Mädchen gewartet?
       "Has=Hat their=ihre sister=Schwester waited=gewartet for=auf the=das polite=höfliche girl=Mädchen"},
      {236,
       "A young guest turned on the radio while their bird came through our cities.",  // ... machte das Radio an, ...
       "A=Ein young=junger guest=Gast turned=machte turned=an on=machte on=an the=das radio=Radio while=während "
       "their=ihr bird=Vogel came=kam through=durch our=unsere cities=Städte"},
      {107, "How often may Lena drive to his museum?",  // Wie oft darf Lena zu seinem Museum fahren?
       "How=Wie How=oft often=Wie often=oft may=darf Lena=Lena drive=fahren to=zu his=seinem museum=Museum"},
      {29, "This horse didn't cross the river because it was too tired.",  // ... nicht, weil es zu müde war.
       "This=Dieses horse=Pferd didn't=nicht cross=überquerte the=den river=Fluss because=weil it=es was=war too=zu "
       "tired=müde"},
      {23, "Because it was too wide, the horse didn't cross the moor.",  // Weil es zu breit war, überquerte ...
       "Because=Weil it=es was=war too=zu wide=breit the=das horse=Pferd didn't=nicht cross=überquerte the=das "
       "moor=Moor"},
      {374, "Emma cannot smoke.",  // Emma kann nicht rauchen.
       "Emma=Emma cannot=kann cannot=nicht smoke=rauchen"},
  };
  const Grammar grammar(demo_grammar(), "demo");
  for (const Checked& sentence : sentences) {
    RandomStream random(1, 0, static_cast<std::uint64_t>(sentence.stream));
    const Derivation derivation = grammar.derive(random);
    EXPECT_EQ(derivation.text.source, sentence.source);
    EXPECT_EQ(links_in_words(derivation), sentence.links) << derivation.text.target;
  }
}

// The genders of the two nouns are independent, so that the pronoun cannot be guessed from one of them.
TEST(DemoGrammar, APronounHasTheGenderOfTheNounThatItStandsFor) {
  const Grammar grammar(demo_grammar(), "demo");
  const auto pronoun_for = [](const std::string& article) {
    return article == "Der" || article == "den" ? "er" : article == "Die" || article == "die" ? "sie" : "es";
  };
  std::map<std::string, int> count;  // "er sie": the genders of the animal and of what it did not cross
  for (int i = 0; i < 12000; ++i) {
    RandomStream random(1, 0, i);
    const Derivation derivation = grammar.derive(random);
    const auto& [source, target] = derivation.text;
    ASSERT_EQ(derivation.reference.has_value(), source.find("ecause it was too ") != std::string::npos) << source;
    if (!source.starts_with("The ") || source.find("cross the ") == std::string::npos) continue;
    const auto& [pronoun, meant, other, translation] = *derivation.reference;
    const std::string being = pronoun_for(word_of(target, 0)), path = pronoun_for(word_of(target, 3));
    EXPECT_EQ(word_of(source, pronoun), "it");
    EXPECT_EQ(word_of(target, translation), meant == 1 ? being : path) << target;
    ++count[being + " " + path];
  }
  EXPECT_EQ(count.size(), 9u);
  for (const auto& [genders, times] : count) EXPECT_NEAR(times, 28, 18) << genders;
}

TEST(DemoGrammar, TheFileIsInTheProgramByteForByte) {
  EXPECT_TRUE(demo_grammar().starts_with("# English to German"));
  EXPECT_TRUE(demo_grammar().ends_with("\n"));
  EXPECT_NE(demo_grammar().find("Königinnen"), std::string_view::npos);
}

}  // namespace
}  // namespace dragoman::demo
