// HTTP as the handlers see it: a request that is whole, and a way to answer it from any thread. What sockets do is in
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

struct Request {
  std::string method;                          // in capitals
  std::string path;                            // decoded, without the query
  std::map<std::string, std::string> query;    // decoded; of a name that comes twice, the last
  std::map<std::string, std::string> headers;  // names in lower case; of one that comes twice, the last
  std::string body;
  std::string client;  // its address, as text

  // The header's value, or nothing.
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
};

// One request's answer: either answer() once, or events() once, event() any number of times, and end(). Every function
// may be called from any thread, returns at once, and does nothing after the client has gone. An exchange that is
// forgotten unanswered is answered with status 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;

  virtual void answer(Response response) = 0;

  // Server-sent events (text/event-stream). `data` may have several lines. False if the caller should give up: the
  // client has gone, or so much waits to be sent that it must be too slow, and then it is cut off.
  virtual void events(Headers headers) = 0;
  virtual bool event(std::string_view name, std::string_view data) = 0;
  virtual void end() = 0;

  // `gone` is called once, from any thread, when the client goes away or the time for the request is over before the
  // answer is complete; at once if that has happened. Not called after answer() or end(). It must not throw or wait.
  virtual void when_gone(std::function<void()> gone) = 0;
  // Whether that has happened.
  virtual bool is_gone() const { return false; }

  // The work for this request, and its answer, may take so many bytes until the answer is there. False if there is no
  // room for them now. At most once.
  virtual bool reserve(std::int64_t /*bytes*/) { return true; }
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

}  // namespace dragoman::serve
