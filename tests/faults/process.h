// Runs a program to its end, with a limit on its time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::faults {

struct Launch {
  std::vector<std::string> arguments;    // the program first
  std::vector<std::string> environment;  // NAME=value, beside what this process has
  std::filesystem::path directory;       // to run in
  std::filesystem::path input, output, errors;
};

struct Exit {
  int status = -1;  // -1 if a signal ended it
  int signal = 0;
  bool timed_out = false;

  std::string text() const;
};

Exit run_process(const Launch& launch);

}  // namespace dragoman::faults
