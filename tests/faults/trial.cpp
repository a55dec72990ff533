#include "tests/faults/trial.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/train/checkpoint.h"
#include "tests/faults/process.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput = "stdout.txt";

std::string contents_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A scenario in its own directory.
class Trial {
 public:
  Trial(const Scenario& scenario, const fs::path& prepared, const fs::path& work)
      : scenario_(scenario), work_(work), directory_(work / "directory") {
    fs::remove_all(work);
    fs::create_directories(directory_);
    for (const std::string& name : scenario.needs) {
      fs::copy(prepared / name, directory_ / name, fs::copy_options::recursive);
    }
  }

  // `fault` is in the format of DRAGOMAN_FAULT, or empty. `name` is the prefix of the files that record this run.
  Exit run(const std::string& name, const std::string& fault) {
    errors_file_ = work_ / (name + ".errors");
    report_file_ = work_ / (name + ".report");
    std::vector<std::string> environment = {"LD_PRELOAD=" DRAGOMAN_INJECT,
                                            "DRAGOMAN_FAULT_DIRECTORY=" + fs::canonical(directory_).string(),
                                            "DRAGOMAN_FAULT_REPORT=" + fs::absolute(report_file_).string()};
    if (!fault.empty()) environment.push_back("DRAGOMAN_FAULT=" + fault);
    std::vector<std::string> arguments = {DRAGOMAN_PROGRAM};
    std::istringstream words(scenario_.verb + scenario_.flags);
    for (std::string word; words >> word;) arguments.push_back(word);
    return run_process({.arguments = arguments,
                        .environment = environment,
                        .directory = directory_,
                        .input = scenario_.input.empty() ? fs::path("/dev/null") : directory_ / scenario_.input,
                        .output = directory_ / kOutput,
                        .errors = errors_file_});
  }

  Snapshot snapshot() const { return snapshot_of(directory_); }
  std::string errors() const { return contents_of(errors_file_); }
  std::string report() const { return contents_of(report_file_); }
  // Whether the fault occurred in the last run.
  bool fired() const { return report().find("fired") != std::string::npos; }
  const fs::path& directory() const { return directory_; }

 private:
  const Scenario& scenario_;
  fs::path work_, directory_, errors_file_, report_file_;
};

Snapshot without_output(Snapshot snapshot) {
  snapshot.erase(kOutput);
  return snapshot;
}

// A run that could not remove its temporary files may leave them behind; the next run removes them.
Snapshot without_remnants(Snapshot snapshot) {
  std::erase_if(snapshot, [](const auto& entry) { return entry.first.find(".unfinished") != std::string::npos; });
  return snapshot;
}

// The checks of one trial. Each adds what is wrong to `problems`.
class Checks {
 public:
  Checks(const Scenario& scenario, const Reference& reference, const Fault& fault, std::vector<std::string>& problems)
      : scenario_(scenario), reference_(reference), fault_(fault), problems_(problems) {}

  void ending(const Exit& exit, bool reached) {
    const bool was_killed = exit.signal == SIGKILL && !exit.timed_out;
    if (fault_.kills() && reached) return expect(was_killed, "it should have been killed, but: " + exit.text());
    expect(exit.status >= 0 && exit.status <= 2, exit.text());
    if (fault_.must_be_retried()) expect(exit.status == 0, "it did not try again: " + exit.text());
  }

  // The last line must be a sentence that begins with the command. Lines before it are allowed only if a run without
  // faults prints some too.
  void sentence(const std::string& errors) {
    expect(errors.ends_with("\n"), "it said nothing, or half a line");
    if (!errors.ends_with("\n")) return;
    const std::size_t before = errors.rfind('\n', errors.size() - 2);
    const std::string last = errors.substr(before == std::string::npos ? 0 : before + 1);
    // Before the command line is parsed, the program uses its own name.
    const bool is_named = last.starts_with(scenario_.verb + ": ") || last.starts_with("dragoman: ");
    const bool is_sentence = is_named && (last.ends_with(".\n") || last.ends_with("?\n"));
    expect(is_sentence, "its last line is no sentence: " + last);
    expect(!reference_.errors.empty() || before == std::string::npos, "it said more than one sentence: " + errors);
    const auto unclear = {"unexpected failure", "terminate called", "basic_string", "std::", "filesystem error"};
    const bool is_unclear =
        std::ranges::any_of(unclear, [&](const char* part) { return errors.find(part) != std::string::npos; });
    expect(!is_unclear, "it does not say what is wrong: " + last);
  }

  void same(const Snapshot& found, const Snapshot& expected, const std::string& when) {
    const std::string differs = difference(found, expected);
    expect(differs == "same", when + ": " + differs);
  }

  // Each file that existed before is unchanged, or replaced by a complete result.
  void unharmed(const fs::path& directory, const Snapshot& found) {
    for (const auto& [name, before] : reference_.before) {
      if (!scenario_.training.empty() && name.starts_with(scenario_.training)) continue;  // training() checks it
      const auto now = found.find(name), after = reference_.after.find(name);
      const bool is_old = now != found.end() && now->second == before;
      const bool is_new = now != found.end() && after != reference_.after.end() && now->second == after->second;
      const bool is_beginning = is_beginning_of_new(name, found);
      expect(is_old || is_new || is_beginning, name + " is neither the old file nor the new one");
    }
    if (!scenario_.whole.empty()) whole_directory(found);
    if (!scenario_.training.empty()) training(directory / scenario_.training);
    if (scenario_.prints_lines && found.contains(kOutput)) {
      expect(reference_.after.at(kOutput).starts_with(found.at(kOutput)),
             "what it printed is not the beginning of the result");
    }
  }

