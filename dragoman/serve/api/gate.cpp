#include "dragoman/serve/api/gate.h"

#include <algorithm>
#include <cmath>

#include "dragoman/base/printable.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/http/client_address.h"

namespace dragoman::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// The API key of a request: from a header, or else `key_in_body`, the field api_key of its body. Empty if there is
// none.
std::string key_of(const HttpRequest& request, std::string_view key_in_body) {
  const std::string_view authorization = request.header("authorization");
  if (authorization.starts_with(kBearer)) return std::string(authorization.substr(kBearer.size()));
  const std::string_view header = request.header("x-api-key");
  return std::string(header.empty() ? key_in_body : header);
}

// The time does not depend on how much of the text is right, so that nobody can learn a key letter by letter from the
// time that an answer takes.
bool is_same(std::string_view text, std::string_view key) {
  const bool fits = text.size() == key.size();
  const std::string_view other = fits ? key : text;
  unsigned difference = fits ? 0 : 1;
  for (std::size_t i = 0; i < text.size(); ++i) difference |= static_cast<unsigned char>(text[i] ^ other[i]);
  return difference == 0;
}

int whole_seconds(double seconds) { return static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 3600.0)); }

}  // namespace

bool RateLimit::allows(const std::string& client, double now) {
  if (per_minute_ <= 0) return true;
  const std::lock_guard lock(mutex_);
  Bucket& bucket = bucket_of(client, now);
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

double RateLimit::seconds_until(const std::string& client, double now) {
  if (per_minute_ <= 0) return 0;
  const std::lock_guard lock(mutex_);
  return std::max(0.0, (1 - bucket_of(client, now).left) * 60 / per_minute_);
}

// The bucket of a client, filled up to the present.
RateLimit::Bucket& RateLimit::bucket_of(const std::string& client, double now) {
  if (buckets_.size() >= kMaxClients && !buckets_.contains(client)) forget_idle(now);
  const double capacity = std::max(1.0, per_minute_);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{capacity, now}).first->second;
  bucket.left = std::min(capacity, bucket.left + (now - bucket.at) * per_minute_ / 60);
  bucket.at = now;
  return bucket;
}

// After a minute without requests a bucket is full, as a new one is, so it can be forgotten. If there is no such
// bucket, all are forgotten.
void RateLimit::forget_idle(double now) {
  std::erase_if(buckets_, [now](const auto& entry) { return now - entry.second.at >= 60; });
  if (buckets_.size() >= kMaxClients) buckets_.clear();
}

Gate::Gate(GateOptions options)
    : options_(std::move(options)),
      rate_(options_.requests_per_minute),
      wrong_keys_(options_.wrong_keys_per_minute),
      keys_(options_.keys.begin(), options_.keys.end()) {}

void Gate::check_host(const HttpRequest& request) const {
  constexpr std::size_t kShown = 100;
  const std::string_view host = request.header("host");
  if (options_.hosts.allows(host)) return;
  const std::string name = printable(host_name(host).substr(0, kShown));
  throw Refusal(421, join("this server does not answer to the name '", name,
                          "'. If it should, start it with --allowed-host ", name, "."));
}

void Gate::check(const HttpRequest& request, std::string_view key_in_body, double now) {
  std::string client = holder_of(request.client);
  if (has_keys()) {
    const std::string key = key_of(request, key_in_body);
    require_or(401, !key.empty(), "this server needs an API key: send it as api_key, or in the header X-Api-Key.");
    check_key(request, key, now);
    client = key;
  }
  if (rate_.allows(client, now)) return;
  throw Refusal(429,
                join("too many requests; at most ", options_.requests_per_minute,
                     " a minute are allowed. Try again in a moment."),
                whole_seconds(rate_.seconds_until(client, now)));
}

void Gate::check_key(const HttpRequest& request, std::string_view key, double now) {
  const std::string network = holder_of(request.client);
  const std::optional<std::size_t> found = find_key(key);
  const double wait = wrong_keys_.seconds_until(network, now);
  const std::lock_guard lock(mutex_);
  if (wait > 0 && !(found && known_.contains({network, *found}))) {
    throw Refusal(429, "too many wrong API keys came from this address; try again later.", whole_seconds(wait));
  }
  if (!found) {
    wrong_keys_.allows(network, now);  // counts this one
    throw Refusal(403, "the API key is not valid on this server.");
  }
  if (known_.size() >= kMaxKnown) known_.clear();  // clients that still send requests are soon known again
  known_.emplace(network, *found);
}

// Compares with all keys, so that the time does not depend on which one is right.
std::optional<std::size_t> Gate::find_key(std::string_view text) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (is_same(text, keys_[i])) found = i;
  }
  return found;
}

Headers Gate::headers(const HttpRequest& request) const {
  const std::string origin(request.header("origin"));
  if (origin.empty() || options_.origins.empty()) return {};
  if (std::ranges::count(options_.origins, "*") > 0) return {{"Access-Control-Allow-Origin", "*"}};
  if (std::ranges::count(options_.origins, origin) == 0) return {{"Vary", "Origin"}};
  return {{"Access-Control-Allow-Origin", origin}, {"Vary", "Origin"}};
}

}  // namespace dragoman::serve
