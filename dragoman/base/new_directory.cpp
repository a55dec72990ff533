#include "dragoman/base/new_directory.h"

#include <fcntl.h>
#include <stdio.h>  // NOLINT: renameat2 is not in <cstdio>

#include <cerrno>
#include <optional>
#include <system_error>

#include "dragoman/base/files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// The path without links, dots and a slash at its end: the place whose name the finished directory gets.
fs::path place_of(const fs::path& path) {
  std::error_code problem;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), problem);
  errno = problem.value();
  require<Error>(!problem, "cannot write '", path.string(), "' ", system_reason(), ".");
  return place.has_filename() ? place : place.parent_path();
}

[[noreturn]] void refuse(const fs::path& path) {
  throw UsageError(join("'", path.string(), "' is there already; name a directory that is new or empty."));
}

void require_free(const fs::path& place, const fs::path& path) {
  std::error_code problem;
  const fs::file_status found = fs::symlink_status(place, problem);
  errno = problem.value();
  require<Error>(fs::status_known(found), "cannot write '", path.string(), "' ", system_reason(), ".");
  if (fs::exists(found) && !(fs::is_directory(found) && list_directory(place).empty())) refuse(path);
}

// Gives the finished directory its name, unless anything has it by now; an empty directory may.
bool rename_to_free(const fs::path& from, const fs::path& to, bool to_is_empty) {
  if (to_is_empty) return ::rename(from.c_str(), to.c_str()) == 0;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  const bool unknown = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;  // to this file system
  return unknown && ::rename(from.c_str(), to.c_str()) == 0;
}

void give_name(const fs::path& from, const fs::path& to, bool to_is_empty) {
  std::error_code none;
  if (to_is_empty) fs::permissions(from, fs::status(to, none).permissions(), none);
  if (rename_to_free(from, to, to_is_empty)) return flush_directory(to.parent_path());
  if (errno == EEXIST || errno == ENOTEMPTY) refuse(to);
  throw Error(join("cannot give '", from.string(), "' the name '", to.string(), "' ", system_reason(), "."));
}

}  // namespace

void make_new_directory(const fs::path& to, const std::function<void(const fs::path&)>& write) {
  const fs::path place = place_of(to), unfinished = aside(place);
  require_free(place, to);
  std::optional<DirectoryLock> empty;
  if (fs::exists(status_of(place))) empty.emplace(place);
  const DirectoryLock lock(unfinished);
  require_free(place, to);  // now that no other process that does the same can come in between
  std::error_code none;
  for (const fs::path& remnant : list_directory(unfinished)) fs::remove_all(remnant, none);  // of a killed run
  try {
    write(unfinished);
    flush_directory(unfinished);
    give_name(unfinished, place, empty.has_value());
  } catch (...) {
    remove_unfinished(place);
    throw;
  }
}

}  // namespace dragoman
