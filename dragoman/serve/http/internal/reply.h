// The answer to one request on its way from the handler, which may run on any thread, to the connection on the thread
// of its loop. The handler writes into the reply and wakes the connection; the connection takes what is new and sends
// it. Everything shared is guarded by one mutex.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/serve/http/http.h"
#include "dragoman/serve/http/internal/budget.h"

namespace dragoman::serve {

class Reply {
 public:
  // `wake` is called when the connection has something to take. A lock is held then, so `wake` must only schedule a
  // call and return. `waiting_bytes` limits events that were not sent yet.
  Reply(HttpRequest request, std::int64_t waiting_bytes, std::shared_ptr<Budget> budget, std::function<void()> wake);

  // For the handler: the functions of Exchange.
  const HttpRequest& request() const { return request_; }
  void answer(Response response);
  void events(Headers headers);
  bool event(std::string_view name, std::string_view data);
  void end();
  void when_gone(std::function<void()> gone);
  bool is_gone();
  bool reserve(std::int64_t bytes);
  // To be called when the handler will not answer any more. If it has said nothing, answers with status 500. If it has
  // begun a stream, breaks the stream off. Does nothing if the answer is complete.
  void fail();

  // For the connection:
  struct Output {
    std::optional<Response> answer;
    std::optional<Headers> stream;  // a stream of events begins, with these headers
    std::string events;
    bool complete = false;  // nothing follows
  };
  // Whether the stream was broken off: nothing follows, although it is not complete.
  bool is_broken();
  // Takes what the handler has said since the last call.
  Output take_output();
  // To be called when everything that was taken has been sent.
  void sent();
  // To be called when the time for the answer is over, and only if nothing has been sent. Makes `response` the answer
  // and calls the function that when_gone() was given. If the answer is already complete, only returns false.
  bool expire(Response response);
  // Gives back the memory that reserve() took.
  void release();
  // To be called when the connection gives up this reply. If the answer is not complete, the client has gone: then
  // calls the function that when_gone() was given, and returns true.
  bool detach();

 private:
  // kOpen: nothing was said. kStreaming: events() was called. kBroken: the stream was broken off. kComplete: the answer
  // is complete. kGone: the client has left, or the time was over.
  //
  // kOpen -> kStreaming or kComplete; kStreaming -> kBroken or kComplete; any but kComplete -> kGone.
  enum class Stage { kOpen, kStreaming, kBroken, kComplete, kGone };

  void notify();
  void break_off();

  const HttpRequest request_;
  const std::int64_t waiting_bytes_;
  const std::shared_ptr<Budget> budget_;

  std::mutex mutex_;
  std::function<void()> wake_;
  std::function<void()> gone_;
  Stage stage_ = Stage::kOpen;
  Output output_;
  bool notified_ = false;   // wake_ was called, and take_output() has not been called since
  std::int64_t taken_ = 0;  // bytes of events that were taken and not yet sent
  std::int64_t reserved_ = 0;
};

// The exchange that a handler gets. When the last copy of it is destroyed without an answer, the reply fails.
std::shared_ptr<Exchange> exchange_for(std::shared_ptr<Reply> reply);

}  // namespace dragoman::serve
