#include "dragoman/data/parallel_text.h"

#include <cstdlib>
#include <limits>
#include <utility>

#include "dragoman/data/testing.h"
#include "dragoman/text/unpack.h"

namespace dragoman::data {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read(const ParallelFiles& files) {
  ParallelReader reader(files);
  Pairs pairs;
  for (std::string source, target; reader.next(source, target);) {
    pairs.emplace_back(source, target);
    EXPECT_EQ(reader.line(), std::ssize(pairs));
  }
  return pairs;
}

class ParallelTextTest : public CorpusTest {};

TEST_F(ParallelTextTest, TwoFilesAreReadLineByLine) {
  const ParallelFiles files{write("a.en", "one\n\ntwo\n"), write("a.de", "eins\nnichts\nzwei")};
  EXPECT_EQ(read(files), (Pairs{{"one", "eins"}, {"", "nichts"}, {"two", "zwei"}}));
}

TEST_F(ParallelTextTest, ATabInOneOfTwoFilesIsText) {
  EXPECT_EQ(read({write("a.en", "one\ttwo\n"), write("a.de", "eins\n")}), (Pairs{{"one\ttwo", "eins"}}));
}

TEST_F(ParallelTextTest, OneFileHoldsTabSeparatedPairs) {
  EXPECT_EQ(read({write("a.tsv", "one\teins\n\tnichts\ntwo\t\n"), ""}),
            (Pairs{{"one", "eins"}, {"", "nichts"}, {"two", ""}}));
}

TEST_F(ParallelTextTest, ALineOfPairsHasOneTab) {
  const std::string none = write("none.tsv", "one\teins\ntwo zwei\n"), two = write("two.tsv", "one\teins\t1\n");
  EXPECT_EQ(error_message_of<UsageError>([&] {
              read({none, ""});
            }),
            "line 2 of '" + none + "' has 0 tabs; each line must be a source sentence, one tab and a target sentence.");
  EXPECT_NE(error_message_of<UsageError>([&] { read({two, ""}); }).find("has 2 tabs"), std::string::npos);
}

TEST_F(ParallelTextTest, FilesOfDifferentLengthAreRefusedWithBothCounts) {
  const std::string three = write("a.en", "one\ntwo\nthree\n"), one = write("a.de", "eins\n"), none = write("b.de", "");
  const std::string rule = "; parallel files must have the same number of lines, one sentence on each.";
  EXPECT_EQ(error_message_of<UsageError>([&] {
              read({three, one});
            }),
            "'" + three + "' has 3 lines but '" + one + "' has 1" + rule);
  EXPECT_EQ(error_message_of<UsageError>([&] {
              read({none, three});
            }),
            "'" + none + "' is empty, but '" + three + "' has 3 lines" + rule);
}

TEST_F(ParallelTextTest, TextThatIsNotUtf8IsNamedByLine) {
  const std::string bad = write("a.en", "one\ntw\xFFo\n"), good = write("a.de", "eins\nzwei\n");
  const std::string error_message = error_message_of([&] { read({bad, good}); });
  EXPECT_NE(error_message.find("a.en"), std::string::npos) << error_message;
  EXPECT_NE(error_message.find("line 2"), std::string::npos) << error_message;
}

TEST_F(ParallelTextTest, PackedFilesReadLikePlainOnes) {
  if (!text::can_unpack()) GTEST_SKIP() << "this build reads plain text only";
  const std::string target = write("a.de", "eins\nzwei\n");
  for (const std::string tool : {"gzip", "xz", "zstd -q"}) {
    const std::string source = write("a.en", "one\ntwo\n"), packed = source + ".packed";
    if (std::system((tool + " -c " + source + " > " + packed).c_str()) != 0) continue;  // this machine has no such tool
    EXPECT_EQ(read({packed, target}), (Pairs{{"one", "eins"}, {"two", "zwei"}})) << tool;
  }
}

TEST(ParallelFiles, AWeightIsAPositiveNumberOfCopies) {
  EXPECT_NO_THROW((ParallelFiles{.source = "a", .target = "b", .weight = 2.5}.validate()));
  for (const double weight : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((ParallelFiles{.source = "a", .target = "b", .weight = weight}.validate()), UsageError) << weight;
}

}  // namespace
}  // namespace dragoman::data
