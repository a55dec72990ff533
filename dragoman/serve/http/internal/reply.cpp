#include "dragoman/serve/http/internal/reply.h"

#include <utility>

#include "dragoman/serve/http/client_address.h"
#include "dragoman/serve/http/message.h"

namespace dragoman::serve {
namespace {

// The Exchange that the handler holds. It passes everything on to the Reply.
class ReplyExchange final : public Exchange {
 public:
  explicit ReplyExchange(std::shared_ptr<Reply> reply) : reply_(std::move(reply)) {}
  // If there is no memory for an answer here, the connection answers when its time limit (request_seconds) is over.
  ~ReplyExchange() override {
    try {
      reply_->fail();
    } catch (...) {
    }
  }
  ReplyExchange(const ReplyExchange&) = delete;
  ReplyExchange& operator=(const ReplyExchange&) = delete;

  const HttpRequest& request() const override { return reply_->request(); }
  void answer(Response response) override { reply_->answer(std::move(response)); }
  void events(Headers headers) override { reply_->events(std::move(headers)); }
  bool event(std::string_view name, std::string_view data) override { return reply_->event(name, data); }
  void end() override { reply_->end(); }
  void when_gone(std::function<void()> gone) override { reply_->when_gone(std::move(gone)); }
  bool is_gone() const override { return reply_->is_gone(); }
  bool reserve(std::int64_t bytes) override { return reply_->reserve(bytes); }

 private:
  std::shared_ptr<Reply> reply_;
};

// `gone` must not throw. If it does, the exception is ignored, so that this connection and all others go on.
void call(const std::function<void()>& gone) {
  try {
    if (gone) gone();
  } catch (...) {
  }
}

}  // namespace

std::shared_ptr<Exchange> exchange_for(std::shared_ptr<Reply> reply) {
  return std::make_shared<ReplyExchange>(std::move(reply));
}

// The function that when_gone() was given (gone_) is never called or destroyed while the lock is held, because it may
// own the exchange itself. So where it is dropped, it is moved to a variable that is declared before the lock, and is
// destroyed after the lock is released.

Reply::Reply(HttpRequest request, std::int64_t waiting_bytes, std::shared_ptr<Budget> budget,
             std::function<void()> wake)
    : request_(std::move(request)), waiting_bytes_(waiting_bytes), budget_(std::move(budget)), wake_(std::move(wake)) {}

void Reply::answer(Response response) {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpen) return;
  stage_ = Stage::kComplete;
  dropped = std::exchange(gone_, nullptr);
  output_.answer = std::move(response);
  output_.complete = true;
  notify();
}

void Reply::events(Headers headers) {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpen) return;
  stage_ = Stage::kStreaming;
  output_.stream = std::move(headers);
  if (request_.method == "HEAD") {  // the head is the whole answer
    stage_ = Stage::kComplete;
    dropped = std::exchange(gone_, nullptr);
    output_.complete = true;
  }
  notify();
}

bool Reply::event(std::string_view name, std::string_view data) {
  const std::string text = event_text(name, data);
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kStreaming) return false;
  if (taken_ + static_cast<std::int64_t>(output_.events.size()) > waiting_bytes_) {
    break_off();
    return false;
  }
  output_.events += text;
  notify();
  return true;
}

void Reply::end() {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kStreaming) return;
  stage_ = Stage::kComplete;
  dropped = std::exchange(gone_, nullptr);
  output_.complete = true;
  notify();
}

void Reply::when_gone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kComplete) return;
    if (stage_ != Stage::kGone) {
      gone_.swap(gone);
      return;
    }
  }
  call(gone);
}

bool Reply::is_gone() {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::kGone || stage_ == Stage::kBroken;
}

bool Reply::reserve(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kGone || reserved_ > 0) return true;
  if (!budget_->take(holder_of(request_.client), bytes)) return false;
  reserved_ = bytes;
  return true;
}

void Reply::release() {
  const std::lock_guard lock(mutex_);
  budget_->give_back(holder_of(request_.client), std::exchange(reserved_, 0));
}

void Reply::fail() {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kStreaming) break_off();
  }
  answer(refusal(500, "the server failed to answer this request because of an internal error."));
}

bool Reply::is_broken() {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::kBroken;
}

Reply::Output Reply::take_output() {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  taken_ += static_cast<std::int64_t>(output_.events.size());
  return std::exchange(output_, {});
}

void Reply::sent() {
  const std::lock_guard lock(mutex_);
  taken_ = 0;
}

bool Reply::expire(Response response) {
  std::function<void()> gone;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kComplete) return false;
    stage_ = Stage::kGone;
    gone = std::exchange(gone_, nullptr);
    output_ = {};
    output_.answer = std::move(response);
    output_.complete = true;
  }
  call(gone);
  return true;
}

bool Reply::detach() {
  release();
  std::function<void()> gone;
  bool too_early = false;
  {
    const std::lock_guard lock(mutex_);
    too_early = stage_ == Stage::kOpen || stage_ == Stage::kStreaming;
    wake_ = nullptr;
    gone = std::exchange(gone_, nullptr);
    if (stage_ != Stage::kComplete) stage_ = Stage::kGone;
    output_ = {};
  }
  call(gone);
  return too_early;
}

// notify() and break_off() are called with the lock held.
void Reply::notify() {
  if (wake_ && !std::exchange(notified_, true)) wake_();
}

void Reply::break_off() {
  stage_ = Stage::kBroken;
  // Wakes the connection even if it was woken before: while it cannot send, it takes no output.
  notified_ = false;
  notify();
}

}  // namespace dragoman::serve
