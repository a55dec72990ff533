// A client on a plain socket, for tests of the server. It can also send and do what a proper client would not.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace dragoman::serve {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Waits for `condition`, for at most ten seconds, and returns whether it holds.
inline bool eventually(const std::function<bool()>& condition) {
  const auto begin = std::chrono::steady_clock::now();
  while (!condition()) {
    if (seconds_since(begin) > 10) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class Client {
 public:
  struct Answer {
    int status = 0;
    std::map<std::string, std::string> headers;  // names in the server's upper and lower case
    std::string body;                            // without the chunk lines, if it came in chunks
  };

  // Connects to the port at 127.0.0.1. `from` is the client's own address; it must belong to this machine, and defaults
  // to 127.0.0.1. receive_buffer is in bytes; 0 keeps the system's size. Throws a std::runtime_error on failure.
  // Sending and receiving wait at most ten seconds at a time (see wait_at_most).
  explicit Client(int port, int receive_buffer = 0, const char* from = nullptr)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (from != nullptr) {
      sockaddr_in own{};
      own.sin_family = AF_INET;
      own.sin_addr.s_addr = inet_addr(from);
      if (::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
        close();
        throw std::runtime_error("cannot bind");
      }
    }
    wait_at_most(10);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close();
      throw std::runtime_error("cannot connect");
    }
  }
  ~Client() { close(); }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), unread_(std::move(other.unread_)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void wait_at_most(int seconds) const {
    const timeval limit{.tv_sec = seconds, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  // Returns false if the connection is closed, or if the server has read nothing for too long (see wait_at_most).
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void stop_sending() const { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // Closes the connection with a TCP reset, as happens when a client is killed before it has read all data.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  // Reads the next answer: answer() completely, head() without its body.
  Answer answer() {
    Answer answer = head();
    if (answer.headers.contains("Transfer-Encoding")) {
      for (std::string piece = chunk(); !piece.empty(); piece = chunk()) answer.body += piece;
    } else if (answer.headers.contains("Content-Length")) {
      answer.body = take(std::stoul(answer.headers.at("Content-Length")));
    }
    return answer;
  }
  Answer head() {
    Answer answer;
    answer.status = std::stoi(line().substr(9));
    for (std::string header = line(); !header.empty(); header = line()) {
      const std::size_t colon = header.find(':');
      answer.headers[header.substr(0, colon)] =
          header.substr(std::min(header.size(), header.find_first_not_of(' ', colon + 1)));
    }
    return answer;
  }
  // The next chunk of a chunked body; an empty one ends the body.
  std::string chunk() {
    const std::string data = take(std::stoul(line(), nullptr, 16));
    line();
    return data;
  }
  // Sends a request and reads the answer.
  Answer ask(std::string_view request) {
    send(request);
    return answer();
  }

  // Everything that arrives until the server closes the connection or is silent for too long.
  std::string rest() {
    while (read_more()) continue;
    return std::exchange(unread_, {});
  }
  // Whether the server has closed the connection, or does so within ten seconds, without sending more.
  bool is_closed() { return rest().empty() && closed_; }

  std::string line() {
    while (unread_.find("\r\n") == std::string::npos) need_more();
    const std::size_t end = unread_.find("\r\n");
    std::string line = unread_.substr(0, end);
    unread_.erase(0, end + 2);
    return line;
  }
  std::string take(std::size_t count) {
    while (unread_.size() < count) need_more();
    std::string text = unread_.substr(0, count);
    unread_.erase(0, count);
    return text;
  }

 private:
  bool read_more() {
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    closed_ = count == 0 || (count < 0 && errno == ECONNRESET);
    if (count > 0) unread_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }
  void need_more() {
    if (!read_more()) throw std::runtime_error(closed_ ? "the server has closed" : "the server is silent");
  }

  int socket_;
  bool closed_ = false;
  std::string unread_;
};

}  // namespace dragoman::serve
