// The connection of one client: it reads requests one after the other, calls the handler for each, and sends the
// answers. A connection lives on one event loop, and everything here runs on the thread of that loop, so nothing is
// locked. Only Reply is shared with other threads. This header includes Boost, so only the listener includes it.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dragoman/serve/http/internal/listener_state.h"
#include "dragoman/serve/http/internal/reply.h"
#include "dragoman/serve/http/internal/request_reader.h"
#include "dragoman/serve/http/listener.h"
#include "dragoman/serve/http/message.h"
#include "dragoman/serve/http/turns.h"

namespace dragoman::serve {

using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Clock = std::chrono::steady_clock;
using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

class Connection;

// The other end of a connection (a client or a proxy), and how ListenerState admitted it.
struct Peer {
  std::string address, holder;  // see holder_of()
  ListenerState::Admission admission = ListenerState::Admission::kServe;
};

// One event loop and its connections. One thread runs it.
struct Loop {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<Executor> work{context.get_executor()};  // run() returns after this is reset
  std::unordered_set<std::shared_ptr<Connection>> connections;
  std::vector<char> receive_buffer = std::vector<char>(64 << 10);  // shared by the connections
  Turns<std::function<void()>> waiting_requests;                   // complete requests that wait for the handler
  bool handling_scheduled = false;                                 // whether a call of handle_requests() is scheduled
};

// How a request passes through the stages, with the time limit of each stage in parentheses:
//
//   kIdle       1. become_idle() waits for the first byte (idle_seconds).
//   kReading    2. read_request() gives received bytes to the RequestReader until the request is complete
//                  (read_seconds).
//   kAnswering  3. start_answer() makes the Reply and queues the request. When its turn comes, handle_request() calls
//                  the handler, which may answer at once or later, from any thread (request_seconds).
//               4. The Reply schedules flush(), which takes the new output of the handler from it, and send() writes it
//                  to the socket (write_seconds without progress). This repeats until the answer is complete.
//               5. finish_answer() goes back to kIdle, or on to kClosing if this was the last answer.
//   kClosing    6. end_sending() shuts down our side. What the client still sends is dropped until it closes its side
//                  (kLingerSeconds, or read_seconds after a refusal unless the listener drains).
//   kClosed     7. close() has released everything. Pending calls find this stage and do nothing.
//
// refuse() answers without the handler and goes from any stage before kAnswering to kClosing. close() may be called in
// every stage. A client that sends the next requests while one is answered (pipelining) is read ahead, up to a limit.
//
// Ownership: loop_.connections owns the connection until close(). Calls that wait for the socket or a timer own it,
// too. The Reply is owned by the connection and by the Exchange that the handler holds; close() detaches from it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ListenerState& state, Loop& loop, Socket socket, Peer peer);

  void start();
  // Instead of start(): answers with status 503 and closes.
  void turn_away();
  // The listener drains: closes the connection if it is idle, and late in the drain also if its request is not
  // complete.
  void drain();
  void close();

 private:
  enum class Stage { kIdle, kReading, kAnswering, kClosing, kClosed };

  static constexpr double kLingerSeconds = 1;  // for the client to close after its last answer
  static constexpr std::string_view kOutOfBudget =
      "the memory for requests and answers is used up; try again in a moment.";
  static constexpr std::string_view kStopping =
      "the server stops, and this request has not arrived whole; send it again.";

  void become_idle();
  void wait_for_input();
  void wait_for_reset();  // closes the connection when the client resets it, which means that the client has gone
  void receive();
  void take_input(std::string_view bytes);
  void on_end_of_input();
  void read_request();
  bool count_held(std::int64_t bytes);
  bool count_answer(std::int64_t bytes);
  void on_read_timeout();
  void refuse(const Response& response);
  void record(const HttpRequest& request, int status, std::size_t bytes) const;
  void start_answer();
  void queue_request();
  void handle_request();
  void call_handler();
  void on_answer_timeout();
  void flush();
  void finish_answer();
  void send();
  void wait_to_send();
  void on_all_sent();
  void end_sending();
  void probe();  // sends a little to find out whether a client that has closed its sending side has gone
  void set_timer(Timer& timer, double seconds, void (Connection::*then)());

  ListenerState& state_;
  Loop& loop_;
  Socket socket_;
  const Peer peer_;
  Timer timer_;        // the limit of the stage
  Timer send_timer_;   // the limit for progress in sending
  Timer probe_timer_;  // until the next probe()
  Stage stage_ = Stage::kIdle;

  // Reading.
  bool waiting_for_input_ = false, waiting_for_reset_ = false;
  bool input_ended_ = false;       // the client has closed its sending side
  std::string received_;           // bytes that the reader has not read yet
  std::int64_t discarded_ = 0;     // bytes that were dropped in kClosing
  std::int64_t held_bytes_ = 0;    // bytes of requests and answers that are counted in the budget
  std::int64_t answer_bytes_ = 0;  // the part of held_bytes_ that belongs to the answer
  std::unique_ptr<RequestReader> reader_;
  Clock::time_point request_start_ = Clock::now();  // of the current request

  // Answering.
  std::shared_ptr<Reply> reply_;  // null outside kAnswering
  Delivery delivery_;
  bool answer_begun_ = false, answer_complete_ = false;  // its first and its last part were taken from the reply
  std::size_t probe_bytes_ = 0;                          // the bytes of kAnswerStart that were sent as probes
  double next_probe_seconds_ = 0;                        // time until the next probe

  // Sending.
  bool waiting_to_send_ = false;
  std::string outgoing_;        // bytes to be sent
  std::size_t sent_bytes_ = 0;  // how many of them were sent
};

}  // namespace dragoman::serve
