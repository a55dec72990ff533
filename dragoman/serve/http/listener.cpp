#include "dragoman/serve/http/listener.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/serve/http/internal/connection.h"

namespace dragoman::serve {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using Loops = std::vector<std::unique_ptr<Loop>>;

constexpr int kBacklog = 4096;                         // clients that the system queues until they are accepted
constexpr int kAcceptedAtOnce = 64;                    // connections to accept before the open ones get their turn
constexpr std::chrono::milliseconds kRetryPause{100};  // between attempts when no connection can be accepted
constexpr std::chrono::minutes kBetweenReports{1};

// Each connection needs a file descriptor. Asks the system for as many as there may be connections and 1024 more, as
// far as it allows.
void allow_descriptors(std::int64_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(static_cast<rlim_t>(connections) + 1024, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

asio::ip::tcp::endpoint endpoint_of(const ListenerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  require<UsageError>(!error, "'", options.address,
                      "' is not a numeric address; use 127.0.0.1 for this machine alone, or 0.0.0.0 for all.");
  require<UsageError>(options.port >= 0 && options.port < 65536, options.port,
                      " is not a port; choose one from 1 to 65535, or 0 for any that is free.");
  return {address, static_cast<unsigned short>(options.port)};
}

// What to do if it is impossible to listen.
std::string_view advice(const error_code& error) {
  if (error == asio::error::access_denied) return "ports below 1024 need special rights: choose another with --port";
  if (error == asio::error::address_in_use) return "another program uses it: choose another port with --port";
  if (error == boost::system::errc::address_not_available) return "choose an address of this machine with --address";
  return "choose others with --address and --port";
}

Loops make_loops(int count) {
  Loops loops;
  for (int i = 0; i < std::max(1, count); ++i) loops.push_back(std::make_unique<Loop>());
  return loops;
}

}  // namespace

// The event loops, one per thread. The first loop also accepts connections, and gives them to all loops in turn. A
// connection stays on its loop.
class Listener::Implementation {
 public:
  Implementation(const ListenerOptions& options, Handler handler)
      : state_(options, std::move(handler)),
        loops_(make_loops(options.threads)),
        first_context_(loops_.front()->context),
        acceptor_(first_context_),
        retry_timer_(first_context_) {
    listen(endpoint_of(options));
    allow_descriptors(Shares::capacity_for(options.max_connections));
    wait_for_clients();
    start_threads();
  }

  ~Implementation() { stop(); }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  int port() const { return port_; }
  ListenerCounts counts() const { return state_.counts(); }

  // Connections that wait in the queue of the system are still accepted, because they may already have sent requests.
  // While others are answered, clients may complete the requests that they have begun to send.
  void drain(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    state_.draining = true;
    asio::post(first_context_, [this] {
      while (acceptor_.is_open() && !accept_client()) continue;
      for_each_connection(&Connection::drain);
      stop_accepting();
    });
    state_.wait_until_answered(end);
    state_.reads_on = false;
    for_each_connection(&Connection::drain);
    state_.wait_until_empty(end);
  }

 private:
  void listen(const asio::ip::tcp::endpoint& at) {
    error_code error;
    acceptor_.open(at.protocol(), error);
    if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(at, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) acceptor_.non_blocking(true, error);
    // Without this, Asio would block the whole loop if a client gives up before it is accepted.
    if (!error) acceptor_.set_option(Acceptor::enable_connection_aborted(true), error);
    require<Error>(!error, "cannot listen on port ", at.port(), " of ", at.address().to_string(), " (",
                   lower_first(error.message()), "); ", advice(error), ".");
    port_ = acceptor_.local_endpoint().port();
  }

  void start_threads() {
    try {
      for (const auto& loop : loops_) threads_.emplace_back([this, &context = loop->context] { run(context); });
    } catch (const std::system_error& error) {
      stop();
      throw Error(join("cannot start ", counted(std::ssize(loops_), "thread"), " (", error.what(), ")."));
    }
  }

  // An exception here (usually out of memory) ends one step of one connection and nothing else.
  void run(asio::io_context& context) {
    for (;;) {
      try {
        context.run();
        return;
      } catch (const std::exception& error) {
        state_.report("a connection failed: ", error.what());
      } catch (...) {
        state_.report("a connection failed for an unknown reason.");
      }
    }
  }

  // New connections are posted to the loops by the first loop. So the first loop also posts the stop, which then
  // arrives after the last connection. A loop returns from run() when its `work` is reset and its connections are
  // closed.
  void stop() {
    asio::post(first_context_, [this] {
      stop_accepting();
      for_each_connection(&Connection::close);
      for (const auto& loop : loops_) asio::post(loop->context, [&work = loop->work] { work.reset(); });
    });
    for (std::thread& thread : threads_) thread.join();
  }

  void stop_accepting() {
    error_code ignored;
    acceptor_.close(ignored);
    retry_timer_.cancel();
    state_.shut();
  }

  void for_each_connection(void (Connection::*act)()) {
    for (const auto& loop : loops_) {
      asio::post(loop->context, [&open = loop->connections, act] {
        const auto connections = open;  // a copy, because connections that close remove themselves from the set
        for (const auto& connection : connections) (connection.get()->*act)();
      });
    }
  }

  void wait_for_clients() {
    if (!acceptor_.is_open()) return;
    acceptor_.async_wait(Acceptor::wait_read, [this](error_code closed) {
      if (closed) return;
      if (accept_clients()) return wait_for_clients();
      retry_timer_.expires_after(kRetryPause);
      retry_timer_.async_wait([this](error_code) { wait_for_clients(); });
    });
  }

  // False if no connection can be accepted now, because file descriptors or memory have run out. Clients in the queue
  // keep waiting, and connections that close make room for them.
  bool accept_clients() {
    std::string problem;
    try {
      for (int i = 0; i < kAcceptedAtOnce; ++i) {
        const error_code error = accept_client();
        if (error == asio::error::would_block) break;
        if (!error) continue;
        problem = error.message();
        break;
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (!problem.empty()) report_shortage(problem);
    return problem.empty();
  }

  // At most one report in kBetweenReports: a shortage may come and go many times a second.
  void report_shortage(const std::string& problem) {
    const auto now = Clock::now();
    if (last_report_ && now - *last_report_ < kBetweenReports) return;
    last_report_ = now;
    state_.report("cannot accept more connections now (", problem, "): ", state_.counts().connections,
                  " are open. New ones wait until others close. Allow the process more open files (LimitNOFILE, "
                  "ulimit -n), or lower --connections.");
  }

  error_code accept_client() {
    Loop& loop = *loops_[next_loop_++ % loops_.size()];
    error_code error;
    Socket socket = acceptor_.accept(loop.context, error);
    if (!error) admit(loop, std::move(socket));
    return error == asio::error::connection_aborted ? error_code() : error;  // the client gave up while it waited
  }

  void admit(Loop& loop, Socket socket) {
    error_code ignored;
    const std::string peer = socket.remote_endpoint(ignored).address().to_string(), holder = holder_of(peer);
    const ListenerState::Admission admission = state_.enter(holder, state_.proxies.contains(peer));
    if (admission == ListenerState::Admission::kDrop) return;  // this closes the socket
    const auto connection =
        std::make_shared<Connection>(state_, loop, std::move(socket), Peer{peer, holder, admission});
    const auto begin = admission == ListenerState::Admission::kServe ? &Connection::start : &Connection::turn_away;
    asio::post(loop.context, [connection, begin] { (connection.get()->*begin)(); });
  }

  ListenerState state_;
  Loops loops_;
  asio::io_context& first_context_;
  Acceptor acceptor_;
  Timer retry_timer_;
  int port_ = 0;
  std::size_t next_loop_ = 0;                     // the loop that gets the next connection
  std::optional<Clock::time_point> last_report_;  // when a shortage was last reported
  std::vector<std::thread> threads_;
};

Listener::Listener(const ListenerOptions& options, Handler handler)
    : implementation_(std::make_shared<Implementation>(options, std::move(handler))) {}

Listener::~Listener() = default;

int Listener::port() const { return implementation_->port(); }

void Listener::drain(double seconds) { implementation_->drain(seconds); }

ListenerCounts Listener::counts() const { return implementation_->counts(); }

}  // namespace dragoman::serve
