// One request's answer on its way from the handler, on any thread, to the connection, on the thread that it lives on.
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
  // `wake` is called when there is news, with a lock held: it should pass the word on and return.
  Reply(Request request, std::int64_t waiting_bytes, std::shared_ptr<Budget> budget, std::function<void()> wake);

  // The handler's side: what Exchange promises.
  const Request& request() const { return request_; }
  void answer(Response response);
  void events(Headers headers);
  bool event(std::string_view name, std::string_view data);
  void end();
  void when_gone(std::function<void()> gone);
  bool is_gone();
  bool reserve(std::int64_t bytes);
  // No more will come: status 500 if nothing has been said, and else a stream that breaks off.
  void fail();

  // The connection's side.
  struct News {
    std::optional<Response> answer;
    std::optional<Headers> stream;  // begins, with these headers
    std::string events;
    bool complete = false;  // nothing follows
  };
  // Nothing follows, but something should have.
  bool is_broken();
  // What the handler has said since the last call.
  News take();
  // What was taken has been sent.
  void sent();
  // The time is over: this is the answer unless there is one, and the handler is told. False if there is one. For a
  // reply of which nothing has been sent.
  bool expire(Response response);
  // What was reserved is free again.
  void release();
  // The connection has no more to do with this reply. If it is not complete, the client has gone: the handler is told,
  // and this is true.
  bool leave();

 private:
  enum class Stage { kOpen, kStreaming, kBroken, kComplete, kGone };

  void tell();
  void break_off();

  const Request request_;
  const std::int64_t waiting_bytes_;
  const std::shared_ptr<Budget> budget_;

  std::mutex mutex_;
  std::function<void()> wake_;
  std::function<void()> gone_;
  Stage stage_ = Stage::kOpen;
  News news_;
  bool told_ = false;       // the connection knows that there is news
  std::int64_t taken_ = 0;  // bytes of events that were taken and not sent
  std::int64_t reserved_ = 0;
};

// What a handler holds. When the last copy goes without an answer, the reply fails.
std::shared_ptr<Exchange> exchange_for(std::shared_ptr<Reply> reply);

}  // namespace dragoman::serve
