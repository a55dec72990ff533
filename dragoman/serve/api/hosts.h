// The names by which clients may address the server in the header Host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

// Whether only programs on this machine can reach a numeric address: 127.0.0.1 and the like, or ::1.
bool is_loopback(const std::string& address);

// The name without port, in lower case: "example.org" of "Example.org.:8080", and "::1" of "[::1]:8080".
std::string host_name(std::string_view host);

// Protects against DNS rebinding: any web site can let its own name point to 127.0.0.1, and then its page can send
// requests to a server there from the browser of a visitor, which takes both for the same site. The header Host still
// has the name of that site. So a server on a loopback address only answers to names that it knows.
class Hosts {
 public:
  // Allows every name.
  Hosts() = default;
  // For a server that listens on `address`. On a loopback address, it allows localhost, loopback addresses, `address`
  // itself and the names. On another address it allows every name if `names` is empty; else the names, localhost, and
  // every numeric address.
  Hosts(std::string address, const std::vector<std::string>& names);

  // `host` is the header Host, with or without a port. A request without it is allowed: browsers always send it, so
  // the request does not come from one.
  bool allows(std::string_view host) const;

 private:
  bool is_checked_ = false, allows_every_address_ = false;
  std::string address_;
  std::vector<std::string> names_;
};

}  // namespace dragoman::serve
