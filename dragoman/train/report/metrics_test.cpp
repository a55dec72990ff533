#include "dragoman/train/report/metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"

namespace dragoman::train {
namespace {

class MetricsTest : public ::testing::Test {
 protected:
  ~MetricsTest() override { std::filesystem::remove(path); }

  // A run that recorded steps 1 to 4 and a validation after step 2.
  void record_four_steps() const {
    MetricsFile file(path, 0);
    for (std::int64_t step = 1; step <= 4; ++step) {
      file.add(ProgressRecord{.step = step});
      if (step == 2) file.add(Validation{.step = step});
    }
  }

  std::filesystem::path path = ::testing::TempDir() + "dragoman_metrics_" + std::to_string(::getpid()) + ".jsonl";
};

TEST_F(MetricsTest, EveryFieldIsReadBack) {
  {
    MetricsFile file(path, 0);
    file.add(ProgressRecord{.step = 7,
                            .epoch = 2,
                            .losses = {{"loss", 3.25}, {"nll", 2.5}, {"ponder", 0.125}},
                            .rate = 7e-4,
                            .gradient_norm = 1.5,
                            .tokens_per_second = 11204.5,
                            .rank_tokens_per_second = {6000, 5900.25},
                            .seconds = 60.25,
                            .target_tokens = 5'000'000'000,
                            .flops = 9.5e17,
                            .nominal_flops = 3.3e18,
                            .time = 1.7e9});
    file.add(Validation{.step = 8,
                        .scores = {{"nll", 1.75}, {"bleu", 27.3}},
                        .samples = {{"a \"b\"\n", "c", "\u00e4"}},
                        .best = true,
                        .seconds = 2.5,
                        .time = 1.8e9});
  }
  const TrainingRecords metrics = read_metrics(path);
  ASSERT_EQ(metrics.progress.size(), 1u);
  const ProgressRecord& progress = metrics.progress[0];
  EXPECT_EQ(progress.step, 7);
  EXPECT_EQ(progress.epoch, 2);
  EXPECT_EQ(progress.losses["loss"], 3.25);
  EXPECT_EQ(progress.losses["nll"], 2.5);
  EXPECT_EQ(progress.losses["ponder"], 0.125);
  EXPECT_EQ(progress.rate, 7e-4);
  EXPECT_EQ(progress.gradient_norm, 1.5);
  EXPECT_EQ(progress.tokens_per_second, 11204.5);
  EXPECT_EQ(progress.rank_tokens_per_second, (std::vector<double>{6000, 5900.25}));
  EXPECT_EQ(progress.seconds, 60.25);
  EXPECT_EQ(progress.target_tokens, 5'000'000'000);
  EXPECT_EQ(progress.flops, 9.5e17);
  EXPECT_EQ(progress.nominal_flops, 3.3e18);
  EXPECT_EQ(progress.time, 1.7e9);
  ASSERT_EQ(metrics.validations.size(), 1u);
  const Validation& validation = metrics.validations[0];
  EXPECT_EQ(validation.step, 8);
  EXPECT_EQ(validation.scores["nll"], 1.75);
  EXPECT_EQ(validation.scores["bleu"], 27.3);
  EXPECT_TRUE(validation.best);
  EXPECT_EQ(validation.seconds, 2.5);
  EXPECT_EQ(validation.time, 1.8e9);
  ASSERT_EQ(validation.samples.size(), 1u);
  EXPECT_EQ(validation.samples[0].source, "a \"b\"\n");
  EXPECT_EQ(validation.samples[0].translation, "\u00e4");
}

TEST_F(MetricsTest, ARecordIsOneLineOfJson) {
  MetricsFile file(path, 0);
  file.add(ProgressRecord{.step = 1, .losses = {{"loss", 0}, {"nll", 0}}, .rate = 0.5});
  EXPECT_EQ(read_file(path),
            R"({"kind":"progress","step":1,"epoch":0,"loss":0.0,"nll":0.0,"rate":0.5,"tokens_per_second":0.0,)"
            R"("seconds":0.0,"target_tokens":0,"flops":0.0,"nominal_flops":0.0})"
            "\n");
}

TEST_F(MetricsTest, RecordsAreReadBackAsTheyWereWritten) {
  record_four_steps();
  std::string text;
  for (const Json& record : read_records(path)) text += record.dump() + "\n";
  EXPECT_EQ(text, read_file(path));
}

TEST_F(MetricsTest, MissingValuesStayMissing) {
  record_four_steps();
  const TrainingRecords metrics = read_metrics(path);
  EXPECT_FALSE(metrics.progress[0].gradient_norm);
  EXPECT_FALSE(metrics.validations[0].scores.has("bleu"));
}

TEST_F(MetricsTest, ALossThatIsNotFiniteIsWrittenAsNull) {
  MetricsFile(path, 0).add(ProgressRecord{.losses = {{"loss", std::numeric_limits<double>::infinity()}}});
  EXPECT_NE(read_file(path).find("\"loss\":null"), std::string::npos);
  EXPECT_TRUE(std::isnan(read_metrics(path).progress[0].losses["loss"]));
}

TEST_F(MetricsTest, BytesThatAreNotUtf8DoNotStopARun) {
  MetricsFile(path, 0).add(Validation{.samples = {{"\xff", "", ""}}});
  EXPECT_EQ(read_metrics(path).validations[0].samples[0].source, "\ufffd");
}

TEST_F(MetricsTest, AResumedRunRemovesTheRecordsAfterItsStep) {
  record_four_steps();
  MetricsFile(path, 2).add(ProgressRecord{.step = 3, .losses = {{"loss", 9}}});
  const TrainingRecords metrics = read_metrics(path);
  ASSERT_EQ(metrics.progress.size(), 3u);
  EXPECT_EQ(metrics.progress[2].losses["loss"], 9);
  EXPECT_EQ(metrics.validations.size(), 1u);
}

TEST_F(MetricsTest, ANewRunStartsAnew) {
  record_four_steps();
  MetricsFile(path, 0);
  EXPECT_EQ(read_file(path), "");
}

TEST_F(MetricsTest, ARunResumesWithoutItsOldRecords) {
  MetricsFile(path, 5).add(ProgressRecord{.step = 6});
  EXPECT_EQ(read_metrics(path).progress.size(), 1u);
}

TEST_F(MetricsTest, AHalfWrittenLastLineIsLeftOut) {
  record_four_steps();
  const std::string whole = read_file(path);
  for (const std::size_t missing : {2u, 40u}) {
    replace_file(path, std::string_view(whole).substr(0, whole.size() - missing));
    EXPECT_EQ(read_metrics(path).progress.size(), 3u);
    MetricsFile(path, 3).add(ProgressRecord{.step = 4});
    EXPECT_EQ(read_file(path), whole);
  }
}

TEST_F(MetricsTest, AnEndThatIsNoBeginningOfARecordIsDamage) {
  record_four_steps();
  const std::string whole = read_file(path), zeros(9, '\0');
  for (const std::string& end : {std::string("\xA7\x01 no record"), std::string("null"), "x" + zeros}) {
    for (const std::string& records : {whole, std::string()}) {
      replace_file(path, records + end);
      EXPECT_THROW(read_metrics(path), Error) << end;
      EXPECT_THROW(MetricsFile(path, 4), Error) << end;
      EXPECT_EQ(read_file(path), records + end);
    }
  }
  for (const std::string& end : {std::string("{"), zeros, R"({"kind":"pro)" + zeros}) {  // a power failure leaves zeros
    replace_file(path, whole + end);
    EXPECT_EQ(read_metrics(path).progress.size(), 4u) << end;
  }
}

TEST_F(MetricsTest, ADamagedLineIsNamed) {
  record_four_steps();
  for (const char* damage : {"{\"kind\":\n", "[]\n", "{}\n", "{\"kind\":\"progress\",\"step\":\"x\"}\n"}) {
    replace_file(path, damage + read_file(path));
    EXPECT_THROW(read_records(path), Error);
    try {
      read_metrics(path);
      FAIL() << damage;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("line 1 of '" + path.string()), std::string::npos) << error.what();
    }
  }
}

TEST_F(MetricsTest, AStepThatIsNotAWholeNumberIsDamage) {
  for (const char* step : {"5.2e46", "0.5", "18446744073709551615", "true"}) {
    replace_file(path, std::string("{\"kind\":\"progress\",\"step\":") + step + "}\n");
    EXPECT_THROW(MetricsFile(path, 1), Error) << step;
  }
}

TEST_F(MetricsTest, AFileThatCannotBeWrittenIsNamed) {
  try {
    MetricsFile("/proc/metrics.jsonl", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/metrics.jsonl"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dragoman::train
