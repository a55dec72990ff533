// Creates a directory so that it appears with all of its files or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace dragoman {

// Calls `write` with a temporary directory, flushes it, and renames it to `to`. `to` must be new or empty, and stays so
// until the rename. If anything fails or a signal ends the program, nothing is left behind. A link to an empty
// directory stays a link. Throws a UsageError if `to` exists and is not an empty directory, is the current directory,
// or is a mount point. Throws an Error if another process has locked it (DirectoryLock) or is creating it too.
void make_new_directory(const std::filesystem::path& to,
                        const std::function<void(const std::filesystem::path&)>& write);

// Removes a new directory with everything in it if an exception destroys this object or a signal ends the program
// meanwhile. The caller must know that no other process has written to it. Has no effect if `is_new` is false.
class RemovedIfFailed {
 public:
  RemovedIfFailed(std::filesystem::path directory, bool is_new);
  ~RemovedIfFailed();
  RemovedIfFailed(const RemovedIfFailed&) = delete;
  RemovedIfFailed& operator=(const RemovedIfFailed&) = delete;

 private:
  std::filesystem::path directory_;
  bool is_new_;
  int exceptions_;
};

}  // namespace dragoman
