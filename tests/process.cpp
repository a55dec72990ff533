#include "tests/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace dragoman {

namespace {

void place(int descriptor, int stream) {
  descriptor == ProcessOptions::kClosed ? ::close(stream) : ::dup2(descriptor, stream);
}

}  // namespace

Process::Process(std::vector<std::string> command, const ProcessOptions& with)
    : log_(scratch("_process" + std::to_string(made_++) + ".log")) {
  std::vector<char*> raw;
  for (std::string& argument : command) raw.push_back(argument.data());
  raw.push_back(nullptr);
  const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  id_ = ::fork();
  if (id_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    place(with.out == ProcessOptions::kLog ? log : with.out, STDOUT_FILENO);
    place(with.err == ProcessOptions::kLog ? log : with.err, STDERR_FILENO);
    const rlimit addresses{.rlim_cur = with.max_address_bytes, .rlim_max = with.max_address_bytes};
    if (with.max_address_bytes != RLIM_INFINITY) ::setrlimit(RLIMIT_AS, &addresses);
    ::execvp(raw[0], raw.data());
    ::_exit(127);
  }
  ::setpgid(id_, id_);  // in both processes, because either may run first
  ::close(log);
}

Process::~Process() {
  if (id_ > 0) {
    ::kill(-id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  std::filesystem::remove(log_);
}

void Process::signal(int number) const {
  if (id_ > 0) ::kill(id_, number);
}

std::string Process::output() const {
  std::ostringstream text;
  text << std::ifstream(log_).rdbuf();
  return text.str();
}

std::optional<int> Process::number_after(const std::string& words) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  do {
    const std::string text = output();
    const std::size_t at = text.find(words);
    const std::size_t end_of_line = at == std::string::npos ? at : text.find('\n', at);
    if (end_of_line != std::string::npos) return std::stoi("0" + text.substr(at + words.size()));
    if (::waitpid(id_, nullptr, WNOHANG) == id_) id_ = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (id_ > 0 && std::chrono::steady_clock::now() < end);
  return {};
}

int Process::listening_port() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  do {
    if (const int port = port_of_sockets()) return port;
    if (::waitpid(id_, nullptr, WNOHANG) == id_) id_ = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (id_ > 0 && std::chrono::steady_clock::now() < end);
  return 0;
}

int Process::status() {
  int status = 0;
  ::waitpid(std::exchange(id_, 0), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int Process::port_of_sockets() const {
  const std::string folder = "/proc/" + std::to_string(id_);
  std::set<std::string> sockets;
  std::error_code gone;
  for (std::filesystem::directory_iterator entry(folder + "/fd", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    sockets.insert(std::filesystem::read_symlink(entry->path(), gone).string());
    gone.clear();
  }
  std::ifstream table(folder + "/net/tcp");
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::istringstream columns(line);
    std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
    columns >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >> inode;
    // 0A is the state LISTEN.
    if (state != "0A" || !sockets.contains("socket:[" + inode + "]")) continue;
    return std::stoi(local.substr(local.find(':') + 1), nullptr, 16);
  }
  return 0;
}

}  // namespace dragoman
