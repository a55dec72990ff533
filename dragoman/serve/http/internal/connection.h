// One client's connection: reads its requests one after the other, has each answered by the handler, and sends the
// answers. It lives on one loop: everything here happens on that loop's thread, so that nothing is locked, and only
// Reply is seen by others. Private to the listener, because it includes Boost.
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

// Who is at the other end, as the state knows it.
struct Peer {
  std::string address, holder;
  ListenerState::Welcome welcome = ListenerState::Welcome::kServe;
};

// What one thread waits for.
struct Loop {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<Executor> work{context.get_executor()};  // it runs until this is given up
  std::unordered_set<std::shared_ptr<Connection>> connections;
  std::vector<char> scratch = std::vector<char>(64 << 10);  // what has just been received, of any connection
  Turns<std::function<void()>> requests;                    // that have come and wait to be handled
  bool handling = false;                                    // whether handle_requests() will be called
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ListenerState& state, Loop& loop, Socket socket, Peer peer);

  void start();
  // Instead of start(): answers 503 and closes.
  void turn_away();
  // The listener drains: closes the connection if it is idle.
  void drain();
  void close();

 private:
  enum class Stage { kIdle, kReading, kAnswering, kClosing, kClosed };

  void rest();
  void watch();
  void watch_for_reset();
  void receive();
  void take(std::string_view bytes);
  void at_end();
  void read_request();
  bool hold(std::int64_t bytes);
  bool hold_answer(std::int64_t bytes);
  void be_late();
  void refuse(const Response& response);
  void account(const Request& request, int status, std::size_t bytes) const;
  void ask();
  void wait_for_turn();
  void handle();
  void call_handler();
  void time_over();
  void flush();
  void finish();
  void send();
  void wait_to_send();
  void all_sent();
  void hang_up();
  void probe();
  void set(Timer& timer, double seconds, void (Connection::*then)());

  ListenerState& state_;
  Loop& loop_;
  Socket socket_;
  const Peer peer_;
  Timer timer_;        // for the stage
  Timer send_timer_;   // for progress in sending
  Timer probe_timer_;  // see probe()
  Stage stage_ = Stage::kIdle;

  bool watching_ = false, watching_for_reset_ = false, waiting_to_send_ = false;
  bool ended_ = false;             // the client sends no more
  std::string received_;           // and not yet read
  std::int64_t discarded_ = 0;     // bytes
  std::int64_t held_ = 0;          // bytes of requests and answers, as the budget counts them
  std::int64_t answer_bytes_ = 0;  // of these, what is being sent
  std::unique_ptr<RequestReader> reader_;
  Clock::time_point begun_at_ = Clock::now();  // the request at hand

  std::shared_ptr<Reply> reply_;
  Delivery delivery_;
  bool begun_ = false, complete_ = false;  // of the answer, what was taken from the reply
  std::size_t probed_ = 0;                 // bytes of the answer's start that were sent as probes
  double probe_seconds_ = 0;               // until the next probe
  std::string out_;                        // to be sent
  std::size_t sent_ = 0;                   // bytes of it
};

}  // namespace dragoman::serve
