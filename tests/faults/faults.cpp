// Tries all faults of all scenarios, or the named ones: faults EVIDENCE [SCENARIO...] [FAULT...] [most=N]. A fault is
// written like write:3:EIO: the third write() of the command fails with EIO. A fault is tried at no more than N calls
// of its kind (250 by default). Prints a table (`reached` counts the faults that occurred) and what was wrong in each
// trial that failed; exits with 1 if any failed. The directory EVIDENCE keeps the files of failed trials.
// scripts/faults builds and runs this program.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <thread>

#include "tests/faults/sweep.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

bool is_chosen(const Scenario& scenario, const std::vector<std::string>& names) {
  // "tokenizer" stands for tokenizer-train, tokenizer-encode and tokenizer-decode.
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return scenario.name == name || scenario.name.starts_with(name + "-");
         });
}

int run_all(const fs::path& evidence, std::vector<std::string> names) {
  const auto is_fault = [](const std::string& name) { return name.find(':') != std::string::npos; };
  std::vector<std::string> faults;
  std::ranges::copy_if(names, std::back_inserter(faults), is_fault);
  std::erase_if(names, is_fault);
  long most = SweepOptions{}.most;
  std::erase_if(names, [&](const std::string& name) { return std::sscanf(name.c_str(), "most=%ld", &most) == 1; });
  std::vector<Scenario> chosen;
  for (const Scenario& scenario : scenarios()) {
    if (is_chosen(scenario, names)) chosen.push_back(scenario);
  }
  if (chosen.empty()) {
    fmt::print(stderr, "faults: there is no '{}'; there are", names.front());
    for (const Scenario& scenario : scenarios()) fmt::print(stderr, " {}", scenario.name);
    fmt::print(stderr, ".\n");
    return 2;
  }
  const fs::path work = trial_directory();
  fs::remove_all(evidence);
  prepare(work / "prepared");
  long tried = 0, failed = 0;
  fmt::print("{:<18}{:>8}{:>10}{:>10}{:>10}\n", "command", "tried", "reached", "failed", "seconds");
  for (const Scenario& scenario : chosen) {
    const auto start = std::chrono::steady_clock::now();
    const SweepResult result = sweep(scenario, {.prepared = work / "prepared",
                                                .work = work,
                                                .evidence = evidence,
                                                .most = most,
                                                .workers = static_cast<int>(std::thread::hardware_concurrency()),
                                                .only = faults});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{:<18}{:>8}{:>10}{:>10}{:>10.0f}\n", scenario.name, result.tried, result.reached,
               result.findings.size(), seconds.count());
    for (const Finding& finding : result.findings) {
      fmt::print("  {}\n", finding.fault.text());
      for (const std::string& problem : finding.problems) fmt::print("    {}\n", problem);
    }
    std::fflush(stdout);
    tried += result.tried;
    failed += std::ssize(result.findings);
  }
  fs::remove_all(work);
  fmt::print("faults: {} faults tried, {} failed\n", tried, failed);
  if (failed > 0)
    fmt::print("faults: the files of the first failed trials of each command are in {}\n", evidence.string());
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace dragoman::faults

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: faults EVIDENCE [SCENARIO...] [FAULT...] [most=N]\n", stderr);
    return 2;
  }
  try {
    return dragoman::faults::run_all(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "faults: {}\n", error.what());
    return 1;
  }
}
