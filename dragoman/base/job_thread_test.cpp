#include "dragoman/base/job_thread.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace dragoman {
namespace {

TEST(JobThread, DoesJobsInOrderUntilOneFails) {
  std::vector<int> done;
  JobThread thread;
  for (int i = 0; i < 3; ++i) thread.add([&done, i] { done.push_back(i); });
  thread.finish();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
  thread.add([] { throw std::runtime_error("broken"); });
  thread.add([&done] { done.push_back(3); });
  EXPECT_THROW(thread.finish(), std::runtime_error);
  EXPECT_EQ(done.size(), 3);
  thread.add([&done] { done.push_back(4); });
  thread.finish();
  EXPECT_EQ(done.back(), 4);
}

}  // namespace
}  // namespace dragoman
