// Who a request comes from, and by what name shares are counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

// Proxies whose word on the client's address is taken.
class TrustedProxies {
 public:
  // Numeric addresses, or networks as 10.0.0.0/8. Throws a UsageError for anything else.
  explicit TrustedProxies(const std::vector<std::string>& addresses = {});

  bool contains(std::string_view address) const;

 private:
  struct Network {
    std::vector<std::uint8_t> bytes;
    int bits;
  };
  std::vector<Network> networks_;
};

// The client's address: that of the peer, unless it is a trusted proxy; then the last one of its header X-Forwarded-For
// that is no trusted proxy. What stands before that anybody could have written.
std::string client_of(const std::string& peer, std::string_view forwarded_for, const TrustedProxies& trusted);

// What shares are counted by: the address, or its network of 64 bits in IPv6, where one client has as many addresses as
// it likes.
std::string holder_of(const std::string& client);

}  // namespace dragoman::serve
