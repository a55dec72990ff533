// The part of a connection that answers: from the call of the handler until the answer is sent (steps 3 to 6).
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <iterator>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/serve/http/internal/connection.h"

namespace dragoman::serve {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr double kProbeSeconds = 0.5;  // between the first two probes
constexpr int kHandledAtOnce = 8;      // requests that are handled before the loop looks at its sockets again

// Calls the handler for waiting requests. A client may have thousands of connections with requests in each. So clients
// take turns, and only a few requests are handled per call, so that the loop soon serves its sockets again. The next
// call is scheduled first, so that an exception below ends one request only.
void handle_requests(Loop& loop) {
  loop.handling_scheduled = !loop.waiting_requests.empty();
  if (!loop.handling_scheduled) return;
  asio::post(loop.context, [&loop] { handle_requests(loop); });
  for (int i = 0; i < kHandledAtOnce && !loop.waiting_requests.empty(); ++i) loop.waiting_requests.next()();
}

}  // namespace

// ---- Step 3: calling the handler

void Connection::start_answer() {
  stage_ = Stage::kAnswering;
  set_timer(timer_, state_.options.request_seconds, &Connection::on_answer_timeout);
  HttpRequest request = reader_->take_request();
  request.client = client_of(peer_.address, request.header("x-forwarded-for"), state_.proxies);
  delivery_ = {
      .http_1_0 = reader_->is_http_1_0(), .head_only = request.method == "HEAD", .closes = !reader_->keep_alive()};
  reader_.reset();
  answer_begun_ = answer_complete_ = false;
  probe_bytes_ = 0;
  next_probe_seconds_ = 0;
  // close() detaches from the reply before this connection is destroyed, so `wake` never uses a dead connection.
  reply_ = std::make_shared<Reply>(std::move(request), state_.options.waiting_bytes, state_.budget, [this] {
    asio::post(loop_.context, [self = shared_from_this()] { self->flush(); });
  });
  state_.count_answers(1);
  wait_for_input();
  queue_request();
}

// Adds the request to the queue of the loop. handle_request() sends an answer that is ready at once before the next
// request is handled, so that answers do not pile up.
void Connection::queue_request() {
  loop_.waiting_requests.add(holder_of(reply_->request().client), [self = shared_from_this(), reply = reply_] {
    if (self->reply_ == reply && self->stage_ == Stage::kAnswering && !self->answer_complete_) self->handle_request();
  });
  if (!std::exchange(loop_.handling_scheduled, true)) {
    asio::post(loop_.context, [&loop = loop_] { handle_requests(loop); });
  }
}

void Connection::handle_request() {
  call_handler();
  if (input_ended_) probe();
  flush();
}

void Connection::call_handler() {
  const std::shared_ptr<Reply> reply = reply_;
  const auto failed = [&](const char* why) {
    reply->fail();
    state_.report("the handler of ", reply->request().method, " ", reply->request().path, " failed: ", why);
  };
  try {
    state_.handler(exchange_for(reply));
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("it threw something that is not a std::exception");
  }
}

// A stream that has begun can no longer be answered with an error, so its connection is closed.
void Connection::on_answer_timeout() {
  if (answer_begun_) return close();
  const Response late = refusal(503, join("the answer was not ready after ", state_.options.request_seconds, " s."));
  if (reply_->expire(late)) record(reply_->request(), late.status, late.body.size());
  flush();
}

// ---- Steps 4 to 6: sending the answer, then the next request or the end

