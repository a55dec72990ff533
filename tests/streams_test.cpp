// Runs the commands with standard streams that are closed, full, or whose reader has left. A result that cannot be
// written is an error; progress that cannot be shown is not; and no file receives output that was meant for a stream.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "tests/small_model.h"
#include "tests/tested_program.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class Streams : public SmallModelTest {
 protected:
  Streams() {
    write("input", "one two three\nfour five\n");
    write("reference", "one two\nfour five six\n");
  }
  // Commands of all kinds that print a result.
  std::vector<std::string> printing() const {
    const std::string input = file("input"), reference = file("reference");
    return {command("translate", "< " + input),
            command("translate", "--n-best 2 < " + input),
            command("evaluate", "--source " + input + " --reference " + reference),
            command("show", "--input " + input),
            kProgram + " score --reference " + reference + " --hypothesis " + input,
            kProgram + " score --json --reference " + reference + " --hypothesis " + input,
            kProgram + " inspect --preset base",
            kProgram + " inspect --list",
            kProgram + " tokenizer encode --model " + model + " < " + input,
            kProgram + " completion bash",
            kProgram + " manual",
            kProgram + " --version",
            kProgram + " --help",
            kProgram + " translate --help"};
  }
};

TEST_F(Streams, ResultsThatCannotBeWrittenAreAnError) {
  for (const std::string& line : printing()) {
    SCOPED_TRACE(line);
    expect_last_sentence(shell(line + " >&-"), 1, "cannot write to standard output (bad file descriptor).");
    expect_last_sentence(shell(line + " >/dev/full"), 1, "cannot write to standard output (no space left on device).");
  }
}

TEST_F(Streams, LosingStandardErrorIsNoFailure) {
  for (const std::string& line : printing()) {
    SCOPED_TRACE(line);
    const Ending whole = shell(line);
    EXPECT_EQ(whole.status, 0) << whole.err;
    EXPECT_NE(whole.out, "");
    for (const char* broken : {" 2>&-", " 2>/dev/full"}) {
      const Ending ending = shell(line + broken);
      EXPECT_EQ(ending.status, 0);
      const std::size_t last = whole.out.find(" sentences in ");  // after this, evaluate prints times
      EXPECT_EQ(ending.out.substr(0, last), whole.out.substr(0, last));
    }
  }
}

TEST_F(Streams, WarningsThatCannotBeShownDoNotStopTheCommand) {
  const std::string line = command("translate", "--min-length 4 --max-extra 1 --longest 3 < " + file("input"));
  const Ending whole = shell(line);
  EXPECT_NE(whole.err, "");
  const Ending full = shell(line + " 2>/dev/full");
  EXPECT_EQ(full.status, 0);
  EXPECT_EQ(full.out, whole.out);
}

TEST_F(Streams, AReaderThatLeavesEndsTheCommandQuietly) {
  for (const std::string& line : printing()) {
    SCOPED_TRACE(line);
    const Ending ending = shell("(" + line + "; echo $? > " + file("status") + ") | true");
    EXPECT_EQ(read_file(file("status")), "0\n");
    EXPECT_EQ(ending.err.find("terminate"), std::string::npos) << ending.err;
  }
}

TEST_F(Streams, AClosedStandardInputIsAnError) {
  expect_last_sentence(shell(command("translate", "<&-")), 1, "bad file descriptor");
  expect_last_sentence(shell(command("show", "<&-")), 1, "bad file descriptor");
}

TEST_F(Streams, NoFileGetsWhatIsMeantForAClosedStream) {
  const std::string trace = file("trace.json"), input = " < " + file("input");
  const std::string line = command("translate", "--attention " + trace);
  const Ending closed = shell(line + input + " >&-");
  EXPECT_EQ(closed.status, 1);
  EXPECT_FALSE(std::filesystem::exists(trace));  // because the translation for its first line was not printed
  EXPECT_EQ(shell(line + input + " 2>&- >/dev/null").status, 0);
  const std::string with_error_closed = read_file(trace);
  for (const std::string& record : lines_of(with_error_closed)) EXPECT_TRUE(record.starts_with('{')) << record;
  EXPECT_EQ(shell(line + input + " >/dev/null").status, 0);
  EXPECT_EQ(read_file(trace), with_error_closed);
  EXPECT_EQ(shell(line + " 0<&- 1>&- 2>&-").status, 1);
  EXPECT_EQ(read_file(trace), with_error_closed);
}

TEST_F(Streams, FourGigabytesOfAddressesAreEnoughToTranslate) {
  if (tests_with_sanitizers()) GTEST_SKIP() << "sanitizers need more addresses";
  const std::string line = command("translate", "--workers 4 < " + file("input"));
  const Ending limited = shell("ulimit -v 4000000; " + line);
  EXPECT_EQ(limited.status, 0) << limited.err;
  EXPECT_EQ(limited.out, shell(line).out);
  const Ending refused = shell("ulimit -v 60000; " + line);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.status, 0);
  EXPECT_EQ(refused.err.find("terminate"), std::string::npos) << refused.err;
}

using TrainingStreams = TrainingTest;

TEST_F(TrainingStreams, ARunWithoutStandardStreamsIsTheSameRun) {
  ASSERT_EQ(run(train("whole", "--steps 40")).status, 0);
  ASSERT_EQ(run(train("whole", "--steps 60")).status, 0);
  for (const std::string streams : {"<&- >&- 2>&-", ">&- 2>&-", "2>/dev/full", ">/dev/full 2>&-"}) {
    SCOPED_TRACE(streams);
    std::filesystem::remove_all(file("closed"));
    EXPECT_EQ(shell(kProgram + " " + train("closed", "--steps 40") + " " + streams).status, 0);
    EXPECT_EQ(shell(kProgram + " " + train("closed", "--steps 60") + " " + streams).status, 0);
    expect_same_run(file("whole"), file("closed"), 60);
  }
}

}  // namespace
}  // namespace dragoman
