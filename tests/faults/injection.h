// Decides which system call fails, and how. This part of the injecting library counts the calls; calls.cpp has the
// functions that replace them.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace inject {

enum Kind {
  kOpen,
  kRead,
  kWrite,
  kFlush,
  kRename,
  kMakeDirectory,
  kRemove,
  kClose,
  kTruncate,
  kMap,
  kLock,
  kList,
  kStat,
  kMemory,
  kThread,
  kKindCount
};

// What happens to a call. kShort transfers only a part of the bytes; kTear does the same and then kills the process.
// kSlow and kKillLate wait first, so that the other threads go on for a while: kSlow then makes the call, kKillLate
// kills the process instead.
enum class Act { kNone, kFail, kShort, kSlow, kKillBefore, kKillAfter, kKillLate, kTear };

// Whether calls on this file, or on this path, are counted.
bool tracked(int file);
bool counts_path(const char* path, int directory = AT_FDCWD);
// Records whether calls on the file are counted, and returns its number. Does nothing for a file that could not be
// opened, so errno is kept.
int track(int file, bool counted);

// Counts a call and returns what to do with it.
Act next_act(Kind kind, const char* path, int file);
// The errno of an injected failure.
int injected_error();
void wait_a_while();
// Kills this process with SIGKILL.
[[noreturn]] void end_process();

// The path or the open file that a call is about.
struct Target {
  const char* path = nullptr;
  int file = -1;
  bool never_interrupted = false;  // a FILE or a directory: the libraries do not expect EINTR there
};

// Makes one counted call. `call(true)` transfers fewer bytes than requested.
template <class Result, class Call>
Result faulty(Kind kind, const Target& target, Result failure, const Call& call) {
  Act act = next_act(kind, target.path, target.file);
  if (act == Act::kFail && injected_error() == EINTR && target.never_interrupted) act = Act::kNone;
  if (act == Act::kSlow || act == Act::kKillLate) wait_a_while();
  if (act == Act::kKillBefore || act == Act::kKillLate) end_process();
  if (act == Act::kFail) {
    if (kind == kClose) call(false);  // a failing close() closes the file nevertheless
    errno = injected_error();
    return failure;
  }
  const Result result = call(act == Act::kShort || act == Act::kTear);
  if (act == Act::kKillAfter || act == Act::kTear) end_process();
  return result;
}

// The C library's function with this name. The caller is the function of the same name that replaces it.
template <class Function>
Function* next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "inject: there is no %s\n", name);
    ::_exit(99);
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace inject
