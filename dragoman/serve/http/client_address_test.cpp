#include "dragoman/serve/http/client_address.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman::serve {
namespace {

TEST(ClientAddress, OnlyTrustedProxiesAreBelieved) {
  const TrustedProxies none, one({"10.0.0.1"});
  EXPECT_EQ(client_of("10.0.0.1", "1.2.3.4", none), "10.0.0.1");
  EXPECT_EQ(client_of("10.0.0.2", "1.2.3.4", one), "10.0.0.2");
  EXPECT_EQ(client_of("10.0.0.1", "1.2.3.4", one), "1.2.3.4");
  EXPECT_EQ(client_of("::ffff:10.0.0.1", "1.2.3.4", one), "1.2.3.4");
}

TEST(ClientAddress, IsTheLastAddressThatIsNotATrustedProxy) {
  const TrustedProxies proxies({"10.0.0.0/8", "::1", "fd00::/16"});
  EXPECT_EQ(client_of("::1", "9.9.9.9, 1.2.3.4, 10.1.1.1,fd00::7", proxies), "1.2.3.4");
  EXPECT_EQ(client_of("10.0.0.1", "8.8.8.8, 2001:db8::5", proxies), "2001:db8::5");
  EXPECT_EQ(client_of("10.0.0.1", "10.0.0.2", proxies), "10.0.0.2");  // no other address is given
  EXPECT_EQ(client_of("10.0.0.1", "", proxies), "10.0.0.1");
}

TEST(ClientAddress, TheSearchStopsAtTextThatIsNotAnAddress) {
  const TrustedProxies one({"10.0.0.1"});
  EXPECT_EQ(client_of("10.0.0.1", "1.2.3.4, somebody", one), "10.0.0.1");
  EXPECT_EQ(client_of("10.0.0.1", "1.2.3.4,", one), "10.0.0.1");
}

TEST(ClientAddress, IsGivenWithoutThePort) {
  const TrustedProxies one({"10.0.0.1"});
  EXPECT_EQ(client_of("10.0.0.1", "1.2.3.4:5678", one), "1.2.3.4");
  EXPECT_EQ(client_of("10.0.0.1", "[2001:db8::1]:443", one), "2001:db8::1");
}

TEST(TrustedProxies, MustBeAddressesOrNetworks) {
  for (const char* wrong : {"", "localhost", "10.0.0.1/33", "10.0.0.1/x", "::1/129", "/8"}) {
    EXPECT_THROW(TrustedProxies({wrong}), UsageError) << wrong;
  }
}

TEST(ClientAddress, AnIpv6NetworkOf64BitsIsOneHolder) {
  EXPECT_EQ(holder_of("2001:db8:0:1::5"), holder_of("2001:db8:0:1:ffff::9"));
  EXPECT_NE(holder_of("2001:db8:0:1::5"), holder_of("2001:db8:0:2::5"));
  EXPECT_EQ(holder_of("1.2.3.4"), holder_of("::ffff:1.2.3.4"));
  EXPECT_NE(holder_of("1.2.3.4"), holder_of("1.2.3.5"));
  EXPECT_EQ(holder_of("client"), "client");
}

}  // namespace
}  // namespace dragoman::serve
