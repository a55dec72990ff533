#include "dragoman/serve/gate.h"

#include <algorithm>

#include "dragoman/serve/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string key_of(const Request& request, std::string_view in_body) {
  const std::string_view authorization = request.header("authorization");
  if (authorization.starts_with(kBearer)) return std::string(authorization.substr(kBearer.size()));
  const std::string_view header = request.header("x-api-key");
  return std::string(header.empty() ? in_body : header);
}

}  // namespace

bool RateLimit::allows(const std::string& asker, double now) {
  if (per_minute_ <= 0) return true;
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMostAskers && !buckets_.contains(asker)) forget_idle(now);
  const double most = std::max(1.0, per_minute_);
  Bucket& bucket = buckets_.try_emplace(asker, Bucket{most, now}).first->second;
  bucket.left = std::min(most, bucket.left + (now - bucket.at) * per_minute_ / 60);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

// Who has been away for a minute has a whole bucket again, as a newcomer has. If nobody has, all begin anew.
void RateLimit::forget_idle(double now) {
  std::erase_if(buckets_, [now](const auto& entry) { return now - entry.second.at >= 60; });
  if (buckets_.size() >= kMostAskers) buckets_.clear();
}

Gate::Gate(GateOptions options) : options_(std::move(options)), rate_(options_.requests_per_minute) {}

void Gate::check(const Request& request, std::string_view in_body, double now) {
  std::string asker = request.client;
  if (has_keys()) {
    const std::string key = key_of(request, in_body);
    require_or(401, !key.empty(), "this server needs an API key: send it as api_key, or in the header X-Api-Key.");
    require_or(403, options_.keys.contains(key), "the API key is not one of this server's.");
    asker = key;
  }
  require_or(429, rate_.allows(asker, now), "too many requests; at most ", options_.requests_per_minute,
             " a minute are allowed. Try again in a moment.");
}

Headers Gate::headers(const Request& request) const {
  const std::string origin(request.header("origin"));
  if (origin.empty() || options_.origins.empty()) return {};
  if (std::ranges::count(options_.origins, "*") > 0) return {{"Access-Control-Allow-Origin", "*"}};
  if (std::ranges::count(options_.origins, origin) == 0) return {{"Vary", "Origin"}};
  return {{"Access-Control-Allow-Origin", origin}, {"Vary", "Origin"}};
}

}  // namespace dragoman::serve
