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

constexpr std::size_t kReadAhead = 64 << 10;  // bytes of later requests, while one is being answered
constexpr double kLingerSeconds = 1;          // for the client to close after its last answer
constexpr double kProbeSeconds = 0.5;         // between the first two probes
constexpr double kForever = 1e9;              // seconds
constexpr std::string_view kNoRoom =
    "the server holds as many bytes of requests and answers as it may; try again in a moment.";
constexpr int kHandledAtOnce = 8;  // requests, before the loop looks at its sockets again

// A client may have thousands of connections with requests in each. They are handled in turns, one of each client, and
// a few at a time, so that the loop is soon there for others. The next call is arranged for first: what is thrown below
// ends one request.
void handle_requests(Loop& loop) {
  loop.handling = !loop.requests.empty();
  if (!loop.handling) return;
  asio::post(loop.context, [&loop] { handle_requests(loop); });
  for (int i = 0; i < kHandledAtOnce && !loop.requests.empty(); ++i) loop.requests.next()();
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

void Connection::start() {
  loop_.connections.insert(shared_from_this());
  rest();
}

void Connection::turn_away() {
  loop_.connections.insert(shared_from_this());
  refuse(refusal(503, "the server has as many connections as it may have; try again in a moment."));
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
  hold(0);
  const auto self = shared_from_this();
  loop_.connections.erase(self);
  if (const std::shared_ptr<Reply> reply = std::exchange(reply_, nullptr); reply && reply->leave()) {
    account(reply->request(), kClientLeft, 0);
  }
  state_.leave(peer_.holder, peer_.welcome);
}

// Between two requests. What has come of the next one is read at once.
void Connection::rest() {
  stage_ = Stage::kIdle;
  if (!received_.empty()) return read_request();
  std::string().swap(received_);  // many connections may be idle, so they hold no memory that they do not need
  std::string().swap(out_);
  set(timer_, state_.options.idle_seconds, &Connection::close);
  if (!watching_ || state_.draining) receive();
}

// Calls receive() when there is something to be received. While a request is answered this is how we learn that its
// client has gone. No buffer is needed until then.
void Connection::watch() {
  if (ended_ || (stage_ == Stage::kAnswering && received_.size() >= kReadAhead)) return watch_for_reset();
  if (std::exchange(watching_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->watching_ = false;
    if (!error && self->stage_ != Stage::kClosed) self->receive();
  });
}

void Connection::watch_for_reset() {
  if (std::exchange(watching_for_reset_, true)) return;
  socket_.async_wait(Socket::wait_error, [self = shared_from_this()](error_code error) {
    if (!error) self->close();
  });
}

void Connection::receive() {
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(loop_.scratch), error);
  if (error == asio::error::would_block) {
    const bool unwanted = stage_ == Stage::kIdle && state_.draining;
    return unwanted ? close() : watch();
  }
  if (error == asio::error::eof) return at_end();
  if (error) return close();
  take({loop_.scratch.data(), count});
}

void Connection::take(std::string_view bytes) {
  if (stage_ == Stage::kClosing) {
    discarded_ += static_cast<std::int64_t>(bytes.size());
    return discarded_ > state_.options.discard_bytes ? close() : watch();
  }
  received_ += bytes;
  if (stage_ == Stage::kAnswering) {
    // Refused, if at all, when its turn comes; but what is too much is not read on before.
    return hold(held_ + std::ssize(bytes)) ? watch() : watch_for_reset();
  }
  read_request();
}

// The client sends no more. Either it has closed the connection, or it has said all and waits for the answer: TCP tells
// both by the same sign. See probe().
void Connection::at_end() {
  ended_ = true;
  if (stage_ == Stage::kReading) {
    refuse(refusal(400, "the request ended before it was whole."));
  } else if (stage_ == Stage::kAnswering) {
    watch_for_reset();
    probe();
  } else if (stage_ == Stage::kIdle || out_.empty()) {
    close();
  }
}

