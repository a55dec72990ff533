// The command-line flags of a benchmark. Only flags.cpp includes CLI11, because compiling it takes ten seconds.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dragoman::bench {

struct Rule {
  bool required = false;
  bool positive = false;                  // the number must be at least 1
  std::vector<std::string> choices = {};  // the allowed values; empty: any
};

struct Flag {
  std::string name;                                                              // "--threads"
  std::variant<bool*, int*, std::int64_t*, std::uint64_t*, std::string*> value;  // a bool makes a switch
  std::string help;
  Rule rule = {};
};

// Sets the values of the flags that are given. Every benchmark also has --instructions, which is obeyed here. --help
// and usage errors end the program.
void read_flags(int argc, char** argv, const std::string& purpose, const std::vector<Flag>& flags);

}  // namespace dragoman::bench
