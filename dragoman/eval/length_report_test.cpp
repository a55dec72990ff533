#include "dragoman/eval/length_report.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"

namespace dragoman::eval {
namespace {

LengthBucket bucket(std::int64_t first, std::int64_t last, double bleu) {
  return {.first = first,
          .last = last,
          .sentences = 3,
          .bleu = bleu,
          .interval = {bleu - 1, bleu + 2},
          .chrf = 50.5,
          .ratio = 0.75};
}

LengthReport report(const std::string& name, std::vector<LengthBucket> buckets) {
  LengthReport made{.name = name, .join = 2, .bleu_signature = "nrefs:1", .chrf_signature = "nc:6"};
  made.scores = {.width = 10, .buckets = std::move(buckets), .all = bucket(1, 40, 20.25)};
  return made;
}

TEST(LengthRecord, IsReadBackAsItWas) {
  LengthReport written = report("", {bucket(1, 10, 30.125), bucket(31, 40, 12)});
  written.scores.buckets[1].ratio = std::nullopt;
  const Json record = length_record(written);
  const LengthReport read = read_length_record(record, "'x'");
  EXPECT_EQ(length_record(read), record);
  EXPECT_EQ(read.join, 2);
  EXPECT_EQ(read.scores.width, 10);
  EXPECT_EQ(read.scores.buckets[0].bleu, 30.125);
  EXPECT_EQ(read.scores.buckets[1].interval.upper, 14);
  EXPECT_FALSE(read.scores.buckets[1].ratio);
  EXPECT_EQ(read.scores.all.sentences, 3);
}

TEST(LengthRecord, IsRefusedIfAnEntryIsMissingOrImpossible) {
  const Json good = length_record(report("", {bucket(1, 10, 30), bucket(11, 20, 20)}));
  const auto refused = [&](const char* place, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(place)] = value;
    EXPECT_THROW(read_length_record(bad, "'x'"), UsageError) << place << " = " << value.dump();
  };
  EXPECT_NO_THROW(read_length_record(good, "'x'"));
  for (const auto& [key, value] : good.items()) {
    Json without = good;
    without.erase(key);
    EXPECT_THROW(read_length_record(without, "'x'"), UsageError) << key;
    refused(("/" + key).c_str(), nullptr);
  }
  refused("/by_length", 0);
  refused("/by_length", 5);  // the buckets have ten words each
  refused("/buckets", Json::array());
  refused("/buckets/1/words", {1, 10});  // twice
  refused("/buckets/1/words", {11, std::int64_t{1} << 40});
  refused("/buckets/0/words/0", "1");
  refused("/buckets/0/sentences", 0);
  refused("/buckets/0/bleu", 1e300);
  refused("/buckets/0/bleu_interval", {40, 30});
  refused("/buckets/0/bleu_interval", {1});
  refused("/buckets/0/length_ratio", "1");
  refused("/join", 0);
  EXPECT_THROW(read_length_record(Json::array(), "'x'"), UsageError);
}

TEST(LengthRows, GroupTheSystemsByBucketAndEndWithAllLengths) {
  const std::vector<LengthReport> systems{report("a", {bucket(1, 10, 30), bucket(21, 30, 20)}),
                                          report("b", {bucket(1, 10, 31), bucket(11, 20, 25)})};
  std::string found;
  for (const LengthRow& row : length_rows(systems)) found += row.system->name + " " + row.words + "; ";
  EXPECT_EQ(found, "a 1-10; b 1-10; b 11-20; a 21-30; a all; b all; ");
}

TEST(WordsText, NamesASingleLengthByItsNumber) {
  EXPECT_EQ(words_text(bucket(7, 7, 10)), "7");
  EXPECT_EQ(words_text(bucket(11, 20, 10)), "11-20");
}

}  // namespace
}  // namespace dragoman::eval
