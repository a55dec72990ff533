#include "dragoman/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kFirstReadBytes = 1 << 14;  // most files that are read whole are small
constexpr std::string_view kAsideEnding = ".unfinished";

// A file descriptor that is closed in the end.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void flush_to_disk(int file, const std::filesystem::path& path) {
  require<Error>(::fsync(file) == 0, "cannot write '", path.string(), "' ", system_reason(), ".");
}

void write_all(int file, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    require<Error>(wrote > 0, "cannot write '", path.string(), "' ", system_reason(), ".");
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

std::string system_reason() {
  std::string reason = std::generic_category().message(errno);
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return "(" + reason + ")";
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  require<Error>(file.number >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  std::string text;
  std::size_t used = 0;
  while (true) {
    // One byte more than the limit is enough to know.
    if (used == text.size()) text.resize(std::min(std::max(kFirstReadBytes, 2 * used), limit + 1));
    const ssize_t got = ::read(file.number, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    require<Error>(got >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    require<Error>(used <= limit, "'", path.string(), "' is larger than ", limit, " bytes.");
  }
  text.resize(used);
  return text;
}

FileWriter::FileWriter(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require<Error>(file_ >= 0, "cannot write '", path.string(), "' ", system_reason(), ".");
  buffer_.reserve(kBufferBytes);
}

FileWriter::~FileWriter() {
  if (file_ >= 0) ::close(file_);
}

void FileWriter::write(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const std::size_t part = std::min(count, kBufferBytes - buffer_.size());
    buffer_.append(next, part);
    next += part;
    count -= part;
    if (buffer_.size() == kBufferBytes) flush();
  }
}

void FileWriter::flush() {
  write_all(file_, buffer_, path_);
  buffer_.clear();
}

void FileWriter::finish() {
  flush();
  flush_to_disk(file_, path_);
  const int closed = ::close(file_);
  file_ = -1;
  require<Error>(closed == 0, "cannot write '", path_.string(), "' ", system_reason(), ".");
}

FileAppender::FileAppender(const std::filesystem::path& path) : path_(path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  require<Error>(file_ >= 0, "cannot write '", path.string(), "' ", system_reason(), ".");
}

FileAppender::~FileAppender() { ::close(file_); }

void FileAppender::append(std::string_view line) { write_all(file_, line, path_); }

void replace_file(const std::filesystem::path& name, std::string_view text) {
  std::error_code ignored;
  const bool linked = std::filesystem::is_symlink(name, ignored) && std::filesystem::exists(name, ignored);
  const std::filesystem::path path = linked ? std::filesystem::canonical(name) : name;
  require<UsageError>(!std::filesystem::is_directory(path, ignored), "'", name.string(),
                      "' is a directory; name a file.");
  if (std::filesystem::is_other(path, ignored)) {  // a device or a pipe: nothing that could be replaced
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    require<Error>(file.number >= 0, "cannot write '", name.string(), "' ", system_reason(), ".");
    return write_all(file.number, text, path);
  }
  const std::filesystem::path beside = aside(path);
  try {
    FileWriter file(beside);
    file.write(text);
    file.finish();
  } catch (const Error&) {
    remove_unfinished(path);
    throw;
  }
  rename_durably(beside, path);
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code problem;
  // A directory may take the place of a directory; a file never does.
  if (std::filesystem::is_directory(from, problem) && std::filesystem::is_directory(to, problem)) {
    std::filesystem::remove_all(to, problem);
  }
  require<Error>(::rename(from.c_str(), to.c_str()) == 0, "cannot give '", from.string(), "' the name '", to.string(),
                 "' ", system_reason(), ".");
  flush_directory(to.parent_path().empty() ? "." : to.parent_path());
}

void flush_directory(const std::filesystem::path& directory) {
  const Descriptor file{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  require<Error>(file.number >= 0, "cannot open the directory '", directory.string(), "' ", system_reason(), ".");
  flush_to_disk(file.number, directory);
}

std::filesystem::path aside(const std::filesystem::path& path) { return path.string() + std::string(kAsideEnding); }

void remove_unfinished(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(aside(path), ignored);
}

bool is_aside(const std::filesystem::path& path) { return path.string().ends_with(kAsideEnding); }

// The system takes the lock back when the process ends, however it ends.
DirectoryLock::DirectoryLock(const std::filesystem::path& directory) {
  make_directory(directory);
  file_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot open the directory '", directory.string(), "' ", system_reason(), ".");
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw Error(join("another process is working in '", directory.string(), "'."));
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

void make_directory(const std::filesystem::path& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  errno = problem ? problem.value() : ENOTDIR;
  require<Error>(std::filesystem::is_directory(path, problem), "cannot make the directory '", path.string(), "' ",
                 system_reason(), ".");
}

}  // namespace dragoman
