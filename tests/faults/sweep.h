// Many faults of a scenario, several at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/faults/trial.h"

namespace dragoman::faults {

struct SweepOptions {
  std::filesystem::path prepared = {}, work = {};  // what prepare() made, and room for trials
  std::filesystem::path evidence = {};             // optional: what is known of trials that failed stays here
  long most = 250;  // calls of a kind; of a kind that has more, so many evenly spread ones
  long sample = 0;  // faults to try in all, evenly spread; 0 for every one
  int workers = 1;
  std::vector<std::string> only = {};  // optional: these faults, as write:3:EIO
};

struct Finding {
  Fault fault;
  std::vector<std::string> problems;
};

struct SweepResult {
  long points = 0;   // faults that were tried
  long reached = 0;  // and happened: threads may make the number of calls vary a little
  std::vector<Finding> findings = {};
};

// A name for a directory of this process: in memory, where a file system is there, for trials are many small files that
// are flushed again and again.
std::filesystem::path trial_directory();

SweepResult sweep(const Scenario& scenario, const SweepOptions& options);

}  // namespace dragoman::faults
