#include "dragoman/text/sentences.h"

#include <gtest/gtest.h>

#include <chrono>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

using Strings = std::vector<std::string>;

Strings sentences(std::string_view text, std::string_view language = "en") {
  return cut_sentences(text, language).sentences;
}

// Whether the text is one sentence.
bool is_whole(std::string_view text, std::string_view language = "en") { return sentences(text, language).size() == 1; }

std::string joined(const Layout& layout) {
  std::string text = layout.gaps[0];
  for (std::size_t i = 0; i < layout.sentences.size(); ++i) text += layout.sentences[i] + layout.gaps[i + 1];
  return text;
}

void expect_lossless(const std::string& text, std::string_view language) {
  const Layout layout = cut_sentences(text, language);
  ASSERT_EQ(layout.gaps.size(), layout.sentences.size() + 1);
  ASSERT_EQ(joined(layout), text);
  for (const std::string& gap : layout.gaps) {
    for (const char32_t code : to_code_points(gap)) ASSERT_TRUE(is_white_space(code)) << text;
  }
  for (const std::string& sentence : layout.sentences) {
    const std::u32string codes = to_code_points(sentence);
    ASSERT_FALSE(codes.empty());
    ASSERT_FALSE(is_white_space(codes.front()) || is_white_space(codes.back())) << text;
  }
}

TEST(Sentences, EndInMarksBeforeACapital) {
  EXPECT_EQ(sentences("It rains. Take a coat! Where is it? Here … Good."),
            (Strings{"It rains.", "Take a coat!", "Where is it?", "Here …", "Good."}));
  EXPECT_EQ(sentences("It was 1990. 30 people came."), (Strings{"It was 1990.", "30 people came."}));
  EXPECT_EQ(sentences("¿Qué? ¡Ven! Sí.", "es"), (Strings{"¿Qué?", "¡Ven!", "Sí."}));
}

TEST(Sentences, TakeTheQuotesAndBracketsThatCloseThem) {
  EXPECT_EQ(sentences("He said \"Go.\" Then he left. (It rained.) Good."),
            (Strings{"He said \"Go.\"", "Then he left.", "(It rained.)", "Good."}));
  EXPECT_EQ(sentences("„Komm!“ Er ging. »Halt!« Er blieb.", "de"),
            (Strings{"„Komm!“", "Er ging.", "»Halt!«", "Er blieb."}));
  EXPECT_EQ(sentences("« Viens ! » Puis il partit. « Ah ? »", "fr"),
            (Strings{"« Viens ! »", "Puis il partit.", "« Ah ? »"}));
  EXPECT_EQ(sentences("**Bold.** Next."), (Strings{"**Bold.**", "Next."}));
  EXPECT_TRUE(is_whole("\"Really?\" he asked."));
}

TEST(Sentences, NeedNoSpaceBetweenThemInChineseAndJapanese) {
  EXPECT_EQ(sentences("你好。我很好！你呢？他说：“再见。”然后走了。", "zh"),
            (Strings{"你好。", "我很好！", "你呢？", "他说：“再见。”", "然后走了。"}));
  EXPECT_EQ(sentences("你好吗?我很好!", "zh"), (Strings{"你好吗?", "我很好!"}));
  EXPECT_EQ(sentences("他说:\"你好。\"然后走了。\"再见。\"", "zh"),
            (Strings{"他说:\"你好。\"", "然后走了。", "\"再见。\""}));
  EXPECT_EQ(sentences("\"快。走吧！\"他说。\"好。\"", "zh"), (Strings{"\"快。", "走吧！\"", "他说。", "\"好。\""}));
  EXPECT_EQ(sentences("「はい。」と言った。「いいえ。」", "ja"), (Strings{"「はい。」と言った。", "「いいえ。」"}));
  EXPECT_TRUE(is_whole("圆周率是３．１４，不是３。", "zh"));
  EXPECT_TRUE(is_whole("我想……算了", "zh"));
  EXPECT_TRUE(is_whole("《走吧！》，他唱道", "zh"));
}

