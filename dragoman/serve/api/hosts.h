// By which names the server may be asked: the header Host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

// Whether only programs of this machine reach an address, given as numbers: 127.0.0.1 and the like, or ::1.
bool is_loopback(const std::string& address);

// "example.org" of "Example.org.:8080", and "::1" of "[::1]:8080".
std::string host_name(std::string_view host);

// A page of any site can give its own name the address 127.0.0.1 and then ask a server there from the visitor's
// browser, which takes both for one site (DNS rebinding). The header Host still has the page's name, so a server on a
// loopback address answers to names that it knows only.
class Hosts {
 public:
  // Every name will do.
  Hosts() = default;
  // For a server that listens on `address`. On a loopback address: localhost, loopback addresses, `address` itself and
  // the names. On others all names will do unless some are given; then those, localhost, and every address as numbers.
  Hosts(std::string address, const std::vector<std::string>& names);

  // A header Host, with or without a port. One that is missing will do: browsers always send it.
  bool allow(std::string_view host) const;

 private:
  bool checked_ = false, any_number_ = false;
  std::string address_;
  std::vector<std::string> names_;
};

}  // namespace dragoman::serve
