#include "dragoman/train/report/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {
namespace {

TEST(RecordsCsv, HasALineForEachRecordAndAColumnForEachKey) {
  const std::vector<Json> records{
      to_json(ProgressRecord{.step = 100, .epoch = 1, .losses = {{"loss", 3.25}}, .rate = 0.5, .time = 1.5}),
      to_json(Validation{.step = 100, .scores = {{"nll", 1.75}, {"bleu", NAN}}, .samples = {{"a", "b,", "c"}}}),
      to_json(ProgressRecord{.step = 200, .epoch = 2, .losses = {{"loss", 3}}, .gradient_norm = 2})};
  EXPECT_EQ(records_csv(records),
            "kind,step,epoch,loss,rate,tokens_per_second,seconds,target_tokens,flops,nominal_flops,time,nll,bleu,best,"
            "gradient_norm\n"
            "progress,100,1,3.25,0.5,0.0,0.0,0,0.0,0.0,1.5,,,,\n"
            "validation,100,,,,,0.0,,,,,1.75,nan,false,\n"
            "progress,200,2,3.0,0.0,0.0,0.0,0,0.0,0.0,,,,,2.0\n");
}

TEST(RecordsCsv, IsAnEmptyLineWithoutRecords) { EXPECT_EQ(records_csv({}), "\n"); }

}  // namespace
}  // namespace dragoman::train
