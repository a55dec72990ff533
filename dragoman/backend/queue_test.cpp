#include "dragoman/backend/queue.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

// One backend writes, the other one reads after its mark.
TEST(Queue, WorkAfterAMarkSeesWhatWasLaunchedBeforeIt) {
  for (const KernelCase& kernel_case : kernel_cases()) {
    SCOPED_TRACE(join(kernel_case.device, " ", kernel_case.dtype));
    const std::unique_ptr<Backend> first = kernel_case.backend(1), second = kernel_case.backend(1);
    Array x = first->empty({1 << 20}, kernel_case.dtype), sum = second->empty({1 << 20}, kernel_case.dtype);
    first->fill(x, 1.0);
    for (int i = 0; i < 6; ++i) first->scaled(x, 1.0, Sink::accumulate(x));
    const std::unique_ptr<Mark> written = mark(*first);
    start_after(*second, *written);
    second->scaled(x, 1.0, Sink::overwrite(sum));
    EXPECT_EQ(values_of(*second, sum), Doubles(1 << 20, 64.0));
    EXPECT_TRUE(written->is_reached());
  }
}

}  // namespace
}  // namespace dragoman
