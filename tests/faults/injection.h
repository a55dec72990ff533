// Which call to the system fails, and how: the part of the injecting library that counts and decides. calls.cpp has the
// functions that ask it.
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

enum class Act { kNone, kFail, kShort, kKillBefore, kKillAfter, kTear };

// Whether a call on this file, or on what has this name, counts.
bool tracked(int file);
bool counts_path(const char* path, int directory = AT_FDCWD);
// Remembers whether calls on the file count, and returns its number. A file that could not be opened is left alone,
// with its errno.
int track(int file, bool below);

// Counts a call and says what is to become of it.
Act next_act(Kind kind, const char* path, int file);
int injected_error();
[[noreturn]] void end_process();

struct Target {
  const char* path = nullptr;
  int file = -1;
  bool never_interrupted = false;  // a FILE or a directory, of which the libraries do not expect it
};

// One counted call. `call(true)` is to move fewer bytes than asked for.
template <class Result, class Call>
Result faulty(Kind kind, const Target& target, Result failure, const Call& call) {
  Act act = next_act(kind, target.path, target.file);
  if (act == Act::kFail && injected_error() == EINTR && target.never_interrupted) act = Act::kNone;
  if (act == Act::kKillBefore) end_process();
  if (act == Act::kFail) {
    if (kind == kClose) call(false);  // the file is closed even so
    errno = injected_error();
    return failure;
  }
  const Result result = call(act == Act::kShort || act == Act::kTear);
  if (act == Act::kKillAfter || act == Act::kTear) end_process();
  return result;
}

// The function that this one stands before.
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
