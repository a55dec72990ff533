// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace dragoman {

// "(no such file or directory)" and the like: the reason in errno, in brackets and in lower case.
std::string system_reason();

// The whole file. Throws an Error if it cannot be read or is larger than `limit`.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

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

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

// Puts `text` in the place of what the file held: written aside, flushed, renamed. At any failure the old file stays.
// A link stays a link, a device or pipe is written to, and a directory is refused with a UsageError.
void replace_file(const std::filesystem::path& name, std::string_view text);

// Renames a finished file or directory and flushes the directory that holds it. What had the new name is gone; but
// throws an Error if a file were to take the place of a directory.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
// Flushes the names in a directory to the disk.
void flush_directory(const std::filesystem::path& directory);

// A name beside `path` for what is not finished yet; remnants of a killed run have such names.
std::filesystem::path aside(const std::filesystem::path& path);
bool is_aside(const std::filesystem::path& path);
// Removes what aside(path) names, to make room again after a failure.
void remove_unfinished(const std::filesystem::path& path);

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

// The directory and those above it. Throws an Error if it cannot be made.
void make_directory(const std::filesystem::path& path);

}  // namespace dragoman