// Sends the output of the handler since the last call. While something is being sent, further output waits in the
// reply, which limits it.
void Connection::flush() {
  if (stage_ != Stage::kAnswering || answer_complete_) return;
  if (reply_->is_broken()) return close();
  if (!outgoing_.empty()) return;
  Reply::Output output = reply_->take_output();
  if (output.complete) reply_->release();
  if (output.answer && !count_answer(std::ssize(output.answer->body))) output.answer = refusal(503, kOutOfBudget);
  count_answer(std::ssize(output.events));
  if (output.answer || output.stream) {
    answer_begun_ = true;
    // A stream to an HTTP/1.0 client ends when the connection is closed. A draining listener still answers the requests
    // that have been received.
    const bool last = received_.empty() && (input_ended_ || state_.draining);
    delivery_.closes = delivery_.closes || last || (output.stream && delivery_.http_1_0);
    outgoing_ = output.answer ? answer_text(*output.answer, delivery_) : stream_head(*output.stream, delivery_);
    outgoing_.erase(0, probe_bytes_);
  }
  outgoing_ += stream_piece(output.events, delivery_);
  answer_complete_ = output.complete;
  if (answer_complete_ && !output.answer && !delivery_.head_only) outgoing_ += stream_end(delivery_);
  if (!outgoing_.empty())
    send();
  else if (answer_complete_)
    finish_answer();
}

// The next request, or the end of the connection.
void Connection::finish_answer() {
  answer_bytes_ = 0;
  std::exchange(reply_, nullptr)->detach();
  count_held(std::ssize(received_));
  if (!delivery_.closes) {
    become_idle();
  } else {
    stage_ = Stage::kClosing;
    received_.clear();
    count_held(0);
    set_timer(timer_, kLingerSeconds, &Connection::close);
    end_sending();
  }
  state_.count_answers(-1);  // last, so that the next request is counted before
}

// Writes outgoing_ to the socket, as far as the socket takes it, and waits for the rest.
void Connection::send() {
  while (sent_bytes_ < outgoing_.size()) {
    error_code error;
    const std::size_t count = socket_.write_some(asio::buffer(outgoing_) + sent_bytes_, error);
    if (error == asio::error::would_block) return wait_to_send();
    if (error) return close();
    sent_bytes_ += count;
  }
  outgoing_.clear();
  sent_bytes_ = 0;
  on_all_sent();
}

void Connection::wait_to_send() {
  if (std::exchange(waiting_to_send_, true)) return;
  set_timer(send_timer_, state_.options.write_seconds, &Connection::close);
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code error) {
    self->waiting_to_send_ = false;
    if (error || self->stage_ == Stage::kClosed) return;
    self->send_timer_.expires_at(Clock::time_point::max());
    if (!self->outgoing_.empty()) self->send();
  });
}

void Connection::on_all_sent() {
  if (stage_ == Stage::kClosing) return end_sending();
  if (stage_ != Stage::kAnswering) return;  // this was "100 Continue"
  reply_->sent();
  count_held(held_bytes_ - std::exchange(answer_bytes_, 0));
  if (answer_complete_) return finish_answer();
  asio::post(loop_.context, [self = shared_from_this()] { self->flush(); });
}

// Tells the client that we send no more, and waits until it closes its side.
void Connection::end_sending() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (input_ended_) return close();
  wait_for_input();
}

// ---- Has the client gone?

// A client that has closed its sending side before its answer may still wait for it, or may have gone. If it waits, it
// must get its answer; if it has gone, the work for it should stop soon. To find out, we must send something: the
// system of a client that has gone answers with a reset.
//
// What we send does no harm to a client that waits. In a stream it is a comment. Before an answer it is the first bytes
// of the answer, one at a time, which are the same for every status. Unlike an interim answer, this suits every client,
// even with HTTP/1.0.
//
// The first probe is sent at once, the second after kProbeSeconds, and each further one after twice the time, because a
// client that waited may leave later. The 9 bytes of kAnswerStart last for two minutes.
void Connection::probe() {
  if (stage_ != Stage::kAnswering) return;
  // If something is being sent, it serves as the probe. If all of kAnswerStart has been sent, nothing is left to send.
  if (outgoing_.empty() && (answer_begun_ || probe_bytes_ < kAnswerStart.size())) {
    outgoing_ =
        answer_begun_ ? stream_piece(kEventComment, delivery_) : std::string(kAnswerStart.substr(probe_bytes_++, 1));
    send();
  }
  if (stage_ != Stage::kAnswering) return;
  next_probe_seconds_ = std::max(2 * next_probe_seconds_, kProbeSeconds);
  set_timer(probe_timer_, next_probe_seconds_, &Connection::probe);
}

}  // namespace dragoman::serve
