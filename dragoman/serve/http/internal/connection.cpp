#include "dragoman/serve/http/internal/connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <iterator>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::serve {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kReadAhead = 64 << 10;  // bytes of the next requests that are read while one is answered
constexpr double kLingerSeconds = 1;          // for the client to close after its last answer
constexpr double kProbeSeconds = 0.5;         // between the first two probes
constexpr double kForever = 1e9;              // seconds
constexpr std::string_view kOutOfBudget = "the memory for requests and answers is used up; try again in a moment.";
constexpr int kHandledAtOnce = 8;  // requests, before the loop looks at its sockets again

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

Connection::Connection(ListenerState& state, Loop& loop, Socket socket, Peer peer)
    : state_(state),
      loop_(loop),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      timer_(loop.context),
      send_timer_(loop.context),
      probe_timer_(loop.context) {
  error_code ignored;  // a socket that fails here fails again at the first read
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

// ---- Steps 1 and 7: start, idle, and end

void Connection::start() {
  loop_.connections.insert(shared_from_this());
  become_idle();
}

void Connection::turn_away() {
  loop_.connections.insert(shared_from_this());
  refuse(refusal(503, "the server has too many connections; try again in a moment."));
}

void Connection::drain() {
  if (stage_ == Stage::kIdle) receive();
}

void Connection::close() {
  if (stage_ == Stage::kClosed) return;
  stage_ = Stage::kClosed;
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  send_timer_.cancel();
  probe_timer_.cancel();
  count_held(0);
  const auto self = shared_from_this();
  loop_.connections.erase(self);
  if (const std::shared_ptr<Reply> reply = std::exchange(reply_, nullptr); reply && reply->detach()) {
    record(reply->request(), kClientLeft, 0);
  }
  state_.leave(peer_.holder, peer_.admission);
}

// The connection is idle between two requests. If the next request has begun to arrive, reads it at once.
void Connection::become_idle() {
  stage_ = Stage::kIdle;
  if (!received_.empty()) return read_request();
  std::string().swap(received_);  // there may be many idle connections, so they keep no memory that they do not need
  std::string().swap(outgoing_);
  set_timer(timer_, state_.options.idle_seconds, &Connection::close);
  if (!waiting_for_input_ || state_.draining) receive();
}

// ---- Step 2: receiving and reading a request

// Calls receive() when the socket is readable; no buffer is needed until then. While a request is answered, this is how
// we notice that its client has gone. When enough was read ahead, or after the end of the input, only a reset is waited
// for.
void Connection::wait_for_input() {
  if (input_ended_ || (stage_ == Stage::kAnswering && received_.size() >= kReadAhead)) return wait_for_reset();
  if (std::exchange(waiting_for_input_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->waiting_for_input_ = false;
    if (!error && self->stage_ != Stage::kClosed) self->receive();
  });
}

void Connection::wait_for_reset() {
  if (std::exchange(waiting_for_reset_, true)) return;
  socket_.async_wait(Socket::wait_error, [self = shared_from_this()](error_code error) {
    if (!error) self->close();
  });
}

void Connection::receive() {
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(loop_.receive_buffer), error);
  if (error == asio::error::would_block) {
    const bool unwanted = stage_ == Stage::kIdle && state_.draining;
    return unwanted ? close() : wait_for_input();
  }
  if (error == asio::error::eof) return on_end_of_input();
  if (error) return close();
  take_input({loop_.receive_buffer.data(), count});
}

void Connection::take_input(std::string_view bytes) {
  if (stage_ == Stage::kClosing) {
    discarded_ += static_cast<std::int64_t>(bytes.size());
    return discarded_ > state_.options.discard_bytes ? close() : wait_for_input();
  }
  received_ += bytes;
  if (stage_ == Stage::kAnswering) {
    // A later request is only counted here: if it is too much, it is refused when its turn comes. Until then no more of
    // it is read.
    return count_held(held_bytes_ + std::ssize(bytes)) ? wait_for_input() : wait_for_reset();
  }
  read_request();
}

// The client will send no more. Either it has closed the connection, or it has sent everything and waits for the
// answer: TCP shows both in the same way. See probe().
void Connection::on_end_of_input() {
  input_ended_ = true;
  if (stage_ == Stage::kReading) {
    refuse(refusal(400, "the request ended before it was complete."));
  } else if (stage_ == Stage::kAnswering) {
    wait_for_reset();
    probe();
  } else if (stage_ == Stage::kIdle || outgoing_.empty()) {
    close();
  }
}

