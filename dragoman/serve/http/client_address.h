// The address of the client that sent a request, and the name under which its share of the resources is counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

// Proxies whose header X-Forwarded-For is trusted.
class TrustedProxies {
 public:
  // The addresses are numeric, or networks such as 10.0.0.0/8. Throws a UsageError for anything else.
  explicit TrustedProxies(const std::vector<std::string>& addresses = {});

  bool contains(std::string_view address) const;

 private:
  struct Network {
    std::vector<std::uint8_t> bytes;
    int bits;
  };
  std::vector<Network> networks_;
};

// The address of the client. Usually this is the peer. If the peer is a trusted proxy, it is the last address in
// X-Forwarded-For that is not a trusted proxy; anybody could have written the addresses before that one.
std::string client_of(const std::string& peer, std::string_view forwarded_for, const TrustedProxies& trusted);

// The holder of a share (see Shares), as which a client is counted: an IPv4 address itself, or the 64-bit network of an
// IPv6 address, because an IPv6 client has as many addresses as it likes. Text that is not an address stays as it is.
std::string holder_of(const std::string& client);

}  // namespace dragoman::serve
