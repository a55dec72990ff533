#include "dragoman/health/corpus_reader.h"

#include <sys/stat.h>

#include "dragoman/data/testing.h"

namespace dragoman::health {
namespace {

using data::error_message_of;

class CorpusReaderTest : public data::CorpusTest {};

TEST_F(CorpusReaderTest, ReadsOnWhereTrainingStops) {
  CorpusReader reader({write("a.en", "one\r\ntw\xFFo\nthree\n"), write("a.de",
                                                                       "\xEF\xBB\xBF"
                                                                       "eins\n")});
  RawPair pair;
  ASSERT_TRUE(reader.next(pair));
  EXPECT_TRUE(pair.source.ends_in_crlf);
  EXPECT_FALSE(pair.target.ends_in_crlf);
  EXPECT_EQ(pair.target.text, "eins");
  ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(pair.source.text, "tw\xFFo");
  EXPECT_FALSE(pair.target.present);
  ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(pair.line, 3);
  EXPECT_FALSE(reader.next(pair));
  EXPECT_EQ(reader.problem(), "");
  EXPECT_FALSE(reader.has_byte_order_mark_in_source());
  EXPECT_TRUE(reader.has_byte_order_mark_in_target());
}

TEST_F(CorpusReaderTest, CountsTheTabsOfPairs) {
  CorpusReader reader({write("a.tsv", "one\teins\ntwo\nthree\tdrei\t3\n\t\n"), ""});
  RawPair pair;
  std::vector<std::int64_t> tabs;
  std::vector<std::string> sources, targets;
  while (reader.next(pair)) {
    tabs.push_back(pair.tabs);
    sources.push_back(pair.source.text);
    targets.push_back(pair.target.present ? pair.target.text : "-");
  }
  EXPECT_EQ(tabs, (std::vector<std::int64_t>{1, 0, 2, 1}));
  EXPECT_EQ(sources, (std::vector<std::string>{"one", "two", "three\tdrei\t3", ""}));
  EXPECT_EQ(targets, (std::vector<std::string>{"eins", "-", "-", ""}));
}

TEST_F(CorpusReaderTest, EndsAtALineThatCannotBeReadAndSaysWhy) {
  CorpusReader reader({write("a.en", "one\n" + std::string((1 << 20) + 1, 'x') + "\n"), write("a.de", "eins\nzwei\n")});
  RawPair pair;
  EXPECT_TRUE(reader.next(pair));
  EXPECT_FALSE(reader.next(pair));
  EXPECT_NE(reader.problem().find("line 2 is longer than 1 MiB"), std::string::npos) << reader.problem();
}

TEST_F(CorpusReaderTest, TakesPlainFilesOnly) {
  const std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_message_of([&] { CorpusReader({pipe, ""}); }).find("is not a plain file"), std::string::npos);
  EXPECT_NE(error_message_of([&] { CorpusReader({directory / "none", ""}); }).find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::health
