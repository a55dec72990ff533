// Who may ask, and how often: keys, rates, names of the server, and pages of other origins.
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

// So many requests a minute for each asker, in bursts of as many. Safe to use from any thread. Times are in seconds on
// any clock that only rises.
class RateLimit {
 public:
  // 0: no limit.
  explicit RateLimit(double per_minute) : per_minute_(per_minute) {}

  // Whether the asker may have a request at this time, which then counts.
  bool allows(const std::string& asker, double now);
  // Seconds until the asker may have one. Counts nothing.
  double seconds_until(const std::string& asker, double now);

 private:
  static constexpr std::size_t kMostAskers = 100000;  // remembered at once

  struct Bucket {
    double left, at;
  };

  Bucket& bucket_of(const std::string& asker, double now);
  void forget_idle(double now);

  double per_minute_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

struct GateOptions {
  std::set<std::string> keys = {};        // none: everybody may ask
  double requests_per_minute = 0;         // for each key, or each address where there are no keys; 0: no limit
  std::vector<std::string> origins = {};  // whose pages may ask; "*" for all
  Hosts hosts = {};                       // names that the server answers to
  double wrong_keys_per_minute = 10;      // of each address; 0: no limit
};

class Gate {
 public:
  explicit Gate(GateOptions options);

  // Throws a Refusal (421) if the request is for a server of another name.
  void check_host(const Request& request) const;

  // Throws a Refusal: 401 without a key, 403 with a wrong one, 429 if the asker comes too often. A key is the header
  // Authorization (Bearer) or X-Api-Key, or `in_body`, the field api_key.
  //
  // An address that has shown too many wrong keys is answered 429 whatever key it shows, or guessing would go on as
  // fast as before. Keys that it has shown rightly before stay good: many users may share an address, and those who are
  // known there do not suffer from one who guesses.
  void check(const Request& request, std::string_view in_body, double now);

  // What lets a browser's page of another origin read the answer; none for origins that are not listed.
  Headers headers(const Request& request) const;

  bool has_keys() const { return !options_.keys.empty(); }

 private:
  static constexpr std::size_t kMostKnown = 100000;  // pairs of an address and a key that are remembered

  std::optional<std::size_t> find_key(std::string_view text) const;
  void check_key(const Request& request, std::string_view key, double now);

  GateOptions options_;
  RateLimit rate_, wrong_keys_;
  std::vector<std::string> keys_;
  std::mutex mutex_;
  std::set<std::pair<std::string, std::size_t>> known_;  // addresses and the keys that they have shown
};

// The part of an address that one client may be expected to have for itself: an IPv6 address's first half, because a
// customer of a provider has the whole second half; all of any other.
std::string network_of(const std::string& client);

}  // namespace dragoman::serve
