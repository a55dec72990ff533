// A sample of all faults: the n-th system call of a command fails, is interrupted, or transfers only a part of the
// bytes, or the process is killed there. No data may be lost, and running the same command again must give the same
// result as without faults. `scripts/faults` runs all of them; see docs/testing.md.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/faults/sweep.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

class Faults : public ::testing::TestWithParam<Scenario> {
 protected:
  Faults() {
    fs::remove_all(work);
    prepare(work / "prepared");
  }
  ~Faults() override { fs::remove_all(work); }

  fs::path work = trial_directory();
};

TEST_P(Faults, HarmNothingAndTheCommandCanBeRunAgain) {
  const Scenario& scenario = GetParam();
  const long sample = scenario.training.empty() ? 25 : 60;
  const SweepResult result = sweep(scenario, {.prepared = work / "prepared", .work = work, .sample = sample});
  EXPECT_EQ(result.tried, sample);
  EXPECT_GT(result.reached, sample * 9 / 10);
  for (const Finding& finding : result.findings) {
    for (const std::string& problem : finding.problems) {
      ADD_FAILURE() << "DRAGOMAN_FAULT=" << finding.fault.text() << " dragoman " << scenario.verb << scenario.flags
                    << "\n"
                    << problem;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Faults, ::testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace dragoman::faults
