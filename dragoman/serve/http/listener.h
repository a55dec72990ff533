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

// The status that is recorded when a client leaves before its answer is complete. nginx uses the same number.
inline constexpr int kClientLeft = 499;

// The outcome of a request, for logs and metrics.
struct RequestRecord {
  std::string client;        // address
  std::string method, path;  // empty if they were not read
  int status = 0;
  std::size_t bytes = 0;  // of the body of the answer
  // In the listener's own records, since the first byte of the request. App (serve/api/app.h) also makes such records,
  // in which the time starts when App is called.
  double seconds = 0;
};

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8080;                       // 0 for any free port
  int threads = 1;                       // event loops, one per thread. Each calls the handler, which must not wait
  std::int64_t max_connections = 20000;  // per address; more are answered 503 and closed. See Shares
  std::int64_t body_bytes = 1 << 20;     // a larger body is answered 413
  std::int64_t header_bytes = 16 << 10;  // larger headers: 431
  // Memory for all requests, their work and their answers. If too little is free, those above header_bytes get 503.
  std::int64_t held_bytes = 512 << 20;
  double read_seconds = 20;                // from the first byte of a request to its last; then 408
  double idle_seconds = 75;                // between two requests, and before the first; then the connection is closed
  double write_seconds = 30;               // without progress while an answer is sent; then the connection is closed
  double request_seconds = 60;             // from the last byte of a request to its answer; then 503
  std::int64_t waiting_bytes = 256 << 10;  // of events that the client has not read; then Exchange::event() is false
  std::vector<std::string> trusted_proxies = {};  // see TrustedProxies; each may use all free connections
  // At most this much of a refused request is read and dropped. A client that is still sending when we close would not
  // see our answer.
  std::int64_t discard_bytes = 16 << 20;
  // Gets messages for the operator, which clients do not see: why a handler failed, or that file descriptors have run
  // out. It is called on the threads above and must not wait.
  std::function<void(const std::string& message)> report = {};
  // Gets a record of each request that the listener answers itself, or whose client leaves before the answer
  // (kClientLeft). It is called as `report` is.
  std::function<void(const RequestRecord& request)> refused = {};
};

// What a listener has done since it started, and its open connections.
struct ListenerCounts {
  std::int64_t connections = 0;            // open now
  std::int64_t accepted = 0, refused = 0;  // since the start; the refused ones are among the accepted
};

// The listener soon notices a client that closes its connection before its answer is complete, so that the work for it
// can stop. A client that only stops sending (a half-close) gets its answer.
class Listener {
 public:
  // Listens at once. Throws an Error if it cannot use the address or the port. `handler` is called for every request
  // that is well formed and within the limits. Every other request is answered here, with an error message in JSON:
  // {"error": "..."}; so is a request whose handler throws. Raises the number of file descriptors that this process may
  // have open to what the connections need, as far as the system allows.
  Listener(const ListenerOptions& options, Handler handler);
  // Closes everything at once. Exchanges may outlive the listener.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const;

  // Accepts no more connections, answers the requests that have been received, and closes connections that are idle or
  // have been answered. Does not wait for the rest of requests that have not arrived completely: they are refused (503)
  // when no others are being answered. Returns when no connection is left or the seconds are over.
  void drain(double seconds);

  ListenerCounts counts() const;

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace dragoman::serve
