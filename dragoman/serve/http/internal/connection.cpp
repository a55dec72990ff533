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
constexpr double kForever = 1e9;              // seconds; the clock cannot hold much longer times

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
  if (stage_ == Stage::kIdle) return receive();  // closes unless a request has arrived
  if (state_.reads_on) return;
  if (stage_ == Stage::kReading) return receive();  // refuses the request unless the rest has arrived
  if (stage_ == Stage::kClosing) set_timer(timer_, kLingerSeconds, &Connection::close);
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
  if (const std::shared_ptr<Reply> reply = std::exchange(reply_, nullptr)) {
    state_.count_answers(-1);
    if (reply->detach()) record(reply->request(), kClientLeft, 0);
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
  if (stage_ == Stage::kReading && !state_.reads_on) {  // only what has arrived counts
    return asio::post(loop_.context, [self = shared_from_this()] {
      if (self->stage_ == Stage::kReading) self->receive();
    });
  }
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
    if (stage_ == Stage::kIdle && state_.draining) return close();
    if (stage_ == Stage::kReading && !state_.reads_on) return refuse(refusal(503, kStopping));
    return wait_for_input();
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
    // The bytes of a later request are only counted here. If the budget has no room for them, no more is read, and the
    // request is refused when its turn comes.
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
  refuse(refusal(408, join("the request was not complete after ", state_.options.read_seconds, " s.")));
}

// Answers without the handler, and closes. What the client still sends is read and dropped for a while: if we closed
// the socket at once, the system of the client would throw our answer away.
void Connection::refuse(const Response& response) {
  const std::string text = answer_text(response, {.head_only = reader_ && reader_->is_head(), .closes = true});
  record(reader_ ? reader_->beginning() : HttpRequest(), response.status, response.body.size());
  const bool briefly = stage_ == Stage::kIdle || state_.draining;
  set_timer(timer_, briefly ? kLingerSeconds : state_.options.read_seconds, &Connection::close);
  stage_ = Stage::kClosing;
  reader_.reset();
  received_.clear();
  count_held(0);
  wait_for_input();
  outgoing_ += text;
  send();
}

// Records a request that the listener answers itself. The others are recorded by App.
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
