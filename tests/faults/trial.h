// Runs a scenario with a fault and checks what must hold afterwards.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/faults/scenarios.h"
#include "tests/faults/snapshot.h"

namespace dragoman::faults {

// A run without faults: the files before and after it, its standard error, and its calls.
struct Reference {
  Snapshot before, after;
  std::string errors;
  std::map<std::string, long> calls;  // by kind
};

// Throws a std::runtime_error if the run fails, or if a second run gives different results.
Reference reference_of(const Scenario& scenario, const std::filesystem::path& prepared,
                       const std::filesystem::path& work);

// All faults for the calls of the reference. If a kind has more than `most` calls, `most` evenly spread ones are used.
std::vector<Fault> faults_for(const Reference& reference, long most);

struct Verdict {
  bool reached = false;               // whether the fault occurred
  std::vector<std::string> problems;  // empty if all checks passed
};

// Runs the scenario in work/directory and checks that
//   - the process ended by itself with 0, 1 or 2, or by the injected kill;
//   - with 0 all results exist, and otherwise one sentence says what is wrong;
//   - nothing that existed before is damaged;
//   - the same command without the fault then succeeds, with the same results.
// The output of the processes stays in `work` for inspection.
Verdict try_fault(const Scenario& scenario, const Reference& reference, const Fault& fault,
                  const std::filesystem::path& prepared, const std::filesystem::path& work);

}  // namespace dragoman::faults
