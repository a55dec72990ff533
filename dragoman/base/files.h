// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/error.h"

namespace dragoman {

// A file whose bytes were read and are not those that were written, or that is missing from a set of files. A file that
// could not be read may be whole: that is a plain Error.
struct DamagedFile : Error {
  using Error::Error;
};

// What f makes of bytes that were read before: an Error that it throws becomes a DamagedFile.
template <class F>
auto complaints_as_damage(const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw DamagedFile(error.what());
  }
}

// "(no such file or directory)" and the like: the reason in errno, in brackets and in lower case. Errno is looked at
// when the text is written, so that require() may make the system call and name its reason in one expression.
struct SystemReason {};
inline SystemReason system_reason() { return {}; }
std::ostream& operator<<(std::ostream& out, SystemReason reason);

// open() with these flags, again if a signal comes in between; -1 at a failure.
int open_file(const std::filesystem::path& path, int flags);

// What has this name, links followed; file_type::not_found if nothing has. Throws an Error if the system does not say.
std::filesystem::file_status status_of(const std::filesystem::path& path);

// The whole file. Throws an Error if it cannot be read or is larger than `limit`.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

// The file's bytes, some at a time: for files that may be larger than memory. Throws an Error if it cannot be read.
void read_blocks(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

// Writes a file byte by byte and flushes it to the disk in finish(). Throws an Error that names the file when the disk
// is full or fails.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Nothing is promised about the file before this returns.
  void finish();

 private:
  void flush();

  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;
};

// Adds whole lines to the end of a file, which is made if it is not there. Each goes to the system in one piece, so
// that whoever reads along, or comes after a crash, finds whole lines but perhaps for the last.
class FileAppender {
 public:
  explicit FileAppender(const std::filesystem::path& path);
  ~FileAppender();
  FileAppender(const FileAppender&) = delete;
  FileAppender& operator=(const FileAppender&) = delete;

  // Throws an Error that names the file when the disk is full or fails.
  void append(std::string_view line);
  // Flushes the lines to the disk.
  void flush();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

// Lines that take the place of what a file held, each written as it comes. The file is opened at once, so that a wrong
// name is noticed early, but keeps what it held until there is a first line, or finish() says that there is none.
// Devices and pipes are written to.
class LineFile {
 public:
  explicit LineFile(const std::filesystem::path& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Both throw an Error that names the file when the disk is full or fails.
  void add(std::string_view line);
  void finish();

 private:
  void begin();

  std::filesystem::path path_;
  int file_ = -1;
  bool is_new_ = false, begun_ = false;
};

// Lets `write` make the file or directory aside(path), then gives it its name, and flushes the directory that holds it.
// At any failure what had the name stays, and what was written is removed.
void replace_whole(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write);

// Puts `text` in the place of what the file held: written aside, flushed, renamed. At any failure the old file stays.
// A link stays a link, a device or pipe is written to, and a directory is refused with a UsageError.
void replace_file(const std::filesystem::path& name, std::string_view text);

// Renames a finished file or directory and flushes the directory that holds it. What had the new name is gone; but
// throws an Error if a file were to take the place of a directory.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
// Removes a file; there need not be one. Throws an Error if it is still there.
void remove_file(const std::filesystem::path& path);
// Flushes the names in a directory to the disk.
void flush_directory(const std::filesystem::path& directory);

// A name beside `path` for what is not finished yet; remnants of a killed run have such names.
std::filesystem::path aside(const std::filesystem::path& path);
bool is_aside(const std::filesystem::path& path);
// Removes what aside(path) names, to make room again after a failure.
void remove_unfinished(const std::filesystem::path& path);

// Paths of what a directory holds, sorted; none if there is no such directory. Throws an Error if it cannot be read.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);

// A directory that one process works in at a time; made if it is not there. Throws an Error if another one has it.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_ = -1;
};

// Makes the directory and those above it, and flushes their names to the disk. Throws an Error if it cannot be made.
void make_directory(const std::filesystem::path& path);

}  // namespace dragoman
