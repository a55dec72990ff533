#include "dragoman/serve/http/client_address.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <optional>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::serve {
namespace {

namespace ip = boost::asio::ip;

// Empty if the text is not an address. An IPv4 address in IPv6 form ("::ffff:1.2.3.4") becomes the IPv4 address.
std::optional<ip::address> parsed(std::string_view text) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

std::vector<std::uint8_t> bytes_of(const ip::address& address) {
  const auto list = [](const auto& bytes) { return std::vector<std::uint8_t>(bytes.begin(), bytes.end()); };
  return address.is_v4() ? list(address.to_v4().to_bytes()) : list(address.to_v6().to_bytes());
}

// Whether the first `bits` bits of two addresses are equal.
bool have_same_prefix(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, int bits) {
  if (a.size() != b.size()) return false;
  for (int bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if (((a[byte] ^ b[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

// Removes spaces and the port, which some proxies write: "1.2.3.4:567" or "[::1]:80".
std::string_view without_port(std::string_view entry) {
  while (!entry.empty() && (entry.front() == ' ' || entry.front() == '\t')) entry.remove_prefix(1);
  while (!entry.empty() && (entry.back() == ' ' || entry.back() == '\t')) entry.remove_suffix(1);
  if (entry.starts_with('[')) return entry.substr(1, entry.find(']') - 1);
  const std::size_t colon = entry.find(':');
  return colon != std::string_view::npos && entry.find(':', colon + 1) == std::string_view::npos
             ? entry.substr(0, colon)
             : entry;
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& addresses) {
  for (const std::string& text : addresses) {
    const std::size_t slash = text.find('/');
    const std::optional<ip::address> address = parsed(text.substr(0, slash));
    Network network;
    if (address) network.bytes = bytes_of(*address);
    const int all = static_cast<int>(8 * network.bytes.size());
    network.bits = slash == std::string::npos ? all : parse_number<int>(text.substr(slash + 1)).value_or(-1);
    require<UsageError>(address && network.bits >= 0 && network.bits <= all, "trusted-proxy: '", text,
                        "' is neither a numeric address nor a network such as 10.0.0.0/8.");
    networks_.push_back(std::move(network));
  }
}

bool TrustedProxies::contains(std::string_view address) const {
  const std::optional<ip::address> found = networks_.empty() ? std::nullopt : parsed(address);
  if (!found) return false;
  const std::vector<std::uint8_t> bytes = bytes_of(*found);
  for (const Network& network : networks_) {
    if (have_same_prefix(bytes, network.bytes, network.bits)) return true;
  }
  return false;
}

std::string client_of(const std::string& peer, std::string_view forwarded_for, const TrustedProxies& trusted) {
  std::string client = peer;
  while (!forwarded_for.empty() && trusted.contains(client)) {
    const std::size_t comma = forwarded_for.rfind(',');
    const std::string_view entry =
        without_port(comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1));
    const std::optional<ip::address> address = parsed(entry);
    if (!address) break;  // not an address, so the header is of no use
    client = address->to_string();
    forwarded_for = comma == std::string_view::npos ? std::string_view() : forwarded_for.substr(0, comma);
  }
  return client;
}

std::string holder_of(const std::string& client) {
  const std::optional<ip::address> address = parsed(client);
  if (!address) return client;
  if (address->is_v4()) return address->to_string();
  return ip::make_network_v6(address->to_v6(), 64).canonical().to_string();
}

}  // namespace dragoman::serve
