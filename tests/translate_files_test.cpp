// `dragoman translate` with files: several inputs, an output that is written whole or not at all, and progress.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "tests/process.h"
#include "tests/small_model.h"
#include "tests/terminal.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class TranslateFiles : public SmallModelTest {
 protected:
  // The files of the test's directory whose names begin with `name`.
  Lines named(const std::string& name) const {
    Lines names;
    for (const fs::path& path : list_directory(directory)) {
      if (path.filename().string().starts_with(name)) names.push_back(path.filename());
    }
    return names;
  }
  std::string translations(const std::string& text) const { return translate(text).out; }
  Ending with(const std::string& flags) const { return shell(command("translate", flags) + " < /dev/null"); }
};

TEST_F(TranslateFiles, TakesOneFileOrSeveralWithOrWithoutAFlag) {
  const std::string one = write("one.txt", "three\nfour two"), two = write("two,too.txt",
                                                                           "\xEF\xBB\xBF"
                                                                           "five\n");
  const std::string both = translations("three\nfour two\nfive\n");
  EXPECT_EQ(with(one).out, translations("three\nfour two\n"));
  EXPECT_EQ(with("--input " + one).out, translations("three\nfour two\n"));
  EXPECT_EQ(with(one + " " + two).out, both);  // the comma of the second name divides no list
  EXPECT_EQ(with(one + " --beam 4 " + two).out, both);
  fs::rename(two, file("two.txt"));
  EXPECT_EQ(with("--input " + one + "," + file("two.txt")).out, both);
  EXPECT_EQ(shell(command("translate", one + " -") + " < " + file("two.txt")).out, both);
  EXPECT_EQ(with("--config " + write("settings.yaml", "input: [" + one + ", " + file("two.txt") + "]\n")).out, both);
  EXPECT_EQ(with("--config " + file("settings.yaml") + " " + one).out, translations("three\nfour two\n"));
}

TEST_F(TranslateFiles, TakesAFileThatIsCalledLikeACommand) {
  write("train", "three\n");
  const Ending ending = shell("cd " + directory + " && " + command("translate", "train") + " < /dev/null");
  EXPECT_EQ(ending.out, translations("three\n")) << ending.err;
}

TEST_F(TranslateFiles, MessagesNameTheFileAndItsLine) {
  const std::string one = write("one.txt", "three\nfour\n"), empty = write("empty.txt", ""),
                    two = write("two.txt", "five\nfour \xFF\n");
  const Ending bad = with(one + " " + empty + " " + two);
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.err, "translate: '" + two +
                         "' line 2 is not UTF-8 text; correct or remove it, or use --on-bad-line keep or empty; "
                         "if the file is in Latin-1 or Windows-1252, convert it with 'iconv -f WINDOWS-1252 -t UTF-8 "
                         "FILE > NEW'.\n");
  EXPECT_EQ(bad.out, translations("three\nfour\nfive\n"));
  const std::string long_line = write("long.txt", data::words(9) + "\n");
  EXPECT_EQ(with("--longest 3 " + one + " " + long_line).err,
            "translate: '" + long_line + "' line 1 is long; it was translated in 3 pieces.\n");
  EXPECT_EQ(with("--longest 3 --quiet " + one + " " + long_line).err, "");
}

TEST_F(TranslateFiles, PrefixesBelongToTheLinesOfAllFiles) {
  const std::string one = write("one.txt", "one two\n"), two = write("two.txt", "three\n"), both = one + " " + two;
  const Ending ending = with(both + " --prefix " + write("prefixes", "nine\nseven\n"));
  const Lines lines = lines_of(ending.out);
  ASSERT_EQ(lines.size(), 2u) << ending.err;
  EXPECT_TRUE(lines[0].starts_with("nine") && lines[1].starts_with("seven")) << ending.out;
  EXPECT_NE(with(both + " --prefix " + write("prefixes", "nine\n")).err.find("has fewer lines than the 2 files"),
            std::string::npos);
  EXPECT_NE(with(both + " --prefix " + write("prefixes", "nine\n\n\n")).err.find("has more lines than the 2 files"),
            std::string::npos);
}

TEST_F(TranslateFiles, AWrongNameIsNoticedBeforeTheWork) {
  const std::string one = write("one.txt", "three\n");
  const Ending text = with("'Hello world'");
  expect_one_sentence(text, 1, "there is no file 'Hello world'; a text itself is typed at the prompt or comes through");
  EXPECT_NE(text.err.find("(echo 'Hello world' | "), std::string::npos) << text.err;
  expect_one_sentence(with(one + " " + file("missing.txt")), 1, "there is no file '" + file("missing.txt") + "'");
  expect_one_sentence(with(one + " " + directory), 2, "' is a directory; name files.");
  expect_one_sentence(with("--input " + one + " two.txt"), 2, "the text is named twice, by --input and by 'two.txt'");
  expect_one_sentence(with(one + " --output " + one), 2, "' is an input; name another file to write.");
  expect_one_sentence(with(one + " --attention " + one), 2, "' is an input; name another file to write.");
  expect_one_sentence(with(one + " --output x --attention x"), 2, "--output and --attention name the same file.");
  expect_one_sentence(with(one + " --output " + directory), 2, "' is a directory; name a file.");
  expect_one_sentence(with(one + " --output /no/such/directory/x"), 2, "there is no directory '/no/such/directory'.");
  expect_one_sentence(shell(command("translate", "--output " + one) + " < " + one), 2, "is the text to translate;");
  EXPECT_EQ(read_file(one), "three\n");
}

