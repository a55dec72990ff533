// Decides which requests are allowed: API keys, rate limits, the names of the server, and pages of other origins.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/serve/api/hosts.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// Limits how many requests a minute each client may send. It may send all of them at once (a token bucket). A client is
// identified by any text. Safe to use from any thread. Times are in seconds on any clock that never goes back.
class RateLimit {
 public:
  // 0 for no limit.
  explicit RateLimit(double per_minute) : per_minute_(per_minute) {}

  // Whether the client may send a request now. If so, counts it.
  bool allows(const std::string& client, double now);
  // Seconds until the client may send a request. Counts nothing.
  double seconds_until(const std::string& client, double now);

 private:
  static constexpr std::size_t kMaxClients = 100000;  // remembered at once

  struct Bucket {
    double left;  // requests that are allowed at the time `at`
    double at;
  };

  Bucket& bucket_of(const std::string& client, double now);
  void forget_idle(double now);

  double per_minute_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

struct GateOptions {
  std::set<std::string> keys = {};        // if empty, no key is needed
  double requests_per_minute = 0;         // per key, or per address if there are no keys; 0 for no limit
  std::vector<std::string> origins = {};  // origins whose pages may send requests; "*" for all
  Hosts hosts = {};                       // names that the server answers to
  double wrong_keys_per_minute = 10;      // per address; 0 for no limit
};

class Gate {
 public:
  explicit Gate(GateOptions options);

  // Throws a Refusal (421) if the request is addressed to a server of another name.
  void check_host(const HttpRequest& request) const;

  // Throws a Refusal: 401 without a key, 403 with a wrong key, 429 for too many requests. The key is in the header
  // Authorization (Bearer) or X-Api-Key, or it is `key_in_body`, the value of the field api_key.
  //
  // An address that has sent too many wrong keys gets 429 for every key; otherwise it could go on guessing as fast as
  // before. A right key that this address has sent earlier stays valid: many users may share an address, and one who
  // guesses must not lock out the others.
  void check(const HttpRequest& request, std::string_view key_in_body, double now);

  // The headers that let a page of another origin read the answer. Empty if the request has no origin; origins that are
  // not listed get no permission.
  Headers headers(const HttpRequest& request) const;

  bool has_keys() const { return !options_.keys.empty(); }

 private:
  static constexpr std::size_t kMaxKnown = 100000;  // pairs of address and key that are remembered

  std::optional<std::size_t> find_key(std::string_view text) const;
  void check_key(const HttpRequest& request, std::string_view key, double now);

  GateOptions options_;
  RateLimit rate_, wrong_keys_;
  std::vector<std::string> keys_;
  std::mutex mutex_;
  std::set<std::pair<std::string, std::size_t>> known_;  // right keys (by index) with the address that sent them
};

}  // namespace dragoman::serve