TEST(Sentences, EndInTheMarksOfOtherScripts) {
  EXPECT_EQ(sentences("यह घर है। वह पेड़ है।", "hi"), (Strings{"यह घर है।", "वह पेड़ है।"}));
  EXPECT_EQ(sentences("كيف حالك؟ أنا بخير.", "ar"), (Strings{"كيف حالك؟", "أنا بخير."}));
  EXPECT_EQ(sentences("یہ گھر ہے۔ وہ درخت ہے۔", "ur"), (Strings{"یہ گھر ہے۔", "وہ درخت ہے۔"}));
  EXPECT_EQ(sentences("Τι κάνεις; Καλά.", "el"), (Strings{"Τι κάνεις;", "Καλά."}));
  EXPECT_EQ(sentences("Это дом. Где он? Там.", "ru"), (Strings{"Это дом.", "Где он?", "Там."}));
  EXPECT_EQ(sentences("ここだ｡あそこだ｡", "ja"), (Strings{"ここだ｡", "あそこだ｡"}));
}

TEST(Sentences, EndWithTheirLine) {
  const Layout layout = cut_sentences("  A title\n\n- one thing\r\n- another. Thing\n\tend ", "en");
  EXPECT_EQ(layout.sentences, (Strings{"A title", "- one thing", "- another.", "Thing", "end"}));
  EXPECT_EQ(layout.gaps, (Strings{"  ", "\n\n", "\r\n", " ", "\n\t", " "}));
}

TEST(Sentences, GoOnAfterAbbreviations) {
  EXPECT_TRUE(is_whole("Dr. Smith met Mr. Brown vs. Mrs. Green at St. Mary's."));
  EXPECT_TRUE(is_whole("See No. 5 and Fig. 3, e.g. Berlin, i.e. Paris, in the U.S. Army."));
  EXPECT_TRUE(is_whole("Prof. Dr. Müller wohnt z. B. in Köln, d. h. am Rhein, bzw. Main, Nr. 5.", "de"));
  EXPECT_TRUE(is_whole("M. Dupont et Mme. Curie, cf. Paris, p. 5.", "fr"));
  EXPECT_TRUE(is_whole("El Sr. García y la Dra. Ruiz viven en la Avda. Sol.", "es"));
  EXPECT_EQ(sentences("Did you? No. I did not."), (Strings{"Did you?", "No.", "I did not."}));
  EXPECT_EQ(sentences("So do I. Then we go."), (Strings{"So do I.", "Then we go."}));
  // In German, "Art." is an abbreviation (of "Artikel") only before a number; "Art" is also a word.
  EXPECT_EQ(sentences("Das ist seine Art. Er lacht.", "de").size(), 2u);
}

TEST(Sentences, GoOnAfterInitials) {
  EXPECT_TRUE(is_whole("J. S. Bach and J.R.R. Tolkien."));
  EXPECT_TRUE(is_whole("А. С. Пушкин жил там.", "ru"));
  EXPECT_EQ(sentences("It is my father's. He knows.").size(), 2u);
}

TEST(Sentences, GoOnAfterOrdinalAndListNumbers) {
  EXPECT_TRUE(is_whole("Am 3. Oktober im 19. Jahrhundert.", "de"));
  EXPECT_EQ(sentences("He is 12. She is 10.").size(), 2u);
  EXPECT_EQ(sentences("Das war 1990. Danach kam nichts.", "de").size(), 2u);
  EXPECT_EQ(sentences("1. First thing. Good.\n2.1. Second\n(a) Third\nIV. Fourth"),
            (Strings{"1. First thing.", "Good.", "2.1. Second", "(a) Third", "IV. Fourth"}));
}

TEST(Sentences, GoOnInsideNumbersAndAddresses) {
  EXPECT_TRUE(is_whole("It costs 3.14 or 1.000.000 at http://a.example/?q=A.B!c and me@Some.Example.com today."));
  EXPECT_EQ(sentences("See www.example.com. Then write.").size(), 2u);
}

TEST(Sentences, GoOnBeforeSmallLetters) {
  EXPECT_TRUE(is_whole("Well... maybe. or not! at all?! yes"));
  EXPECT_TRUE(is_whole("What?, he said, etc., and left"));
  EXPECT_TRUE(is_whole("... And so . . . on"));
}

TEST(Sentences, MayBeginWithSmallLettersWhereThereAreNoCapitals) {
  EXPECT_EQ(sentences("hello there. how are you? fine ... thanks"),
            (Strings{"hello there.", "how are you?", "fine ... thanks"}));
}

TEST(Sentences, AreNeverEmpty) {
  EXPECT_EQ(sentences(""), Strings{});
  EXPECT_EQ(cut_sentences("", "en").gaps, Strings{""});
  EXPECT_EQ(cut_sentences(" \n\u3000\t", "en").gaps, Strings{" \n\u3000\t"});
  EXPECT_EQ(sentences("!!!"), Strings{"!!!"});
  EXPECT_EQ(sentences("Great! 😀"), Strings{"Great! 😀"});
}

