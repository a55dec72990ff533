#include "dragoman/base/ending_signals.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

namespace dragoman {
namespace {

// A file or directory to be removed. The handler takes those that are there; they can no longer be withdrawn. The mutex
// is for everybody but the handler.
enum class State : std::uint8_t { kFree, kThere, kTaken };
struct Place {
  std::atomic<State> state = State::kFree;
  std::array<char, 4096> path{};
};
std::array<Place, 32> places;
std::mutex places_mutex;
static_assert(std::atomic<State>::is_always_lock_free, "a signal handler may not wait for a lock");

// The absolute path; empty if it does not fit.
std::string name_of(const std::filesystem::path& path) {
  std::error_code problem;
  std::string name = std::filesystem::absolute(path, problem).string();
  return problem || name.size() >= places[0].path.size() ? std::string() : name;
}

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEndingSignals) sigaddset(&set, signal);
  return set;
}

// Other threads may still write into the directory, so it is read again while it changes. Here and below only functions
// are called that are safe in signal handlers.
void remove_tree(int parent, const char* name, int& readings);

// Returns whether something was found.
bool remove_entries(int directory, int& readings) {
  alignas(dirent64) std::array<char, 2048> entries;
  bool found = false;
  ::lseek(directory, 0, SEEK_SET);
  while (true) {
    const ssize_t bytes = ::getdents64(directory, entries.data(), entries.size());
    if (bytes <= 0) return found;
    for (ssize_t at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const std::string_view name(entry->d_name);
      if (name == "." || name == "..") continue;
      found = true;
      remove_tree(directory, entry->d_name, readings);
    }
  }
}

// `readings` is how often directories may still be read again, in case something cannot be removed.
void remove_tree(int parent, const char* name, int& readings) {
  if (::unlinkat(parent, name, 0) == 0) return;
  const int directory = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  do {
    const bool found = remove_entries(directory, readings);
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || !found) break;
  } while (readings-- > 0);
  ::close(directory);
}

void remove_tree(int parent, const char* name) {
  int readings = 100;
  remove_tree(parent, name, readings);
}

[[noreturn]] void wait_for_end() {
  while (true) ::pause();
}

extern "C" void remove_and_end(int signal) { end_by_signal(signal); }

}  // namespace

void handle_ending_signals(void (*handler)(int signal)) {
  struct sigaction wanted {};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  wanted.sa_mask = ending_signals();  // one at a time
  for (const int signal : kEndingSignals) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) ::sigaction(signal, &wanted, nullptr);
  }
}

void end_by_signals() { handle_ending_signals(remove_and_end); }

void end_by_signal(int signal) {
  static std::atomic<bool> ending = false;
  if (ending.exchange(true)) wait_for_end();  // another thread removes them
  bool removes = false;
  for (Place& place : places) {
    State there = State::kThere;
    if (!place.state.compare_exchange_strong(there, State::kTaken)) continue;
    remove_tree(AT_FDCWD, place.path.data());
    removes = true;
  }
  // Another thread may have been about to make a file there, with its directories. By now it has done so.
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 20'000'000};
  if (removes) ::nanosleep(&kMoment, nullptr);
  for (const Place& place : places) {
    if (place.state == State::kTaken) remove_tree(AT_FDCWD, place.path.data());
  }
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

void remove_by_signal(const std::filesystem::path& path) {
  const std::string name = name_of(path);
  const std::lock_guard lock(places_mutex);
  const auto place = std::ranges::find_if(places, [](const Place& of) { return of.state == State::kFree; });
  if (name.empty() || place == places.end()) return;
  *std::ranges::copy(name, place->path.begin()).out = '\0';
  place->state = State::kThere;
}

void keep_by_signal(const std::filesystem::path& path) {
  const std::string name = name_of(path);
  const std::lock_guard lock(places_mutex);
  const auto place =
      std::ranges::find_if(places, [&](const Place& of) { return of.state != State::kFree && name == of.path.data(); });
  if (place == places.end()) return;
  State there = State::kThere;
  if (!place->state.compare_exchange_strong(there, State::kFree)) wait_for_end();
}

SignalsHeld::SignalsHeld() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace dragoman
