// HTTP as the handlers see it: a complete request, and a way to answer it from any thread. Sockets are handled in
// listener.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::serve {

struct HttpRequest {
  std::string method;                        // in upper case
  std::string path;                          // decoded, without the query
  std::map<std::string, std::string> query;  // decoded; if a name comes twice, the last value
  std::map<std::string, std::string>
      headers;  // names in lower case; the values of a name that comes twice are joined by ", "
  std::string body;
  std::string client;  // the address of the client as text

  // The value of a header, or empty. `name` is in lower case.
  std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  Headers headers = {};
  std::string reason = {};  // why the request failed, for the operator; it is not sent
};

// The answer to one request. Call either answer() once, or events() once, event() any number of times, and then end().
// Every function may be called from any thread, returns at once, and does nothing after the client has gone. If an
// exchange is destroyed without an answer, the client gets status 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const HttpRequest& request() const = 0;

  virtual void answer(Response response) = 0;

  // Server-sent events (text/event-stream). `data` may have several lines. event() returns false if the caller should
  // give up: the client has gone, or it reads so slowly that too much waits to be sent; then its connection is closed.
  virtual void events(Headers headers) = 0;
  virtual bool event(std::string_view name, std::string_view data) = 0;
  virtual void end() = 0;
  // To be called before end() if the events tell of a failure: why, for the operator. See Response::reason.
  virtual void give_reason(const std::string& /*reason*/) {}

  // Calls `gone` once, from any thread, if the client goes away or the time for the request runs out before the answer
  // is complete. If that has already happened, calls it at once. It is not called after answer() or end(). It must
  // neither throw nor wait.
  virtual void when_gone(std::function<void()> gone) = 0;
  // Whether the client has gone, or the time has run out.
  virtual bool is_gone() const { return false; }

  // Reserves memory for the work on this request and for its answer, until the answer is complete. Returns false if
  // there is not enough memory now. To be called at most once.
  virtual bool reserve(std::int64_t /*bytes*/) { return true; }
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace dragoman::serve
