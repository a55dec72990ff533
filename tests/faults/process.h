// Runs a program until it ends. One that takes more than a minute is killed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::faults {

struct Launch {
  std::vector<std::string> arguments;           // the program comes first
  std::vector<std::string> environment;         // NAME=value, in addition to the environment of this process
  std::filesystem::path directory;              // the working directory
  std::filesystem::path input, output, errors;  // files for the standard streams
};

struct Exit {
  int status = -1;  // -1 if a signal ended it
  int signal = 0;
  bool timed_out = false;

  std::string text() const;
};

Exit run_process(const Launch& launch);

}  // namespace dragoman::faults
