// The commands that are run with faults, and the files that they need.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace dragoman::faults {

struct Scenario {
  std::string name;
  std::string verb;                     // as it appears in error messages, e.g. "tokenizer train"
  std::string flags;                    // with paths relative to the working directory
  std::string input = {};               // file for standard input
  std::vector<std::string> needs = {};  // files and directories that exist beforehand
  // For training: the run's directory. A run that was killed resumes from its last checkpoint.
  std::string training = {};
  // A directory that must be absent, empty or complete, whatever happens.
  std::string whole = {};
  // A file that is written line by line: after a failure it may hold the beginning of the new contents.
  std::string streamed = {};
  // Prints a line for each line of its input: what it printed before a failure is the beginning of the result.
  bool prints_lines = false;
};
// The name that GoogleTest shows.
inline std::ostream& operator<<(std::ostream& out, const Scenario& scenario) { return out << scenario.name; }

const std::vector<Scenario>& scenarios();

// Makes all files that scenarios need. Throws a std::runtime_error if a command fails.
void prepare(const std::filesystem::path& directory);

}  // namespace dragoman::faults
