// Computes hashes of files' contents and remembers them from run to run, so that an unchanged file is not read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dragoman::data {

class ContentHashes {
 public:
  // Reads the hashes that an earlier run saved in `hashes_file`, if it exists; malformed lines are skipped.
  explicit ContentHashes(std::filesystem::path hashes_file);

  // Throws an Error if the file cannot be read, and a UsageError if it is not a regular file: a pipe cannot be read
  // again.
  std::string of(const std::string& path);

  // Writes the hashes that were asked for, unless they are the same as those remembered.
  void save() const;

 private:
  // A file with the same size and time of last change is assumed to have the same contents, as make and git do.
  struct State {
    std::int64_t size = 0, changed = 0;  // bytes; nanoseconds since 1970
    bool operator==(const State&) const = default;
  };
  struct Entry {
    State state;
    std::string hash;
    bool operator==(const Entry&) const = default;
  };
  static State state_of(const std::string& path);

  std::filesystem::path hashes_file_;
  std::map<std::string, Entry> remembered_, asked_;  // by absolute path
};

}  // namespace dragoman::data
