// Who may ask, and how often: keys, rates, and pages of other origins.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/serve/http.h"

namespace dragoman::serve {

// So many requests a minute for each asker, in bursts of as many. Safe to use from any thread.
class RateLimit {
 public:
  // 0: no limit.
  explicit RateLimit(double per_minute) : per_minute_(per_minute) {}

  // Whether the asker may have a request at this time, in seconds on any clock that only rises.
  bool allows(const std::string& asker, double now);

 private:
  static constexpr std::size_t kMostAskers = 100000;  // remembered at once

  struct Bucket {
    double left, at;
  };

  void forget_idle(double now);

  double per_minute_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

struct GateOptions {
  std::set<std::string> keys = {};        // none: everybody may ask
  double requests_per_minute = 0;         // for each key, or each address where there are no keys; 0: no limit
  std::vector<std::string> origins = {};  // whose pages may ask; "*" for all
};

class Gate {
 public:
  explicit Gate(GateOptions options);

  // Throws a Refusal: 401 without a key, 403 with a wrong one, 429 if the asker comes too often. A key is the header
  // Authorization (Bearer) or X-Api-Key, or `in_body`, the field api_key.
  void check(const Request& request, std::string_view in_body, double now);

  // What lets a browser's page of another origin read the answer; none for origins that are not listed.
  Headers headers(const Request& request) const;

  bool has_keys() const { return !options_.keys.empty(); }

 private:
  GateOptions options_;
  RateLimit rate_;
};

}  // namespace dragoman::serve
