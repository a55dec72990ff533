#include "dragoman/train/report/samples.h"

#include <gtest/gtest.h>

#include "dragoman/train/testing.h"

namespace dragoman::train {
namespace {

Validation translated(std::int64_t step, const std::string& translation) {
  return {.step = step, .samples = {{.source = "ein Haus", .reference = "a house", .translation = translation}}};
}

TEST(SampleSection, IsEmptyWithoutSamples) { EXPECT_EQ(sample_section({Validation{.step = 1}}), ""); }

TEST(SampleSection, ShowsWhenATranslationChangedAndChangedBack) {
  const std::string html = sample_section(
      {translated(10, "a"), translated(20, "a"), translated(30, "house"), translated(40, "a"), translated(50, "a")});
  for (const char* step : {"step 10", "step 30", "step 40"}) EXPECT_TRUE(contains(html, step)) << step;
  for (const char* step : {"step 20", "step 50"}) EXPECT_FALSE(contains(html, step)) << step;
}

TEST(SampleSection, MarksAWordAsOftenAsTheReferenceHasIt) {
  EXPECT_TRUE(contains(sample_section({translated(1, "a a  dog")}), "><mark>a</mark> a dog<"));
}

TEST(SampleSection, KeepsTheFirstAndLastOfManyChanges) {
  std::vector<Validation> validations;
  for (int step = 1; step <= 500; ++step) validations.push_back(translated(step, std::to_string(step)));
  const std::string html = sample_section(validations);
  EXPECT_TRUE(contains(html, ">step 1<"));
  EXPECT_TRUE(contains(html, ">step 500<"));
  EXPECT_TRUE(contains(html, "20 of 500 changes are shown."));
}

TEST(SampleSection, KeepsTheSentencesOfEveryValidationApart) {
  Validation one = translated(1, "x"), two = translated(2, "y");
  one.samples.push_back({.source = "ein Hund", .reference = "a dog", .translation = "z"});
  const std::string html = sample_section({one, two});
  EXPECT_LT(html.find(">y<"), html.find("ein Hund"));
}

}  // namespace
}  // namespace dragoman::train
