// The flags of a benchmark. CLI11, which reads them, takes a compiler ten seconds: flags.cpp alone sees it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dragoman::bench {

struct Rule {
  bool required = false;
  bool positive = false;                  // the least number is 1
  std::vector<std::string> choices = {};  // if there are few
};

struct Flag {
  std::string name;                                                              // "--threads"
  std::variant<bool*, int*, std::int64_t*, std::uint64_t*, std::string*> value;  // of a bool: a switch
  std::string help;
  Rule rule = {};
};

// Sets the values of the flags that are given. --help and mistakes end the program.
void read_flags(int argc, char** argv, const std::string& purpose, const std::vector<Flag>& flags);

}  // namespace dragoman::bench