TEST(Sentences, AndGapsJoinedAreTheText) {
  const Strings parts{"a",  "B",      "Dr",     "3",      ".", "!",       "?", "…", "...", "。",  "！",
                      "．", "\"",     "'",      "“",      "”", "«",       "»", "(", ")",   "「",  "」",
                      "は", "好",     "ह",      "।",      "؟", ";",       ",", " ", "  ",  "\n",  "\r\n",
                      "\t", "\u00A0", "\u3000", "\u200B", "é", "e\u0301", "😀", "*", "-",   "z.B", "I"};
  RandomStream random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::uint32_t n = random.below(20); n > 0; --n) {
      text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    }
    for (const char* language : {"en", "de", "zh", "el", ""}) expect_lossless(text, language);
  }
}

TEST(Sentences, KeepEveryCharacter) {
  RandomStream random(2);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (int i = 0; i < 50; ++i) {
      const char32_t code = random.below(random.below(2) == 0 ? 0x3100 : 0x110000);
      append_utf8(text, code >= 0xD800 && code < 0xE000 ? U'.' : code);
    }
    expect_lossless(text, "en");
  }
  EXPECT_EQ(joined(cut_sentences("a\xFF. B\xC3 \xE2\x80", "en")), "a\xFF. B\xC3 \xE2\x80");
}

TEST(Sentences, HaveAtMost4096Bytes) {
  using Sizes = std::vector<std::size_t>;
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const auto sizes = [](const std::string& text) {
    expect_lossless(text, "en");
    Sizes found;
    for (const std::string& sentence : sentences(text)) found.push_back(sentence.size());
    return found;
  };
  EXPECT_EQ(sizes(repeated("x", 4096)), (Sizes{4096}));
  EXPECT_EQ(sizes(repeated("x", 10000)), (Sizes{4096, 4096, 1808}));
  EXPECT_EQ(sizes(repeated("seven ", 1000)), (Sizes{682 * 6 - 1, 318 * 6 - 1}));  // cut after a word
  EXPECT_EQ(sizes(repeated("一", 2000)), (Sizes{1365 * 3, 635 * 3}));             // cut after a character
  EXPECT_EQ(sizes("a" + repeated(".", 5000)), (Sizes{4096, 905}));
  EXPECT_EQ(sizes("a" + repeated(" ", 5000) + "b"), (Sizes{1, 1}));
}

TEST(Sentences, AreCutInLinearTime) {
  for (const std::string unit :
       {" ", ".", "<", "&", "\n", "a", ". ", "a.", "a. ", "A. B", "\"", "a.\"", ". (", "。", "好。”", "1."}) {
    std::string text = "a";
    while (text.size() < 1'000'000) text += unit;
    const auto begin = std::chrono::steady_clock::now();
    const Layout layout = cut_sentences(text, "de");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << unit;
    EXPECT_EQ(joined(layout), text);
  }
}

TEST(PutTogether, KeepsTheLayout) {
  const Layout layout = cut_sentences(" One. Two.\n\n  Three.\n", "en");
  EXPECT_EQ(put_together(layout, Strings{"Eins.", "Zwei.", "Drei."}, "en", "de"), " Eins. Zwei.\n\n  Drei.\n");
  EXPECT_THROW(put_together(layout, Strings{"Eins."}, "en", "de"), UsageError);
}

TEST(PutTogether, PutsSpacesInOrLeavesThemOutAsTheLanguageDoes) {
  const Layout chinese = cut_sentences("你好。再见。\n好。", "zh-Hans");
  EXPECT_EQ(put_together(chinese, Strings{"Hello.", "Bye.", "Good."}, "zh-Hans", "en"), "Hello. Bye.\nGood.");
  EXPECT_EQ(put_together(chinese, Strings{"こ。", "さ。", "い。"}, "zh", "ja"), "こ。さ。\nい。");
  EXPECT_EQ(put_together(chinese, Strings{"Hello.", "", "Good."}, "zh", "en"), "Hello.\nGood.");
  const Layout english = cut_sentences("Hello. Bye.\nGood. OK.", "en");
  EXPECT_EQ(put_together(english, Strings{"你好。", "再见。", "好。", "好。"}, "en", "zh"), "你好。再见。\n好。好。");
  EXPECT_EQ(put_together(english, Strings{"IBM.", "HP.", "好。", "OK."}, "en", "zh"), "IBM. HP.\n好。OK.");
}

}  // namespace
}  // namespace dragoman::text
