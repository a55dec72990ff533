#include "dragoman/train/check/gradient_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace dragoman::train {
namespace {

// Only the whole models: ops have their own tests.
std::vector<GradientCase> models() {
  std::vector<GradientCase> cases = gradient_cases();
  std::erase_if(cases, [](const GradientCase& c) { return !c.name.starts_with("transformer: "); });
  return cases;
}

std::string test_name(const testing::TestParamInfo<GradientCase>& info) {
  std::string name = info.param.name.substr(info.param.name.find(' ') + 1);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class TransformerGradient : public testing::TestWithParam<GradientCase> {};
INSTANTIATE_TEST_SUITE_P(Arrangements, TransformerGradient, testing::ValuesIn(models()), test_name);

TEST_P(TransformerGradient, MatchesFiniteDifferences) { EXPECT_LT(GetParam().worst_error(), kGradientTolerance); }

TEST(GradientCases, HaveDistinctNames) {
  std::set<std::string> names;
  for (const GradientCase& c : gradient_cases()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

}  // namespace
}  // namespace dragoman::train
