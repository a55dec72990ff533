// A scenario with a fault: what is run, and what must hold afterwards.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/faults/scenarios.h"
#include "tests/faults/snapshot.h"

namespace dragoman::faults {

// What a run without faults begins with, leaves behind, says and calls.
struct Reference {
  Snapshot before, after;
  std::string errors;
  std::map<std::string, long> calls;  // by kind
};

// Throws a std::runtime_error if the run fails, or if a second one does not give the same.
Reference reference_of(const Scenario& scenario, const std::filesystem::path& prepared,
                       const std::filesystem::path& work);

// All faults for the calls of the reference. Where a kind has more than `most` calls, so many of them, evenly spread.
std::vector<Fault> faults_for(const Reference& reference, long most);

struct Verdict {
  bool reached = false;               // the fault happened
  std::vector<std::string> problems;  // none if all is well
};

// Runs the scenario in work/directory and checks that
//   - the process ended by itself with 0, 1 or 2, or by the kill that was injected;
//   - with 0 all results are there, and otherwise one sentence says what is wrong;
//   - nothing that was there before is harmed;
//   - the same command without the fault then succeeds, with the same results.
// What the processes said stays in `work`, to be looked at.
Verdict try_fault(const Scenario& scenario, const Reference& reference, const Fault& fault,
                  const std::filesystem::path& prepared, const std::filesystem::path& work);

}  // namespace dragoman::faults
