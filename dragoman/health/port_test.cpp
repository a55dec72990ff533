#include "dragoman/health/port.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/serve/http/listener.h"

namespace dragoman::health {
namespace {

TEST(PortHealth, TellsAPortInUseFromAFreeOne) {
  int port = 0;
  {
    const serve::Listener busy({.port = 0}, [](const auto&...) {});
    port = busy.port();
    EXPECT_EQ(port_section("127.0.0.1", port, Asked::kYes).findings.at(0).level, Level::kError);
    EXPECT_EQ(port_section("127.0.0.1", port, Asked::kNo).findings.at(0).level, Level::kWarning);
  }
  EXPECT_EQ(port_section("127.0.0.1", port, Asked::kYes).findings.at(0).level, Level::kGood);
}

TEST(PortHealth, RefusesWhatIsNoAddressAndNoPort) {
  EXPECT_THROW(port_section("nowhere", 8080, Asked::kYes), UsageError);
  EXPECT_THROW(port_section("127.0.0.1", 70'000, Asked::kYes), UsageError);
}

}  // namespace
}  // namespace dragoman::health
