// Reading and writing files. A file that replace_file(), FileReplacement or replace_whole() replaces has either its old
// content or all of the new content, never a part of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/error.h"

namespace dragoman {

// A file could be read, but its bytes are not those that were written, or a file is missing from a set of files. A file
// that could not be read may still be intact, so that is a plain Error.
struct DamagedFile : Error {
  using Error::Error;
};

// Calls f, which interprets bytes that were already read, and returns its result. An Error from f becomes a
// DamagedFile.
template <class F>
auto errors_as_damage(const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw DamagedFile(error.what());
  }
}

// Prints the reason in errno in brackets and in lower case, such as "(no such file or directory)". It reads errno only
// when the message is formatted, so that one require() expression can make the system call and name the reason.
struct SystemReason {};
inline SystemReason system_reason() { return {}; }
std::ostream& operator<<(std::ostream& out, SystemReason reason);

// Prints the path in quotes as the user knows it: without the endings of temporary names (unfinished_path() and
// make_new_directory()).
struct FinalName {
  const std::filesystem::path& path;
};
inline FinalName final_name(const std::filesystem::path& path) { return {path}; }
std::ostream& operator<<(std::ostream& out, const FinalName& name);

inline constexpr std::filesystem::perms kNewFilePermissions{0644};  // less the umask

// Calls open() with these flags, and again if a signal interrupts it. Returns -1 on failure.
int open_file(const std::filesystem::path& path, int flags, std::filesystem::perms of_new_file = kNewFilePermissions);

// The status of the file that the path names, with links followed; file_type::not_found if there is none. Throws an
// Error if the system cannot tell; `purpose` is for its message: "cannot read ...".
std::filesystem::file_status status_of(const std::filesystem::path& path, std::string_view purpose = "read");

// Reads the whole file. Throws an Error if it cannot be read or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

// Passes the file's bytes to `take`, a block at a time: for files that may be larger than memory. Throws an Error if
// the file cannot be read.
void read_blocks(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

// Writes a file through a buffer and flushes it to the disk in finish(). Throws an Error that names the file if the
// disk is full or fails.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path, std::filesystem::perms of_new_file = kNewFilePermissions);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Until this returns, the file may be incomplete.
  void finish();

  // Writes to a device or a pipe, which exists already.
  static FileWriter to_device(const std::filesystem::path& path);

 private:
  FileWriter(const std::filesystem::path& path, int file);
  void flush();

  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;
};

// Appends lines to a file and creates it if necessary. A line is given with its line end and written in one piece, so
// that somebody who reads the file meanwhile or after a crash finds complete lines, except perhaps the last.
class FileAppender {
 public:
  explicit FileAppender(const std::filesystem::path& path);
  ~FileAppender();
  FileAppender(const FileAppender&) = delete;
  FileAppender& operator=(const FileAppender&) = delete;

  // Throws an Error that names the file if the disk is full or fails.
  void append(std::string_view line);
  // Flushes the lines to the disk.
  void flush();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

// Replaces the content of a file by lines. Each is given with its line end and written as soon as it is added. The
// constructor opens the file, so that a wrong name is noticed early, but the file keeps its old content until the first
// add() or finish(). A new file that got neither is removed. The path may also name a device or a pipe.
class LineFile {
 public:
  explicit LineFile(const std::filesystem::path& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Both throw an Error that names the file if the disk is full or fails.
  void add(std::string_view line);
  void finish();

 private:
  void begin();

  std::filesystem::path path_;
  int file_ = -1;
  bool is_new_ = false, begun_ = false;
};

// Calls `write` to create the file or directory unfinished_path(path), renames it to `path`, and flushes the directory
// that holds it. If anything fails, the new file or directory is removed, and the old one stays. One exception: if the
// rename of a directory fails, the old one is gone too, because it was removed before the rename.
void replace_whole(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

// Replaces the content of a file by what is written, as a whole: the text goes to unfinished_path(name), which finish()
// flushes and renames. Without finish(), or if anything fails, the old file stays and the unfinished one is removed.
// The new file has the permissions of the old one. A link stays a link and its target is replaced. A device or a pipe
// is written to directly.
class FileReplacement {
 public:
  // Throws a UsageError for a directory.
  explicit FileReplacement(const std::filesystem::path& name);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::string_view text) { file_.write(text); }
  void finish();
  // The file that a replacement of `name` writes until finish() renames it; nothing for a device or a pipe.
  static std::optional<std::filesystem::path> unfinished_file(const std::filesystem::path& name);

 private:
  struct Target {
    std::filesystem::path path;                         // with links followed
    std::optional<std::filesystem::perms> permissions;  // of the file that is there, if there is one
    bool is_device = false;
  };
  static Target target_of(const std::filesystem::path& name);
  static FileWriter writer_of(const Target& target);

  Target target_;
  FileWriter file_;
  bool is_finished_ = false;
};

// Replaces the content of the file by `text`, with a FileReplacement.
void replace_file(const std::filesystem::path& name, std::string_view text);

// Renames a finished file or directory and flushes the directory that holds it. Whatever had the new name is replaced,
// but a file never replaces a directory: that throws an Error. A directory is not replaced in one step: the old one is
// removed before the rename.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
// Removes a file if it exists. Throws an Error if it cannot be removed.
void remove_file(const std::filesystem::path& path);
// Flushes the entries of a directory to the disk.
void flush_directory(const std::filesystem::path& directory);

// The temporary name, beside `path`, of a file that is still being written. A run that is killed leaves files with such
// names behind; is_unfinished() recognizes them.
std::filesystem::path unfinished_path(const std::filesystem::path& path);
bool is_unfinished(const std::filesystem::path& path);
// Removes the file or directory unfinished_path(path), to free its disk space after a failure.
void remove_unfinished(const std::filesystem::path& path);

// The sorted paths of a directory's entries; empty if there is no such directory. Throws an Error if it cannot be read.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);

// Locks a directory, so that one process at a time works in it. Creates it if necessary. Throws an Error if another
// process holds the lock.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_ = -1;
};

// Creates the directory and its parents, and flushes their entries to the disk. Throws an Error if that fails.
void make_directory(const std::filesystem::path& path);

}  // namespace dragoman
