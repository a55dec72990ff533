// A library for LD_PRELOAD that makes one system call fail, as a full disk, a lost network drive or a power cut would.
// Only calls on files below one directory are counted, so that the files of the loader and the locale are not.
// Allocations, mapped memory and threads are counted while main() runs. Settings are environment variables:
//
//   DRAGOMAN_FAULT_DIRECTORY  the directory, an absolute path
//   DRAGOMAN_FAULT            KIND:N:WHAT, e.g. rename:3:EIO; or KIND:N+:WHAT for the N-th call and all after it.
//                             Without it, calls are only counted.
//   DRAGOMAN_FAULT_REPORT     a file that gets a line for each fault ("fired rename 3 PATH") and, when a process ends,
//                             one for each kind ("count rename 12")
//
// KIND is one of kKinds below. WHAT is the name of an error; `short`, for a read or write of fewer bytes than
// requested; `slow`, for a call that takes 20 ms longer; `kill-before`, `kill-after` or `kill-late`, which end the
// process like SIGKILL, the last after 20 ms in which other threads go on; or `tear`, which writes half and then kills.
#include "tests/faults/injection.h"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace inject {
namespace {

constexpr std::array<const char*, kKindCount> kKinds = {"open",  "read",   "write", "flush",    "rename",
                                                        "mkdir", "remove", "close", "truncate", "map",
                                                        "lock",  "list",   "stat",  "memory",   "thread"};

struct ErrorName {
  const char* name;
  int number;
};
constexpr ErrorName kErrors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"EACCES", EACCES},
                                 {"EROFS", EROFS},   {"EINTR", EINTR},   {"ENOMEM", ENOMEM}, {"ENOLCK", ENOLCK},
                                 {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT}};

// The values of the environment variables.
struct FaultSettings {
  char directory[PATH_MAX] = "";
  char report[PATH_MAX] = "";
  int kind = -1;
  long at = 0;  // the number N of the call
  bool and_after = false;
  Act act = Act::kNone;
  int error = 0;
};

FaultSettings settings;
std::array<std::atomic<long>, kKindCount> counts;
std::array<std::atomic<bool>, 1 << 16> tracked_files;

[[noreturn]] void refuse(const char* text) {
  std::fprintf(stderr, "inject: cannot understand DRAGOMAN_FAULT=%s\n", text);
  ::_exit(99);
}

void read_fault(const char* text) {
  char kind[32], what[32];
  if (std::sscanf(text, "%31[a-z]:%ld+:%31s", kind, &settings.at, what) == 3) {
    settings.and_after = true;
  } else if (std::sscanf(text, "%31[a-z]:%ld:%31s", kind, &settings.at, what) != 3) {
    refuse(text);
  }
  for (int i = 0; i < kKindCount; ++i) {
    if (std::strcmp(kind, kKinds[static_cast<std::size_t>(i)]) == 0) settings.kind = i;
  }
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("short")) settings.act = Act::kShort;
  if (is("slow")) settings.act = Act::kSlow;
  if (is("kill-late")) settings.act = Act::kKillLate;
  if (is("kill-before")) settings.act = Act::kKillBefore;
  if (is("kill-after")) settings.act = Act::kKillAfter;
  if (is("tear")) settings.act = Act::kTear;
  for (const ErrorName& error : kErrors) {
    if (!is(error.name)) continue;
    settings.act = Act::kFail;
    settings.error = error.number;
  }
  if (settings.kind < 0 || settings.act == Act::kNone) refuse(text);
}

bool is_below(const char* path) {
  const std::size_t length = std::strlen(settings.directory);
  return length > 0 && std::strncmp(path, settings.directory, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

// Uses raw system calls, which are not counted.
void report(const char* format, ...) __attribute__((format(printf, 1, 2)));
void report(const char* format, ...) {
  if (settings.report[0] == '\0') return;
  char line[2 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const auto file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, settings.report, O_WRONLY | O_CREAT | O_APPEND, 0600));
  if (file < 0) return;
  ::syscall(SYS_write, file, line, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof line - 1));
  ::syscall(SYS_close, file);
}

__attribute__((constructor)) void start() {
  const auto copy = [](const char* name, char* to) {
    const char* value = std::getenv(name);
    if (value != nullptr) std::snprintf(to, PATH_MAX, "%s", value);
  };
  copy("DRAGOMAN_FAULT_DIRECTORY", settings.directory);
  copy("DRAGOMAN_FAULT_REPORT", settings.report);
  if (const char* fault = std::getenv("DRAGOMAN_FAULT")) read_fault(fault);
  // Standard input and output may be files below the directory.
  for (const int file : {STDIN_FILENO, STDOUT_FILENO}) {
    char link[64], name[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = ::readlink(link, name, sizeof name - 1);
    if (length <= 0) continue;
    name[length] = '\0';
    track(file, is_below(name));
  }
}

__attribute__((destructor)) void finish() {
  for (std::size_t i = 0; i < kKindCount; ++i) report("count %s %ld\n", kKinds[i], counts[i].load());
}

}  // namespace

bool tracked(int file) {
  return file >= 0 && file < static_cast<int>(tracked_files.size()) && tracked_files[static_cast<std::size_t>(file)];
}

int track(int file, bool counted) {
  if (file >= 0 && file < static_cast<int>(tracked_files.size())) {
    tracked_files[static_cast<std::size_t>(file)] = counted;
  }
  return file;
}

bool counts_path(const char* path, int directory) {
  if (path[0] == '/') return is_below(path);
  if (directory != AT_FDCWD) return tracked(directory);
  char here[PATH_MAX];
  return ::getcwd(here, sizeof here) != nullptr && is_below(here);
}

int injected_error() { return settings.error; }

void wait_a_while() {
  constexpr useconds_t kMicroseconds = 20'000;
  ::usleep(kMicroseconds);
}

[[noreturn]] void end_process() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
  while (true) ::pause();
}

Act next_act(Kind kind, const char* path, int file) {
  const long number = ++counts[kind];
  const bool chosen = settings.kind == kind && (settings.and_after ? number >= settings.at : number == settings.at);
  if (!chosen) return Act::kNone;
  char name[PATH_MAX] = "";
  if (path == nullptr && file >= 0) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = ::readlink(link, name, sizeof name - 1);
    name[std::max<ssize_t>(0, length)] = '\0';
  }
  report("fired %s %ld %s\n", kKinds[kind], number, path != nullptr ? path : name);
  return settings.act;
}

}  // namespace inject
