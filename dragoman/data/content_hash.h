// The hashes of files' contents, remembered from run to run so that a file that has not changed is not read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dragoman::data {

class ContentHashes {
 public:
  // Reads what was remembered in the file `memory`, if there is one; lines that cannot be read are left out.
  explicit ContentHashes(std::filesystem::path memory);

  // Throws an Error if the file cannot be read, and a UsageError if it is something else than a file: a pipe could not
  // be read again.
  std::string of(const std::string& path);

  // Keeps the hashes that were asked for; writes nothing if they are those that were remembered.
  void save() const;

 private:
  // A file whose size and time of last change are the same has the same contents, as for make and git.
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

  std::filesystem::path memory_;
  std::map<std::string, Entry> remembered_, asked_;  // by absolute path
};

}  // namespace dragoman::data
