#include "dragoman/serve/api/hosts.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dragoman/serve/http/escapes.h"

namespace dragoman::serve {
namespace {

// The bytes of a numeric address, 4 or 16; 4 for an IPv4 address in IPv6 form. Empty for other text.
std::optional<std::string> parse_address(const std::string& text) {
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return std::string(reinterpret_cast<const char*>(&v4), 4);
  if (::inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return std::string(reinterpret_cast<const char*>(&v6) + 12, 4);
  return std::string(reinterpret_cast<const char*>(&v6), 16);
}

}  // namespace

std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, std::min(host.find(']'), host.size()) - 1));
  std::string name = lower(host.substr(0, host.find(':')));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool is_loopback(const std::string& address) {
  const std::optional<std::string> bytes = parse_address(address);
  if (!bytes) return false;
  return bytes->size() == 4 ? bytes->front() == 127 : *bytes == std::string(15, '\0') + '\1';
}

Hosts::Hosts(std::string address, const std::vector<std::string>& names)
    : is_checked_(is_loopback(address) || !names.empty()), allows_every_address_(!is_loopback(address)) {
  for (const std::string& name : names) names_.push_back(host_name(name));
  names_.emplace_back("localhost");
  address_ = std::move(address);
}

bool Hosts::allows(std::string_view host) const {
  if (!is_checked_ || host.empty()) return true;
  const std::string name = host_name(host);
  if (std::ranges::count(names_, name) > 0) return true;
  const std::optional<std::string> numeric = parse_address(name);
  return numeric && (allows_every_address_ || is_loopback(name) || numeric == parse_address(address_));
}

}  // namespace dragoman::serve
