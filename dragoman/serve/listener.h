// The network side of the server: accepts connections, reads requests within limits, and sends answers. A connection
// costs memory, never a thread: slow and idle clients are waited for together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dragoman/serve/http.h"

namespace dragoman::serve {

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 8080;                        // 0: any that is free
  int threads = 1;                        // that read and write; handlers are called on them, and must not wait
  std::int64_t most_connections = 20000;  // more are answered 503 and closed
  std::int64_t body_bytes = 1 << 20;      // a larger body is answered 413
  std::int64_t header_bytes = 16 << 10;   // larger headers: 431
  double read_seconds = 20;               // from a request's first byte to its last; then 408
  double idle_seconds = 75;               // between two requests, and before the first
  double write_seconds = 30;              // without any progress while an answer is sent
  double request_seconds = 60;            // from the request's last byte to the answer's; then 503 with a sentence
};

// What a listener has done since it began, and is doing.
struct ListenerCounts {
  std::int64_t connections = 0;  // open
  std::int64_t accepted = 0, refused = 0;
};

class Listener {
 public:
  // Listens at once; throws an Error with one sentence if the address or the port cannot be had. `handler` is called
  // for every request that is well formed and within the limits; everything else is answered here, with a JSON
  // sentence:
  // {"error": "..."}.
  Listener(const ListenerOptions& options, Handler handler);
  // Closes everything at once.
  ~Listener();

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
