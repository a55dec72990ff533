#include "tests/faults/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEvidence = 100;  // most directories kept for a scenario

std::vector<Fault> sampled(const std::vector<Fault>& faults, long sample) {
  if (sample <= 0 || sample >= std::ssize(faults)) return faults;
  std::vector<Fault> some;
  for (long i = 0; i < sample; ++i) some.push_back(faults[static_cast<std::size_t>(i * std::ssize(faults) / sample)]);
  return some;
}

void keep_evidence(const fs::path& work, const fs::path& evidence, const Scenario& scenario, const Finding& finding) {
  const fs::path place = evidence / (scenario.name + "-" + finding.fault.text());
  fs::remove_all(place);
  fs::create_directories(evidence);
  fs::copy(work, place, fs::copy_options::recursive);
  std::ofstream problems(place / "problems.txt");
  problems << "dragoman " << scenario.verb << scenario.flags << "\nDRAGOMAN_FAULT=" << finding.fault.text() << "\n";
  for (const std::string& problem : finding.problems) problems << problem << "\n";
}

}  // namespace

fs::path trial_directory() {
  const fs::path memory = "/dev/shm";
  const bool usable = ::access(memory.c_str(), W_OK | X_OK) == 0;
  return (usable ? memory : fs::temp_directory_path()) / ("dragoman-faults-" + std::to_string(::getpid()));
}

SweepResult sweep(const Scenario& scenario, const SweepOptions& options) {
  const Reference reference = reference_of(scenario, options.prepared, options.work / scenario.name);
  std::vector<Fault> faults = sampled(faults_for(reference, options.most), options.sample);
  if (!options.only.empty()) {
    faults = faults_for(reference, std::numeric_limits<long>::max());
    std::erase_if(faults, [&](const Fault& fault) { return std::ranges::count(options.only, fault.text()) == 0; });
  }
  SweepResult result{.tried = std::ssize(faults)};
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto worker = [&](int number) {
    const fs::path work = options.work / (scenario.name + "-" + std::to_string(number));
    for (std::size_t i = 0; (i = next++) < faults.size();) {
      Verdict verdict;
      try {
        verdict = try_fault(scenario, reference, faults[i], options.prepared, work);
      } catch (const std::exception& error) {
        verdict.problems.push_back(std::string("the trial itself failed: ") + error.what());
      }
      const std::lock_guard lock(mutex);
      result.reached += verdict.reached ? 1 : 0;
      if (verdict.problems.empty()) continue;
      result.findings.push_back({faults[i], verdict.problems});
      if (!options.evidence.empty() && result.findings.size() <= kMaxEvidence) {
        keep_evidence(work, options.evidence, scenario, result.findings.back());
      }
    }
    fs::remove_all(work);
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < options.workers; ++i) workers.emplace_back(worker, i);
  worker(0);
  for (std::thread& thread : workers) thread.join();
  fs::remove_all(options.work / scenario.name);
  return result;
}

}  // namespace dragoman::faults