void Connection::read_request() {
  const ListenerOptions& options = state_.options;
  if (stage_ == Stage::kIdle) {
    stage_ = Stage::kReading;
    request_start_ = Clock::now();
    set_timer(timer_, options.read_seconds, &Connection::on_read_timeout);
    reader_ = std::make_unique<RequestReader>(RequestReader::Limits{options.header_bytes, options.body_bytes});
  }
  const RequestReader::ReadState progress = reader_->read(received_);
  if (progress == RequestReader::ReadState::kRefused) return refuse(reader_->refusal());
  const std::int64_t bytes = reader_->held() + std::ssize(received_);
  if (!count_held(bytes) && bytes > options.header_bytes) {
    return refuse(refusal(503, kOutOfBudget));
  }
  if (progress == RequestReader::ReadState::kWhole) return start_answer();
  if (bytes == 0) {  // only line breaks, which some clients send after a request: no request has begun
    stage_ = Stage::kIdle;
    set_timer(timer_, options.idle_seconds, &Connection::close);
    if (state_.draining) return close();
  }
  if (input_ended_) return on_end_of_input();
  wait_for_input();
  if (reader_->asks_to_continue()) {
    outgoing_ += kContinue;
    send();
  }
}

// Sets the number of bytes that this connection holds in the budget. Many requests, each within its own limits, may be
// too much together: then returns false. The bytes are counted nevertheless.
bool Connection::count_held(std::int64_t bytes) {
  const std::int64_t more = bytes - std::exchange(held_bytes_, bytes);
  if (more > 0) return state_.budget->count(peer_.holder, more);
  if (more < 0) state_.budget->give_back(peer_.holder, -more);
  return true;
}

// Counts bytes of an answer until they are sent. False if the budget has no room for them; a short answer (up to
// header_bytes) is always allowed.
bool Connection::count_answer(std::int64_t bytes) {
  answer_bytes_ += bytes;
  if (count_held(held_bytes_ + bytes) || bytes <= state_.options.header_bytes) return true;
  answer_bytes_ -= bytes;
  count_held(held_bytes_ - bytes);
  return false;
}

void Connection::on_read_timeout() {
  refuse(refusal(408, join("the request was not complete after ", state_.options.read_seconds, " seconds.")));
}

// Answers without the handler, and closes. What the client still sends is read for a while: if we closed the socket at
// once, the system of the client would throw our answer away.
void Connection::refuse(const Response& response) {
  const std::string text = answer_text(response, {.closes = true});
  record(reader_ ? reader_->beginning() : HttpRequest(), response.status, response.body.size());
  set_timer(timer_, stage_ == Stage::kIdle ? kLingerSeconds : state_.options.read_seconds, &Connection::close);
  stage_ = Stage::kClosing;
  reader_.reset();
  received_.clear();
  count_held(0);
  wait_for_input();
  outgoing_ += text;
  send();
}

// Records a request that the listener answers itself. The handler records its own answers.
void Connection::record(const HttpRequest& request, int status, std::size_t bytes) const {
  error_code ignored;
  const bool is_known = !request.client.empty();
  state_.refused({.client = is_known ? request.client : socket_.remote_endpoint(ignored).address().to_string(),
                  .method = request.method,
                  .path = request.path,
                  .status = status,
                  .bytes = bytes,
                  .seconds = std::chrono::duration<double>(Clock::now() - request_start_).count()});
}

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

// A stream that has begun cannot become an error any more, so its connection is closed.
void Connection::on_answer_timeout() {
  if (answer_begun_) return close();
  const Response late =
      refusal(503, join("the answer was not ready after ", state_.options.request_seconds, " seconds."));
  if (reply_->expire(late)) record(reply_->request(), late.status, late.body.size());
  flush();
}

// ---- Steps 4 to 6: sending the answer, then the next request or the end

// Sends what the handler has said since the last call. While something is being sent, further output waits in the
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
  if (!delivery_.closes) return become_idle();
  stage_ = Stage::kClosing;
  received_.clear();
  count_held(0);
  set_timer(timer_, kLingerSeconds, &Connection::close);
  end_sending();
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
  if (outgoing_.empty() &&
      (answer_begun_ || probe_bytes_ < kAnswerStart.size())) {  // otherwise, what is being sent is the probe
    outgoing_ =
        answer_begun_ ? stream_piece(kEventComment, delivery_) : std::string(kAnswerStart.substr(probe_bytes_++, 1));
    send();
  }
  if (stage_ != Stage::kAnswering) return;
  next_probe_seconds_ = std::max(2 * next_probe_seconds_, kProbeSeconds);
  set_timer(probe_timer_, next_probe_seconds_, &Connection::probe);
}

// ---- Timers

void Connection::set_timer(Timer& timer, double seconds, void (Connection::*then)()) {
  const std::chrono::duration<double> time(std::min(seconds, kForever));
  timer.expires_after(std::chrono::duration_cast<Clock::duration>(time));
  timer.async_wait([self = shared_from_this(), &timer, then](error_code error) {
    // If the timer was set again after this call was scheduled, it has not expired.
    if (error || self->stage_ == Stage::kClosed || timer.expiry() > Clock::now()) return;
    (self.get()->*then)();
  });
}

}  // namespace dragoman::serve
