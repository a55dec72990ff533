#include "dragoman/cli/show/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dragoman::cli {
namespace {

// Keeps what was written, with a clock that only moves when the test moves it.
struct Recorded {
  std::string text;
  double now = 100;
  int columns = 80;

  ProgressOutput log() {
    return {.terminal = false,
            .colour = false,
            .columns = [this] { return columns; },
            .write = [this](std::string_view part) { text += part; },
            .seconds = [this] { return now; }};
  }
  ProgressOutput terminal() {
    ProgressOutput output = log();
    output.terminal = true;
    return output;
  }
};

int code_points(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

TEST(ProgressLine, ALogGetsALineFromTimeToTimeAndTheLastStatus) {
  Recorded recorded;
  {
    ProgressLine line({}, recorded.log());
    for (int done = 1; done <= 25; ++done) {
      recorded.now += 1;
      line.show({.done = done, .total = 25, .text = "step " + std::to_string(done)});
    }
  }
  EXPECT_EQ(recorded.text, "step 10  0:15 left\nstep 20  0:05 left\nstep 25\n");
}

TEST(ProgressLine, ShowsAnEstimateThatItIsGiven) {
  Recorded recorded;
  {
    ProgressLine line({}, recorded.log());
    recorded.now += 10;
    line.show({.done = 1, .total = 25, .text = "runs", .seconds_left = 125});
  }
  EXPECT_EQ(recorded.text, "runs  2:05 left\n");
}

TEST(ProgressLine, ALogCanGetALineForEachAmountDone) {
  Recorded recorded;
  {
    ProgressLine line({.done_between = 4}, recorded.log());
    for (int done = 1; done <= 9; ++done) line.show({.done = done, .total = 0, .text = std::to_string(done)});
  }
  EXPECT_EQ(recorded.text, "4\n8\n9\n");
}

TEST(ProgressLine, ALogGetsNoEmptyLine) {
  Recorded recorded;
  {
    ProgressLine line({}, recorded.log());
    line.show({.done = 25, .total = 25, .text = ""});
  }
  EXPECT_EQ(recorded.text, "");
}

TEST(ProgressLine, ATerminalKeepsOneLine) {
  Recorded recorded;
  recorded.columns = 29;
  {
    ProgressLine line({}, recorded.terminal());
    line.show({.done = 0, .total = 2, .text = "begin"});
    recorded.now += 60;
    line.show({.done = 1, .total = 2, .text = "middle"});
    line.show({.done = 2, .total = 2, .text = "too soon to be drawn, but the last"});
  }
  EXPECT_EQ(recorded.text,
            "\r─────────────────────  begin\x1b[K"
            "\r━━━━━────  middle  1:00 left\x1b[K"
            "\rtoo soon to be drawn, but t…\x1b[K\n");
}

TEST(ProgressLine, ATerminalIsRedrawnTenTimesASecondAtMost) {
  Recorded recorded;
  ProgressLine line({}, recorded.terminal());
  for (int i = 0; i < 1000; ++i) {
    line.show({.done = i, .total = 0, .text = "x"});
    recorded.now += 0.01;
  }
  EXPECT_LE(std::count(recorded.text.begin(), recorded.text.end(), '\r'), 101);
}

TEST(ProgressLine, NeverReachesTheTerminalsLastColumn) {
  for (int columns = 1; columns < 120; ++columns) {
    Recorded recorded;
    recorded.columns = columns;
    ProgressLine line({.unit = "pairs"}, recorded.terminal());
    recorded.now += 1;
    line.show({.done = 1, .total = 2, .text = "größer als nötig"});
    const std::string shown = recorded.text.substr(1, recorded.text.find("\x1b[K") - 1);
    EXPECT_LT(code_points(shown), columns) << shown;
  }
}

TEST(ProgressLine, LeavesOutTheFieldsThatDoNotFit) {
  Recorded recorded;
  recorded.columns = 24;
  ProgressLine line({}, recorded.terminal());
  line.show({.done = 0, .total = 5, .text = "loss 3.412  11,204 tok/s  too wide"});
  EXPECT_EQ(recorded.text, "\r───────────  loss 3.412\x1b[K");
}

TEST(ProgressLine, SaysALineAboveTheBar) {
  Recorded recorded;
  ProgressLine line({}, recorded.terminal());
  line.show({.done = 0, .total = 0, .text = "bar"});
  line.say("saved");
  EXPECT_EQ(recorded.text, "\rbar\x1b[K\r\x1b[Ksaved\n\rbar\x1b[K");
}

TEST(ProgressLine, SaysAPlainLineBetweenTasks) {
  Recorded recorded;
  ProgressLine line({}, recorded.terminal());
  line.say("hello");
  EXPECT_EQ(recorded.text, "hello\n");
}

TEST(ProgressLine, CountsWithoutKnowingTheEnd) {
  Recorded recorded;
  ProgressLine line({.unit = "pairs"}, recorded.log());
  recorded.now += 10;
  line.show({.done = 2'100'000, .total = 0, .text = "tokenising"});
  EXPECT_EQ(recorded.text, "tokenising  2,100,000 pairs  210,000/s\n");
}

TEST(ProgressLine, WorkOfEarlierSessionsDoesNotCountForTheSpeed) {
  Recorded recorded;
  ProgressLine line({.first = 900, .unit = "steps"}, recorded.log());
  recorded.now += 10;
  line.show({.done = 950, .total = 1000, .text = "training"});
  EXPECT_EQ(recorded.text, "training  950/1,000 steps  5.0/s  0:10 left\n");
}

TEST(ProgressLine, ShowsARateOnlyIfItWasMeasuredForAWhile) {
  Recorded recorded;
  {
    ProgressLine line({.unit = "pairs"}, recorded.log());
    recorded.now += 1e-6;
    line.show({.done = 500, .total = 0, .text = "tokenising"});
  }
  EXPECT_EQ(recorded.text, "tokenising  500 pairs\n");
}

TEST(ProgressLine, ShowsRatesThatCanBeRead) {
  const auto shown = [](std::int64_t done) {
    Recorded recorded;
    {
      ProgressLine line({.unit = "pairs"}, recorded.log());
      recorded.now += 5;
      line.show({.done = done, .total = 0, .text = "at"});
    }
    return recorded.text;
  };
  EXPECT_EQ(shown(1), "at  1 pair  0.2/s\n");
  EXPECT_EQ(shown(6'000), "at  6,000 pairs  1,200/s\n");
  EXPECT_EQ(shown(12'000'000), "at  12,000,000 pairs  2.4 million/s\n");
}

TEST(ProgressLine, ColoursTheBarOnlyWhenAskedTo) {
  Recorded plain, coloured;
  ProgressOutput output = coloured.terminal();
  output.colour = true;
  ProgressLine(ProgressOptions{}, plain.terminal()).show({.done = 1, .total = 2, .text = "x"});
  ProgressLine(ProgressOptions{}, output).show({.done = 1, .total = 2, .text = "x"});
  EXPECT_EQ(plain.text.find("\x1b[36m"), std::string::npos);
  EXPECT_NE(coloured.text.find("\x1b[36m"), std::string::npos);
}

TEST(TrainingLine, ShowsTheStateOfTraining) {
  const train::ProgressRecord progress{.step = 1200,
                                       .epoch = 3,
                                       .losses = {{"loss", 3.4119}, {"nll", 2.5096}},
                                       .rate = 7e-4,
                                       .tokens_per_second = 11204.4};
  EXPECT_EQ(training_line(progress, 2000),
            "epoch 3  step 1,200/2,000  loss 3.412  ppl 12.3  rate 7.0e-4  11,204 tok/s");
  EXPECT_EQ(training_line(progress).substr(0, 24), "epoch 3  step 1,200  los");
}

}  // namespace
}  // namespace dragoman::cli
