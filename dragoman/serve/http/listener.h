// The network side of the server: accepts connections, reads requests within limits, and sends answers. A connection
// costs memory, never a thread: slow and idle clients are waited for together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// The status of an answer that nobody waits for any more, as nginx has it.
inline constexpr int kClientLeft = 499;

// What became of a request.
struct RequestRecord {
  std::string client;        // its address
  std::string method, path;  // empty where they were not read
  int status = 0;
  std::size_t bytes = 0;  // of the answer's body
  double seconds = 0;     // since its first byte
};

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  int threads = 1;  // that read and write; they call the handler, each for itself, and it must not wait
  std::int64_t most_connections = 20000;   // of an address; more are answered 503 and closed. See Shares
  std::int64_t body_bytes = 1 << 20;       // a larger body is answered 413
  std::int64_t header_bytes = 16 << 10;    // larger headers: 431
  std::int64_t held_bytes = 512 << 20;     // of all requests, their work and their answers; then 503 to long ones
  double read_seconds = 20;                // from a request's first byte to its last; then 408
  double idle_seconds = 75;                // between two requests, and before the first
  double write_seconds = 30;               // without any progress while an answer is sent
  double request_seconds = 60;             // from the request's last byte to the answer's; then 503 with a sentence
  std::int64_t waiting_bytes = 256 << 10;  // of events that a client has not taken; then Exchange::event() is false
  std::vector<std::string> trusted_proxies = {};  // see TrustedProxies; their connections are of many clients
  std::int64_t discard_bytes = 16 << 20;  // of a refused request, read and forgotten so that its sender reads why
  // Told, in a sentence, what the operator should know and no client is told: why a handler failed, or that there are
  // no descriptors left. Called on the threads above; must not wait.
  std::function<void(const std::string& sentence)> report = {};
  // Told of each request that the listener answers itself, or whose client leaves before the answer (kClientLeft).
  // Called as `report` is.
  std::function<void(const RequestRecord& request)> refused = {};
};

// What a listener has done since it began, and is doing.
struct ListenerCounts {
  std::int64_t connections = 0;            // open
  std::int64_t accepted = 0, refused = 0;  // the refused ones are among the accepted
};

// A client that closes its connection before its answer is complete is noticed soon, so that work for it can stop; one
// that only stops sending (a half-close) gets its answer.
class Listener {
 public:
  // Listens at once; throws an Error with one sentence if the address or the port cannot be had. `handler` is called
  // for every request that is well formed and within the limits; everything else is answered here, with a JSON
  // sentence: {"error": "..."}. So is a request whose handler throws. Raises the number of descriptors that this
  // process may have open to what the connections need, as far as the system allows.
  Listener(const ListenerOptions& options, Handler handler);
  // Closes everything at once. Exchanges may outlive the listener.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const;

  // Accepts no more connections, answers the requests that have come, closes idle connections and those that were
  // answered, and returns when none is left or the seconds are over.
  void drain(double seconds);

  ListenerCounts counts() const;

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace dragoman::serve