void Connection::read_request() {
  const ListenerOptions& options = state_.options;
  if (stage_ == Stage::kIdle) {
    stage_ = Stage::kReading;
    begun_at_ = Clock::now();
    set(timer_, options.read_seconds, &Connection::be_late);
    reader_ = std::make_unique<RequestReader>(RequestReader::Limits{options.header_bytes, options.body_bytes});
  }
  const RequestReader::Progress progress = reader_->read(received_);
  if (progress == RequestReader::Progress::kRefused) return refuse(reader_->refusal());
  const std::int64_t bytes = reader_->held() + std::ssize(received_);
  if (!hold(bytes) && bytes > options.header_bytes) {
    return refuse(refusal(503, kNoRoom));
  }
  if (progress == RequestReader::Progress::kWhole) return ask();
  if (bytes == 0) {  // line breaks, which some clients send after a request: they begin none
    stage_ = Stage::kIdle;
    set(timer_, options.idle_seconds, &Connection::close);
    if (state_.draining) return close();
  }
  if (ended_) return at_end();
  watch();
  if (reader_->asks_to_continue()) {
    out_ += kContinue;
    send();
  }
}

// Requests come slowly or wait for their answers, each within its limits, and may be too much together. False if so.
bool Connection::hold(std::int64_t bytes) {
  const std::int64_t more = bytes - std::exchange(held_, bytes);
  if (more > 0) return state_.budget->count(peer_.holder, more);
  if (more < 0) state_.budget->give_back(peer_.holder, -more);
  return true;
}

// What is to be sent is counted until it is. False if there is no room for it; an answer that is short has some.
bool Connection::hold_answer(std::int64_t bytes) {
  answer_bytes_ += bytes;
  if (hold(held_ + bytes) || bytes <= state_.options.header_bytes) return true;
  answer_bytes_ -= bytes;
  hold(held_ - bytes);
  return false;
}

void Connection::be_late() {
  refuse(refusal(408, join("the request was not whole after ", state_.options.read_seconds, " seconds.")));
}

// Answers for the handler, and closes. What the client still sends is read for a while: if we closed at once, its
// system would throw our answer away.
void Connection::refuse(const Response& response) {
  const std::string text = answer_text(response, {.closes = true});
  account(reader_ ? reader_->beginning() : Request(), response.status, response.body.size());
  set(timer_, stage_ == Stage::kIdle ? kLingerSeconds : state_.options.read_seconds, &Connection::close);
  stage_ = Stage::kClosing;
  reader_.reset();
  received_.clear();
  hold(0);
  watch();
  out_ += text;
  send();
}

// Of what the handler answers, the handler keeps account.
void Connection::account(const Request& request, int status, std::size_t bytes) const {
  error_code ignored;
  const bool is_known = !request.client.empty();
  state_.refused({.client = is_known ? request.client : socket_.remote_endpoint(ignored).address().to_string(),
                  .method = request.method,
                  .path = request.path,
                  .status = status,
                  .bytes = bytes,
                  .seconds = std::chrono::duration<double>(Clock::now() - begun_at_).count()});
}

void Connection::ask() {
  stage_ = Stage::kAnswering;
  set(timer_, state_.options.request_seconds, &Connection::time_over);
  Request request = reader_->take_request();
  request.client = client_of(peer_.address, request.header("x-forwarded-for"), state_.proxies);
  delivery_ = {.old = reader_->old(), .head_only = request.method == "HEAD", .closes = !reader_->keep_alive()};
  reader_.reset();
  begun_ = complete_ = false;
  probed_ = 0;
  probe_seconds_ = 0;
  // close() takes leave of the reply before this connection goes, so that `wake` never meets a dead one.
  reply_ = std::make_shared<Reply>(std::move(request), state_.options.waiting_bytes, state_.budget, [this] {
    asio::post(loop_.context, [self = shared_from_this()] { self->flush(); });
  });
  watch();
  wait_for_turn();
}

// An answer that is there at once is sent before the next request is handled, so that such answers do not pile up.
void Connection::wait_for_turn() {
  loop_.requests.add(holder_of(reply_->request().client), [self = shared_from_this(), reply = reply_] {
    if (self->reply_ == reply && self->stage_ == Stage::kAnswering && !self->complete_) self->handle();
  });
  if (!std::exchange(loop_.handling, true)) {
    asio::post(loop_.context, [&loop = loop_] { handle_requests(loop); });
  }
}

void Connection::handle() {
  call_handler();
  if (ended_) probe();
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
    failed("it threw something that is no std::exception");
  }
}

void Connection::time_over() {
  if (begun_) return close();
  const Response late =
      refusal(503, join("the answer was not ready after ", state_.options.request_seconds, " seconds."));
  if (reply_->expire(late)) account(reply_->request(), late.status, late.body.size());
  flush();
}