  void expect(bool holds, const std::string& problem) {
    if (!holds) problems_.push_back(problem);
  }

 private:
  void whole_directory(const Snapshot& found) {
    const std::string& name = scenario_.whole;
    const auto part = [&](const Snapshot& all) {
      Snapshot those;
      for (const auto& [path, contents] : all) {
        if (path.starts_with(name + "/")) those.emplace(path, contents);
      }
      return those;
    };
    const Snapshot there = part(found);
    expect(there.empty() || there == part(reference_.after),
           "'" + name + "' is incomplete: " + difference(there, part(reference_.after)));
  }

  // Everything with the name of a checkpoint is a valid one, and if there was one before, one is left. Published
  // weights are complete.
  void training(const fs::path& model) {
    if (!fs::exists(model)) return expect(!had_checkpoint(), "the run's directory is gone");
    int good = 0;
    for (const train::Checkpoint& checkpoint : train::list_checkpoints(model)) {
      try {
        train::read_state(checkpoint);
        ++good;
      } catch (const Error& error) {
        expect(false, error.what());
      }
    }
    expect(good > 0 || !had_checkpoint(), "no checkpoint is left");
    for (const fs::path& weights : {model / "model.safetensors", model / "checkpoints" / "best.safetensors"}) {
      if (!fs::exists(weights)) continue;
      try {
        const model::SafetensorsFile whole(weights);
      } catch (const Error& error) {
        expect(false, error.what());
      }
    }
    for (const auto& [name, contents] : snapshot_of(model)) {
      expect(name.find(".damaged") == std::string::npos, name + " was renamed, but is not damaged");
    }
  }

  // For a file that is written line by line. It must have at least one line, unless writing that line was what failed.
  bool is_beginning_of_new(const std::string& name, const Snapshot& found) const {
    if (name != scenario_.streamed || !found.contains(name)) return false;
    const bool may_be_empty = fault_.kind == "write" || fault_.kind == "truncate";
    return reference_.after.at(name).starts_with(found.at(name)) && (may_be_empty || !found.at(name).empty());
  }

  bool had_checkpoint() const {
    return std::ranges::any_of(reference_.before, [](const auto& entry) {
      return entry.first.find("/checkpoints/step-") != std::string::npos;
    });
  }

  const Scenario& scenario_;
  const Reference& reference_;
  const Fault& fault_;
  std::vector<std::string>& problems_;
};

}  // namespace

Reference reference_of(const Scenario& scenario, const fs::path& prepared, const fs::path& work) {
  Reference reference;
  for (const bool first : {true, false}) {
    Trial trial(scenario, prepared, work);
    reference.before = trial.snapshot();
    const Exit exit = trial.run("clean", "");
    if (exit.status != 0) {
      throw std::runtime_error(scenario.name + " fails without a fault: " + exit.text() + ": " + trial.errors());
    }
    const Snapshot after = trial.snapshot();
    if (!first && after != reference.after) {
      throw std::runtime_error(scenario.name +
                               " gives other results the second time: " + difference(after, reference.after));
    }
    reference.after = after;
    reference.errors = trial.errors();
    std::istringstream report(trial.report());
    for (std::string count, kind; report >> count >> kind >> reference.calls[kind];) continue;
  }
  return reference;
}

std::vector<Fault> faults_for(const Reference& reference, long most) {
  std::vector<Fault> faults;
  for (const FaultsOfKind& kind : all_faults()) {
    const auto found = reference.calls.find(kind.kind);
    const long calls = found == reference.calls.end() ? 0 : found->second;
    const long points = std::min(calls, most);
    for (const std::string& what : kind.what) {
      const bool and_after = what.ends_with('+');
      for (long i = 0; i < points; ++i) {
        faults.push_back(
            {kind.kind, 1 + i * calls / points, what.substr(0, what.size() - (and_after ? 1 : 0)), and_after});
      }
    }
  }
  return faults;
}

Verdict try_fault(const Scenario& scenario, const Reference& reference, const Fault& fault, const fs::path& prepared,
                  const fs::path& work) {
  Verdict verdict;
  Checks checks(scenario, reference, fault, verdict.problems);
  Trial trial(scenario, prepared, work);
  const Exit exit = trial.run("faulty", fault.text());
  verdict.reached = trial.fired();
  checks.ending(exit, verdict.reached);
  Snapshot found = trial.snapshot();
  if (exit.status == 0) checks.same(without_remnants(found), reference.after, "status 0");
  if (exit.status > 0) checks.sentence(trial.errors());
  checks.unharmed(trial.directory(), found);

  // A training run that was killed is killed once more, now at another place.
  if (!scenario.training.empty() && exit.signal == SIGKILL) {
    const Exit second = trial.run("second", fault.text());
    checks.ending(second, trial.fired());
    found = trial.snapshot();
    checks.unharmed(trial.directory(), found);
  }
  const bool was_done = without_output(found) == without_output(reference.after);
  const Exit again = trial.run("again", "");
  // The output directory of a copy must be new, so a complete copy may be refused the second time.
  const bool refused = !scenario.whole.empty() && was_done && again.status == 2;
  checks.expect(again.status == 0 || refused, "without the fault: " + again.text() + ": " + trial.errors());
  const Snapshot in_the_end = trial.snapshot();
  if (refused) {
    checks.same(without_output(in_the_end), without_output(reference.after), "in the end");
  } else {
    checks.same(in_the_end, reference.after, "in the end");
  }
  return verdict;
}

}  // namespace dragoman::faults
