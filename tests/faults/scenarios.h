// The commands that are run with faults, and the files that they start from.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace dragoman::faults {

struct Scenario {
  std::string name;
  std::string verb;                     // as errors name it, e.g. "tokenizer train"
  std::string flags;                    // with names relative to the directory that it runs in
  std::string input = {};               // file for standard input
  std::vector<std::string> needs = {};  // files and directories that are there beforehand
  // The run's directory, for training: a run that was killed goes on from its last checkpoint.
  std::string training = {};
  // A directory that must be absent, empty or complete, whatever happens.
  std::string whole = {};
  // A file that grows line by line: after a failure it may be the beginning of the new one.
  std::string streamed = {};
  // Prints a line for each line of its input: what was printed before a failure is the beginning of the result.
  bool prints_lines = false;
};
// As GoogleTest names it.
inline std::ostream& operator<<(std::ostream& out, const Scenario& scenario) { return out << scenario.name; }

const std::vector<Scenario>& scenarios();

// Makes everything that scenarios need. Throws a std::runtime_error if a command fails.
void prepare(const std::filesystem::path& directory);

}  // namespace dragoman::faults
