// The prompt of `dragoman translate`, as somebody at a terminal sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dragoman/base/files.h"
#include "dragoman/cli/line_editor.h"
#include "dragoman/model/files/words.h"
#include "tests/small_model.h"
#include "tests/terminal.h"

namespace dragoman {
namespace {

class PromptTest : public SmallModelTest {
 protected:
  // The first line of what the command prints.
  std::string translation(const std::string& line, const std::string& flags = "") const {
    return lines_of(translate(line + "\n", flags).out).at(0);
  }
  std::string line() const { return command("translate", ""); }
  static std::string end(const std::string& text) { return text + "\r\n"; }
};

TEST_F(PromptTest, TranslatesEachLine) {
  Terminal terminal(line());
  EXPECT_TRUE(
      terminal.shows(end("A line is translated when you press Enter; :help lists the settings, :quit ends.") + "> "));
  for (const std::string text : {"three", "four two"}) {
    terminal.type(text + "\n");
    EXPECT_TRUE(terminal.shows(end(text) + end(translation(text)) + "> ")) << terminal.shown();
  }
  terminal.type("\n \n");
  EXPECT_TRUE(terminal.shows(end("") + "> ")) << terminal.shown();
  terminal.type(Terminal::kEndOfInput);
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_TRUE(terminal.shown().ends_with("> \r\n")) << terminal.shown();
}

TEST_F(PromptTest, ChangesSettingsAsTheCommandLineDoes) {
  Terminal terminal(line());
  terminal.type(":beam 8\n:length-norm none\nthree four\n");
  EXPECT_TRUE(terminal.shows(end("beam is 8"))) << terminal.shown();
  EXPECT_TRUE(terminal.shows(end("length-norm is none")));
  EXPECT_TRUE(terminal.shows(end(translation("three four", "--beam 8 --length-norm none")))) << terminal.shown();
  terminal.type(":scores\nthree four\n");
  EXPECT_TRUE(terminal.shows(end("scores is true")));
  std::string scored = translation("three four", "--beam 8 --length-norm none --scores");
  EXPECT_TRUE(terminal.shows(scored.substr(0, scored.find('\t')))) << terminal.shown();
  terminal.type(":alignment\n:flags\n:scores off\nthree ten\n");
  EXPECT_TRUE(terminal.shows(end("scores is false")));
  EXPECT_TRUE(terminal.shows("unknown")) << terminal.shown();
  terminal.type(":quit\n");
  EXPECT_EQ(terminal.status(), 0);
}

TEST_F(PromptTest, ListsTheNBestForPeople) {
  Terminal terminal(line());
  terminal.type(":nbest 3\nthree four\n");
  EXPECT_TRUE(terminal.shows(end("n-best is 3")));
  const std::vector<std::string> best = lines_of(translate("three four\n", "--n-best 3").out);
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    const std::string& moses = best.at(rank - 1);  // 0 ||| text ||| logp=... ||| gnmt:0.6=score
    const std::string text = moses.substr(6, moses.find(" ||| ", 6) - 6), score = moses.substr(moses.rfind('=') + 1);
    EXPECT_TRUE(terminal.shows(" " + std::to_string(rank) + "  " + score + "  " + end(text))) << terminal.shown();
  }
}

TEST_F(PromptTest, AMistakeGetsOneSentenceAndThePromptGoesOn) {
  Terminal terminal(line());
  terminal.type(":beam 0\n:nbest 9\n:baem 8\n:beam 8x\nfour \xFF two\nthree\n");
  EXPECT_TRUE(terminal.shows(end("beam is 0; it must be from 1 to 1000.") + "> ")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("n-best is 9 but the beam is only 4 wide; raise :beam."));
  EXPECT_TRUE(terminal.shows(end("there is no setting 'baem'. Did you mean 'beam'? :help lists them all.") + "> "));
  EXPECT_TRUE(terminal.shows(":beam: '8x' is not a whole number"));
  EXPECT_TRUE(terminal.shows("this line is not UTF-8 text; type it again."));
  EXPECT_TRUE(terminal.shows(end(translation("three")) + "> ")) << terminal.shown();
  terminal.type(":search greedy\n:n-best 3\n:quit now\n:\n: beam 3\n");
  EXPECT_TRUE(terminal.shows("use :search beam or :search sample.")) << terminal.shown();
  EXPECT_TRUE(terminal.shows(end(":quit takes no value.") + "> "));
  EXPECT_TRUE(terminal.shows(end("a colon begins a command; :help lists them all.") + "> "));
  EXPECT_TRUE(terminal.shows(end("beam is 3") + "> ")) << terminal.shown();
  terminal.type(":q\n");
  EXPECT_EQ(terminal.status(), 0);
}

TEST_F(PromptTest, HelpListsTheSettingsWithTheirValues) {
  Terminal terminal(line());
  terminal.type(":beam 8\n:help\n");
  EXPECT_TRUE(terminal.shows("  :quit             end, as Ctrl-D does"));
  EXPECT_TRUE(terminal.shows("  :beam             8 ")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("  :alignment        false "));
}

TEST_F(PromptTest, SaysWhatSeemsWrongWithATranslation) {
  Terminal terminal(line());
  terminal.type(":-) ten\n");  // a colon without a letter is text
  EXPECT_TRUE(terminal.shows(end("translate: this line has text that the model's vocabulary does not know.")))
      << terminal.shown();
}

TEST_F(PromptTest, NamesTheWordsThatTheModelNeverSaw) {
  model::write_words(model, {"one", "two", "three"});
  Terminal terminal(line());
  terminal.type("three five Nine\n");
  EXPECT_TRUE(terminal.shows(end("translate: the model never saw 'five' and 'Nine' in training; it can only guess.")))
      << terminal.shown();
  terminal.type("Three two\n:quit\n");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_EQ(terminal.shown().find("never saw", terminal.shown().find("Three two")), std::string::npos)
      << terminal.shown();
}

// Keys as a terminal sends them.
constexpr const char *kLeft = "\x1b[D", *kUp = "\x1b[A", *kDelete = "\x1b[3~", *kBackspace = "\x7f";

class EditingTest : public PromptTest {
 protected:
  void SetUp() override {
    if (!cli::LineEditor::is_built_in()) GTEST_SKIP() << "This build is without libedit.";
  }
  // With these variables of the environment.
  std::string line_with(const std::string& variables) const { return "env " + variables + " " + line(); }
};

TEST_F(EditingTest, KeysChangeTheLineAndBringEarlierOnesBack) {
  Terminal terminal(line());
  ASSERT_TRUE(terminal.shows("> "));
  terminal.type(std::string("thre") + "Xe" + kLeft + kLeft + kDelete + "\n");
  EXPECT_TRUE(terminal.shows("\r\n" + end(translation("three")) + "> ")) << terminal.shown();
  terminal.type("four two\n");
  EXPECT_TRUE(terminal.shows("\r\n" + end(translation("four two")) + "> ")) << terminal.shown();
  terminal.type(std::string(kUp) + kUp + "\n");
  EXPECT_TRUE(terminal.shows("\r\n" + end(translation("three")) + "> ")) << terminal.shown();
  terminal.type(std::string("oneX") + kLeft + Terminal::kEndOfInput + "\n");  // Ctrl-D deletes if there is text
  EXPECT_TRUE(terminal.shows("\r\n" + end(translation("one")) + "> ")) << terminal.shown();
  terminal.type(Terminal::kEndOfInput);
  EXPECT_EQ(terminal.status(), 0);
}

// The prompt repeats a name that it does not know, so that shows what was read.
TEST_F(EditingTest, CharactersAreWholeWhateverTheLocale) {
  for (const std::string locale : {"C", "POSIX", "C.UTF-8", "de_DE.UTF-8", "xx_YY"}) {
    Terminal terminal(line_with("LC_ALL=" + locale));
    ASSERT_TRUE(terminal.shows("> "));
    terminal.type(std::string(":bä李明Ü\u20ACy") + kLeft + kBackspace + kLeft + kLeft + kBackspace + "\n");
    EXPECT_TRUE(terminal.shows("there is no setting 'bä明Üy'.")) << locale << "\n" << terminal.shown();
    terminal.type("a\tb \xFF\n");
    EXPECT_TRUE(terminal.shows("this line is not UTF-8 text; type it again.")) << locale << "\n" << terminal.shown();
    terminal.type(":scores\nthree\n");
    std::string score = translation("three", "--scores");
    score = score.substr(0, score.find('\t'));
    EXPECT_NE(score.find('.'), std::string::npos);
    EXPECT_TRUE(terminal.shows(score)) << locale << "\n" << terminal.shown();  // with a point, not a comma
  }
}

TEST_F(EditingTest, SignalsLeaveTheTerminalAsItWas) {
  const std::string script =
      write("script", "trap : INT\n" + line() + "\necho status $?\nstty -a\n" + line() + " &\nwait\n");
  Terminal terminal("sh " + script);
  ASSERT_TRUE(terminal.shows("> "));
  terminal.type("three");
  ASSERT_TRUE(terminal.shows("three"));
  terminal.type(Terminal::kInterrupt);
  EXPECT_TRUE(terminal.shows("status 130")) << terminal.shown();
  EXPECT_TRUE(terminal.shows(" icanon ")) << terminal.shown();
  EXPECT_TRUE(terminal.shows(" echo ")) << terminal.shown();
}

TEST_F(EditingTest, IsOnlyForATerminalThatCanMoveItsCursor) {
  Terminal dumb(line_with("TERM=dumb"));
  dumb.type(std::string("three\n:quit\n"));
  EXPECT_EQ(dumb.status(), 0);
  EXPECT_NE(dumb.shown().find(end(translation("three"))), std::string::npos) << dumb.shown();
  Terminal logged(command("translate", "2> " + file("log")));
  logged.type("three\n:quit\n");
  EXPECT_EQ(logged.status(), 0);
  EXPECT_EQ(logged.shown(), end("three") + end(":quit") + end(translation("three")));
  for (const std::string& shown : {dumb.shown(), logged.shown(), read_file(file("log"))}) {
    EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
  }
}

TEST_F(PromptTest, TranslationsCanGoToAFile) {
  Terminal terminal(command("translate", "> " + file("out")));
  terminal.type("three\n:beam 8\nfour two\n:quit\n");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_EQ(read_file(file("out")), translation("three") + "\n" + translation("four two", "--beam 8") + "\n");
}

TEST_F(PromptTest, IsOnlyForATerminal) {
  EXPECT_EQ(translate("three\n:quit\n\n").err, "");
  EXPECT_EQ(lines_of(translate("three\n:quit\n\n").out).size(), 3u);
  Terminal with_a_file(command("translate", write("input.txt", "three\n")));
  EXPECT_EQ(with_a_file.status(), 0);
  EXPECT_EQ(with_a_file.shown(), end(translation("three")));
  Terminal with_prefixes(command("translate", "--prefix " + write("prefixes", "nine\n")));
  EXPECT_EQ(with_prefixes.status(), 2);
  EXPECT_NE(with_prefixes.shown().find("--prefix belongs to the lines of a file; name the file with --input."),
            std::string::npos);
}

TEST_F(PromptTest, CanBeQuiet) {
  Terminal terminal(command("translate", "--quiet"));
  terminal.type("three ten\n:quit\n");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_EQ(terminal.shown().find("A line is translated"), std::string::npos) << terminal.shown();
  EXPECT_EQ(terminal.shown().find("vocabulary"), std::string::npos) << terminal.shown();
}

}  // namespace
}  // namespace dragoman
