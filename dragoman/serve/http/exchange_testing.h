// An exchange for tests: it keeps the answer instead of sending it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

class FakeExchange final : public Exchange {
 public:
  explicit FakeExchange(HttpRequest request) : request_(std::move(request)) {}

  const HttpRequest& request() const override { return request_; }
  void answer(Response response) override {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    complete();
  }
  void events(Headers) override {
    const std::lock_guard lock(mutex_);
    streams_ = true;
  }
  bool event(std::string_view name, std::string_view data) override {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(name, data);
    return true;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    complete();
  }
  void when_gone(std::function<void()> gone) override {
    const std::lock_guard lock(mutex_);
    gone_ = std::move(gone);
  }

  // Acts like a client that closes its connection.
  void leave() {
    std::function<void()> gone;
    {
      const std::lock_guard lock(mutex_);
      gone.swap(gone_);
    }
    if (gone) gone();
  }
  // Waits until the answer is complete.
  const Response& response() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return complete_; });
    return response_;
  }
  const std::vector<std::pair<std::string, std::string>>& events_sent() {
    response();
    return events_;
  }
  // Whether events() was called.
  bool streams() const { return streams_; }

 private:
  void complete() {
    complete_ = true;
    answered_.notify_all();
  }

  HttpRequest request_;
  std::mutex mutex_;
  std::condition_variable answered_;
  Response response_;
  std::vector<std::pair<std::string, std::string>> events_;
  std::function<void()> gone_;
  bool complete_ = false, streams_ = false;
};

}  // namespace dragoman::serve
