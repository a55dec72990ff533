// A fault to inject: the n-th call of a kind, and what happens to it. tests/faults/calls.cpp injects it.
#pragma once

#include <string>
#include <vector>

namespace dragoman::faults {

struct Fault {
  std::string kind;        // of the call: open, read, write, ...
  long number = 1;         // which call, counted from 1
  std::string what;        // the name of an error, or short, slow, kill-before, ...; see injection.cpp
  bool and_after = false;  // whether all later calls fail too

  // In the format of DRAGOMAN_FAULT, e.g. write:3+:ENOSPC.
  std::string text() const { return kind + ":" + std::to_string(number) + (and_after ? "+:" : ":") + what; }
  bool kills() const { return what.starts_with("kill") || what == "tear"; }
  // Whether the program must repeat the call, continue with the remaining bytes, or wait, so that the user notices
  // nothing.
  bool must_be_retried() const { return what == "EINTR" || what == "short" || what == "slow"; }
};

// The faults that are tried at each call of a kind.
struct FaultsOfKind {
  std::string kind;
  std::vector<std::string> what;  // with a +, as in "ENOSPC+": for all calls from the n-th on
};

inline const std::vector<FaultsOfKind>& all_faults() {
  static const std::vector<FaultsOfKind> kAll = {
      {"open", {"EMFILE", "EACCES", "EINTR", "kill-after"}},
      {"read", {"EIO", "EINTR", "short"}},
      {"write", {"ENOSPC", "ENOSPC+", "EIO", "EINTR", "short", "kill-before", "kill-after", "tear"}},
      {"flush", {"EIO", "EIO+", "EINTR", "slow", "kill-after", "kill-late"}},
      {"rename", {"EIO", "ENOSPC", "EACCES+", "slow", "kill-before", "kill-after", "kill-late"}},
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
