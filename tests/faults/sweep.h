// Runs a scenario once for each of many faults. Several of these trials run in parallel.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/faults/trial.h"

namespace dragoman::faults {

struct SweepOptions {
  std::filesystem::path prepared = {}, work = {};  // what prepare() made, and a directory for trials
  std::filesystem::path evidence = {};             // optional: a directory that keeps the files of failed trials
  // Each fault of a kind (open, read, write, ...) is tried at no more than this many calls of that kind, evenly spread.
  long most = 250;
  long sample = 0;                     // total number of faults to try, evenly spread; 0 for all
  int workers = 1;                     // trials in parallel
  std::vector<std::string> only = {};  // optional: try only these faults, written like write:3:EIO
};

// A trial that failed: its fault, and what was wrong.
struct Finding {
  Fault fault;
  std::vector<std::string> problems;
};

struct SweepResult {
  long tried = 0;  // faults that were tried
  // Faults that occurred. A fault at one of the last calls may not occur: because of the threads, a run may make a few
  // calls fewer than the run without a fault in which the calls were counted.
  long reached = 0;
  std::vector<Finding> findings = {};
};

// A directory name for this process. It is on a file system in memory if there is one, because trials write and flush
// many small files.
std::filesystem::path trial_directory();

SweepResult sweep(const Scenario& scenario, const SweepOptions& options);

}  // namespace dragoman::faults
