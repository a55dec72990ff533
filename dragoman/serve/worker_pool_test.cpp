#include "dragoman/serve/worker_pool.h"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>

namespace dragoman::serve {
namespace {

TEST(WorkerPool, ClientsTakeTurns) {
  WorkerPool workers(1, {});
  std::latch begin(1), done(5);
  std::string order;
  workers.run("x", [&] { begin.wait(); });
  for (const char* client : {"a", "a", "a", "b", "b"}) {
    workers.run(client, [&, client] {
      order += client;
      done.count_down();
    });
  }
  begin.count_down();
  done.wait();
  EXPECT_EQ(order, "ababa");
}

TEST(WorkerPool, AnExceptionIsReportedAndOtherWorkGoesOn) {
  std::latch done(1);
  std::string reported;
  WorkerPool workers(1, [&](const std::string& message) { reported = message; });
  workers.run("a", [] { throw std::runtime_error("this went wrong"); });
  workers.run("a", [&] { done.count_down(); });
  done.wait();
  workers.stop();
  EXPECT_NE(reported.find("this went wrong"), std::string::npos);
}

TEST(WorkerPool, WorkAfterStopIsDropped) {
  WorkerPool workers(2, {});
  workers.stop();
  bool ran = false;
  workers.run("a", [&] { ran = true; });
  workers.stop();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace dragoman::serve