// Sends what the handler has said. While something is being sent, what follows waits in the reply, which counts it.
void Connection::flush() {
  if (stage_ != Stage::kAnswering || complete_) return;
  if (reply_->is_broken()) return close();
  if (!out_.empty()) return;
  Reply::News news = reply_->take();
  if (news.complete) reply_->release();
  if (news.answer && !hold_answer(std::ssize(news.answer->body))) news.answer = refusal(503, kNoRoom);
  hold_answer(std::ssize(news.events));
  if (news.answer || news.stream) {
    begun_ = true;
    // A stream to an old client ends where the connection ends. When we drain, requests that have come go first.
    const bool last = received_.empty() && (ended_ || state_.draining);
    delivery_.closes = delivery_.closes || last || (news.stream && delivery_.old);
    out_ = news.answer ? answer_text(*news.answer, delivery_) : stream_head(*news.stream, delivery_);
    out_.erase(0, probed_);
  }
  out_ += stream_piece(news.events, delivery_);
  complete_ = news.complete;
  if (complete_ && !news.answer && !delivery_.head_only) out_ += stream_end(delivery_);
  if (!out_.empty())
    send();
  else if (complete_)
    finish();
}

void Connection::finish() {
  answer_bytes_ = 0;
  std::exchange(reply_, nullptr)->leave();
  hold(std::ssize(received_));
  if (!delivery_.closes) return rest();
  stage_ = Stage::kClosing;
  received_.clear();
  hold(0);
  set(timer_, kLingerSeconds, &Connection::close);
  hang_up();
}

void Connection::send() {
  while (sent_ < out_.size()) {
    error_code error;
    const std::size_t count = socket_.write_some(asio::buffer(out_) + sent_, error);
    if (error == asio::error::would_block) return wait_to_send();
    if (error) return close();
    sent_ += count;
  }
  out_.clear();
  sent_ = 0;
  all_sent();
}

void Connection::wait_to_send() {
  if (std::exchange(waiting_to_send_, true)) return;
  set(send_timer_, state_.options.write_seconds, &Connection::close);
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code error) {
    self->waiting_to_send_ = false;
    if (error || self->stage_ == Stage::kClosed) return;
    self->send_timer_.expires_at(Clock::time_point::max());
    if (!self->out_.empty()) self->send();
  });
}

void Connection::all_sent() {
  if (stage_ == Stage::kClosing) return hang_up();
  if (stage_ != Stage::kAnswering) return;  // it was "100 Continue"
  reply_->sent();
  hold(held_ - std::exchange(answer_bytes_, 0));
  if (complete_) return finish();
  asio::post(loop_.context, [self = shared_from_this()] { self->flush(); });
}

// Says that we send no more, and waits for the client to say so too.
void Connection::hang_up() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (ended_) return close();
  watch();
}

// A client that sends no more while it is owed an answer may wait for it, or be gone. A client that waits must get its
// answer, and work for one that is gone should stop soon. To find out we must send something: the system of a client
// that is gone answers with a reset. What we send is harmless to one that waits. In a stream it is a comment. Before an
// answer it is the answer's own first bytes, one at a time, which are the same whatever it will be; so it suits every
// client, HTTP/1.0 included, unlike an interim answer. The first probe goes out at once. Others follow, each after
// twice the time, because a client that waited may leave later; the start of an answer is long enough for two minutes.
void Connection::probe() {
  if (stage_ != Stage::kAnswering) return;
  if (out_.empty() && (begun_ || probed_ < kAnswerStart.size())) {  // if something is being sent, that will tell
    out_ = begun_ ? stream_piece(kEventComment, delivery_) : std::string(kAnswerStart.substr(probed_++, 1));
    send();
  }
  if (stage_ != Stage::kAnswering) return;
  probe_seconds_ = std::max(2 * probe_seconds_, kProbeSeconds);
  set(probe_timer_, probe_seconds_, &Connection::probe);
}

void Connection::set(Timer& timer, double seconds, void (Connection::*then)()) {
  const std::chrono::duration<double> time(std::min(seconds, kForever));
  timer.expires_after(std::chrono::duration_cast<Clock::duration>(time));
  timer.async_wait([self = shared_from_this(), &timer, then](error_code error) {
    // A timer that was set anew when this call was already on its way has not expired.
    if (error || self->stage_ == Stage::kClosed || timer.expiry() > Clock::now()) return;
    (self.get()->*then)();
  });
}

}  // namespace dragoman::serve
