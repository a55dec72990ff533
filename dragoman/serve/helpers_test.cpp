#include "dragoman/serve/helpers.h"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>

namespace dragoman::serve {
namespace {

TEST(Helpers, ClientsTakeTurns) {
  Helpers helpers(1, {});
  std::latch begin(1), done(5);
  std::string order;
  helpers.run("x", [&] { begin.wait(); });
  for (const char* client : {"a", "a", "a", "b", "b"}) {
    helpers.run(client, [&, client] {
      order += client;
      done.count_down();
    });
  }
  begin.count_down();
  done.wait();
  EXPECT_EQ(order, "ababa");
}

TEST(Helpers, AnExceptionIsReportedAndOtherWorkGoesOn) {
  std::latch done(1);
  std::string reported;
  Helpers helpers(1, [&](const std::string& sentence) { reported = sentence; });
  helpers.run("a", [] { throw std::runtime_error("this went wrong"); });
  helpers.run("a", [&] { done.count_down(); });
  done.wait();
  helpers.stop();
  EXPECT_NE(reported.find("this went wrong"), std::string::npos);
}

TEST(Helpers, WorkAfterStopIsDropped) {
  Helpers helpers(2, {});
  helpers.stop();
  bool ran = false;
  helpers.run("a", [&] { ran = true; });
  helpers.stop();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace dragoman::serve