TEST_F(TranslateFiles, TheOutputHasTheBytesOfStandardOutput) {
  const std::string text = joined(random_lines(60, 4)), input = write("input.txt", text);
  for (const std::string flags : {"", "--n-best 2", "--scores --flags --alignment"}) {
    const Ending ending = with(flags + " --output " + file("out") + " " + input);
    EXPECT_EQ(ending.status, 0) << ending.err;
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(read_file(file("out")), translate(text, flags).out);
  }
  EXPECT_EQ(named("out"), Lines{"out"});
  EXPECT_EQ(with("--output - " + input).out, translations(text));
  EXPECT_EQ(shell(command("translate", "--output /dev/stdout " + input) + " | cat").out, translations(text));
}

TEST_F(TranslateFiles, AFailureKeepsTheOldOutputAndLeavesNothingElse) {
  const std::string input = write("input.txt", "three\nfour \xFF two\n"), old = write("out", "an older result\n");
  EXPECT_EQ(with("--output " + old + " " + input).status, 2);
  EXPECT_EQ(read_file(old), "an older result\n");
  EXPECT_EQ(named("out"), Lines{"out"});
  fs::remove(old);
  EXPECT_EQ(with("--output " + old + " " + input).status, 2);
  EXPECT_EQ(named("out"), Lines{});
  expect_one_sentence(with("--output /dev/full " + write("input.txt", "three\n")), 1, "cannot write '/dev/full'");
}

// A program that is interrupted while it waits for text. The file of its translations has been begun.
TEST_F(TranslateFiles, AnInterruptedRunLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    write("out", "an older result\n");
    ASSERT_EQ(shell("mkfifo " + file("pipe")).status, 0);
    Process process(
        {"sh", "-c",
         "sleep 60 > " + file("pipe") + " & exec " + command("translate", file("pipe") + " --output " + file("out"))});
    while (!fs::exists(file("out.unfinished"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.signal(signal);
    EXPECT_EQ(process.status(), 128 + signal);
    EXPECT_EQ(named("out"), Lines{"out"});
    EXPECT_EQ(read_file(file("out")), "an older result\n");
    fs::remove(file("pipe"));
  }
}

TEST_F(TranslateFiles, ShowsProgressOnATerminalWhenTheOutputGoesToAFile) {
  const std::string input = write("input.txt", joined(random_lines(60, 4)));
  for (const std::string& output : {" > " + file("out"), " --output " + file("out")}) {
    for (const std::string& text : {input, "< " + input}) {
      Terminal terminal(command("translate", text + output));
      EXPECT_EQ(terminal.status(), 0);
      EXPECT_NE(terminal.shown().find("translating  60/60 lines"), std::string::npos) << terminal.shown();
      EXPECT_TRUE(terminal.shown().ends_with("\r\n"));
      EXPECT_EQ(read_file(file("out")), translations(read_file(input)));
    }
  }
}

TEST_F(TranslateFiles, ShowsProgressWithoutATotalIfTheTextComesThroughAPipe) {
  const std::string input = write("input.txt", joined(random_lines(60, 4)));
  Terminal terminal("sh -c \"cat " + input + " | " + command("translate", "--output " + file("out")) + "\"");
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_NE(terminal.shown().find("translating  60 lines"), std::string::npos) << terminal.shown();
}

TEST_F(TranslateFiles, ShowsNoProgressElsewhere) {
  const std::string input = write("input.txt", joined(random_lines(60, 4))), to_file = " --output " + file("out");
  // A log.
  EXPECT_EQ(with(input + to_file).err, "");
  // A pipe, the terminal itself, a terminal that cannot move its cursor, and somebody who wants quiet.
  for (const std::string& line :
       {"sh -c \"" + command("translate", input) + " | cat > " + file("out") + "\"", command("translate", input),
        "env TERM=dumb " + command("translate", input + to_file), command("translate", "--quiet " + input + to_file)}) {
    Terminal terminal(line);
    EXPECT_EQ(terminal.status(), 0);
    EXPECT_EQ(terminal.shown().find("translating"), std::string::npos) << line;
  }
}

TEST_F(TranslateFiles, WarningsAppearAboveTheBar) {
  const std::string input = write("input.txt", "one\n" + data::words(9) + "\n");
  Terminal terminal(command("translate", "--longest 3 --output " + file("out") + " " + input));
  EXPECT_EQ(terminal.status(), 0);
  EXPECT_NE(terminal.shown().find("' line 2 is long; it was translated in 3 pieces.\r\n"), std::string::npos)
      << terminal.shown();
}

}  // namespace
}  // namespace dragoman
