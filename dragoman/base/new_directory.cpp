#include "dragoman/base/new_directory.h"

#include <fcntl.h>
#include <stdio.h>  // NOLINT: renameat2 is not in <cstdio>
#include <sys/stat.h>

#include <cerrno>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "dragoman/base/ending_signals.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// The absolute path without links, dots and a trailing slash: the name that the finished directory gets.
fs::path final_path(const fs::path& path) {
  std::error_code problem;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), problem);
  errno = problem.value();
  require<Error>(!problem, "cannot write '", path.string(), "' ", system_reason(), ".");
  return place.has_filename() ? place : place.parent_path();
}

[[noreturn]] void throw_already_exists(const fs::path& path) {
  throw UsageError(join("'", path.string(), "' already exists; name a directory that is new or empty."));
}

// Throws if anything but an empty directory exists at the final path `place`. Messages name `path`, as the user wrote
// it.
void require_new_or_empty(const fs::path& place, const fs::path& path) {
  std::error_code problem;
  const fs::file_status found = fs::symlink_status(place, problem);
  errno = problem.value();
  require<Error>(fs::status_known(found), "cannot write '", path.string(), "' ", system_reason(), ".");
  if (fs::exists(found) && !(fs::is_directory(found) && list_directory(place).empty())) throw_already_exists(path);
}

// Renames the finished directory `from` to `to`. Returns false, with the reason in errno, if that fails, for example
// because something else has that name by now. With to_is_empty, `to` is an empty directory, which is replaced.
bool rename_unless_taken(const fs::path& from, const fs::path& to, bool to_is_empty) {
  if (to_is_empty) return ::rename(from.c_str(), to.c_str()) == 0;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  const bool unsupported = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;  // the file system lacks the call
  return unsupported && ::rename(from.c_str(), to.c_str()) == 0;
}

void move_to_final_path(const fs::path& from, const fs::path& to, bool to_is_empty) {
  std::error_code ignored;
  if (to_is_empty) fs::permissions(from, fs::status(to, ignored).permissions(), ignored);
  if (rename_unless_taken(from, to, to_is_empty)) return flush_directory(to.parent_path());
  if (errno == EEXIST || errno == ENOTEMPTY) throw_already_exists(to);
  throw Error(join("cannot write ", final_name(to), " ", system_reason(), "."));
}

// Throws if the empty directory `place` cannot be replaced by a rename. The system refuses that for a mount point. For
// the current directory it would leave the process in a directory without a name. Messages name `path`.
void require_replaceable(const fs::path& place, const fs::path& path) {
  struct stat given {};
  struct stat other {};
  if (::stat(place.c_str(), &given) != 0) return;
  const bool current = ::stat(".", &other) == 0 && other.st_dev == given.st_dev && other.st_ino == given.st_ino;
  require<UsageError>(!current, "'", path.string(), "' is the current directory; name a new one inside it.");
  const bool mounted = ::stat(place.parent_path().c_str(), &other) == 0 && other.st_dev != given.st_dev;
  require<UsageError>(!mounted, "'", path.string(), "' is a mount point; name a new directory inside it.");
}

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kRandomLetters = 6;

// Creates a directory beside the final path, with a random name that is not in use, which a signal removes.
fs::path make_temporary_beside(const fs::path& place) {
  std::random_device random;
  make_directory(place.parent_path());
  while (true) {
    std::string name = unfinished_path(place).string() + "-";
    for (std::size_t i = 0; i < kRandomLetters; ++i) name += kLetters[random() % kLetters.size()];
    const SignalsHeld signals;  // in between
    if (::mkdir(name.c_str(), 0777) == 0) {
      remove_by_signal(name);
      return name;
    }
    require<Error>(errno == EEXIST, "cannot make the directory ", final_name(place), " ", system_reason(), ".");
  }
}

// Removes directories that killed processes left beside the final path. Throws an Error if a process still works in
// one of them.
void remove_leftovers_beside(const fs::path& place) {
  const std::string begin = unfinished_path(place).filename().string() + "-";
  for (const fs::path& path : list_directory(place.parent_path())) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    const bool ours = name.starts_with(begin) && name.size() == begin.size() + kRandomLetters &&
                      name.find_first_not_of(kLetters, begin.size()) == std::string::npos &&
                      fs::is_directory(fs::symlink_status(path, ignored));
    if (!ours) continue;
    const DirectoryLock lock(path);
    fs::remove_all(path, ignored);
  }
}

}  // namespace

void make_new_directory(const fs::path& to, const std::function<void(const fs::path&)>& write) {
  const fs::path place = final_path(to);
  require_new_or_empty(place, to);
  require_replaceable(place, to);
  std::optional<DirectoryLock> empty_lock;
  if (fs::exists(status_of(place))) empty_lock.emplace(place);
  remove_leftovers_beside(place);
  const fs::path unfinished = make_temporary_beside(place);
  try {
    const DirectoryLock lock(unfinished);
    write(unfinished);
    flush_directory(unfinished);
    move_to_final_path(unfinished, place, empty_lock.has_value());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    keep_by_signal(unfinished);
    throw;
  }
  keep_by_signal(unfinished);
}

RemovedIfFailed::RemovedIfFailed(fs::path directory, bool is_new)
    : directory_(std::move(directory)), is_new_(is_new), exceptions_(std::uncaught_exceptions()) {
  if (is_new_) remove_by_signal(directory_);
}

RemovedIfFailed::~RemovedIfFailed() {
  if (!is_new_) return;
  std::error_code ignored;
  if (std::uncaught_exceptions() != exceptions_) fs::remove_all(directory_, ignored);
  keep_by_signal(directory_);
}

}  // namespace dragoman
