// One fault to inject: the n-th call of a kind, and what becomes of it. tests/faults/calls.cpp is what injects it.
#pragma once

#include <string>
#include <vector>

namespace dragoman::faults {

struct Fault {
  std::string kind;  // of call: open, read, write, ...
  long number = 1;   // counted from 1
  std::string what;  // an error's name, short, kill-before, kill-after or tear
  bool and_after = false;

  // As DRAGOMAN_FAULT takes it, e.g. write:3+:ENOSPC.
  std::string text() const { return kind + ":" + std::to_string(number) + (and_after ? "+:" : ":") + what; }
  bool kills() const { return what.starts_with("kill") || what == "tear"; }
  // The program must do it again, or go on with the rest, and its user sees nothing.
  bool must_be_retried() const { return what == "EINTR" || what == "short"; }
};

// What is tried at each call of a kind.
struct FaultsOfKind {
  std::string kind;
  std::vector<std::string> what;  // "ENOSPC+" for all calls from the n-th on
};

inline const std::vector<FaultsOfKind>& all_faults() {
  static const std::vector<FaultsOfKind> kAll = {
      {"open", {"EMFILE", "EACCES", "EINTR", "kill-after"}},
      {"read", {"EIO", "EINTR", "short"}},
      {"write", {"ENOSPC", "ENOSPC+", "EIO", "EINTR", "short", "kill-before", "kill-after", "tear"}},
      {"flush", {"EIO", "EIO+", "EINTR", "kill-after"}},
      {"rename", {"EIO", "ENOSPC", "EACCES+", "kill-before", "kill-after"}},
      {"mkdir", {"EACCES", "ENOSPC", "EROFS+", "kill-before", "kill-after"}},
      {"remove", {"EACCES", "EIO", "EROFS+", "kill-before", "kill-after"}},
      {"close", {"EIO", "kill-after"}},
      {"truncate", {"EIO", "EINTR", "kill-after"}},
      {"map", {"ENOMEM", "ENOMEM+"}},
      {"lock", {"ENOLCK", "EINTR"}},
      {"list", {"EIO", "EACCES"}},
      {"stat", {"EACCES", "EIO"}},
      {"memory", {"ENOMEM"}},
      {"thread", {"EAGAIN", "EAGAIN+"}},
  };
  return kAll;
}

}  // namespace dragoman::faults
