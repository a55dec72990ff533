#include "dragoman/serve/api/hosts.h"

#include <gtest/gtest.h>

namespace dragoman::serve {
namespace {

TEST(Hosts, OnALoopbackAddressOnlyOwnNamesAreAllowed) {
  const Hosts hosts("127.0.0.1", {});
  for (const char* good : {"", "localhost", "LocalHost:8080", "localhost.", "127.0.0.1", "127.0.0.1:80", "127.0.0.2",
                           "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(hosts.allows(good)) << good;
  }
  for (const char* bad : {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "a",
                          "192.168.0.1", "[fe80::1]", "[", "[]", ":", "::1:8080", "localhost,evil.example"}) {
    EXPECT_FALSE(hosts.allows(bad)) << bad;
  }
}

TEST(Hosts, AllowGivenNames) {
  const Hosts hosts("::1", {"Translate.Example.org", "[2001:db8::1]:80"});
  EXPECT_TRUE(hosts.allows("translate.example.ORG:443"));
  EXPECT_TRUE(hosts.allows("[2001:db8::1]"));
  EXPECT_TRUE(hosts.allows("localhost"));
  EXPECT_FALSE(hosts.allows("example.org"));
}

TEST(Hosts, OnOtherAddressesAreCheckedOnlyIfNamesAreGiven) {
  EXPECT_TRUE(Hosts("0.0.0.0", {}).allows("anything.example"));
  EXPECT_TRUE(Hosts().allows("anything.example"));
  const Hosts named("0.0.0.0", {"translate.example.org"});
  EXPECT_TRUE(named.allows("translate.example.org"));
  EXPECT_TRUE(named.allows("192.168.0.1:8080"));  // an attacker cannot redirect a numeric address, only a name
  EXPECT_FALSE(named.allows("anything.example"));
}

TEST(Loopback, IsAnAddressThatOnlyThisMachineReaches) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) EXPECT_TRUE(is_loopback(address));
  for (const char* address : {"0.0.0.0", "::", "192.168.0.1", "localhost", ""}) EXPECT_FALSE(is_loopback(address));
}

}  // namespace
}  // namespace dragoman::serve
