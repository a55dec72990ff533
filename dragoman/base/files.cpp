#include "dragoman/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <system_error>
#include <utility>

#include "dragoman/base/ending_signals.h"
#include "dragoman/base/strings.h"

namespace dragoman {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kFirstReadBytes = 1 << 14;  // most files that are read whole are small
constexpr std::string_view kUnfinishedEnding = ".unfinished";
// Closes the file descriptor at the end of the scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

// Repeats a system call while signals interrupt it.
template <class Call>
int retry_if_interrupted(const Call& call) {
  while (true) {
    const int result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Pipes and most devices cannot be flushed and do not need it: EINVAL and ENOTSUP are no failure.
void flush_to_disk(int file, const std::filesystem::path& path) {
  require<Error>(retry_if_interrupted([&] { return ::fsync(file); }) == 0 || errno == EINVAL || errno == ENOTSUP,
                 "cannot write ", final_name(path), " ", system_reason(), ".");
}

void write_all(int file, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    require<Error>(wrote > 0, "cannot write ", final_name(path), " ", system_reason(), ".");
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

// The directory that holds the name.
std::filesystem::path parent_of(const std::filesystem::path& path) {
  return path.parent_path().empty() ? "." : path.parent_path();
}

// Whether the path still names the file that was opened. It may have been renamed or removed since then.
bool still_names(const std::filesystem::path& path, int file) {
  struct stat named {};
  struct stat opened {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, SystemReason) {
  return out << "(" << lower_first(std::generic_category().message(errno)) << ")";
}

std::ostream& operator<<(std::ostream& out, const FinalName& name) {
  std::filesystem::path shown;
  for (const std::filesystem::path& part : name.path) {
    const std::string text = part.string();
    const std::size_t ending = text.rfind(kUnfinishedEnding), after = ending + kUnfinishedEnding.size();
    const bool is_temporary = ending != std::string::npos && (after == text.size() || text[after] == '-');
    shown /= is_temporary ? text.substr(0, ending) : text;
  }
  return out << "'" << shown.string() << "'";
}

int open_file(const std::filesystem::path& path, int flags, std::filesystem::perms of_new_file) {
  return retry_if_interrupted([&] { return ::open(path.c_str(), flags, static_cast<mode_t>(of_new_file)); });
}

std::filesystem::file_status status_of(const std::filesystem::path& path, std::string_view purpose) {
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  errno = problem.value();
  require<Error>(std::filesystem::status_known(status), "cannot ", purpose, " '", path.string(), "' ", system_reason(),
                 ".");
  return status;
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file{open_file(path, O_RDONLY | O_CLOEXEC)};
  require<Error>(file.number >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  std::string text;
  std::size_t used = 0;
  while (true) {
    // Reading one byte more than the limit is enough to see that the file is too large.
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

void read_blocks(const std::filesystem::path& path, const std::function<void(std::string_view)>& take) {
  const Descriptor file{open_file(path, O_RDONLY | O_CLOEXEC)};
  require<Error>(file.number >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  std::string block(kBufferBytes, '\0');
  while (true) {
    const ssize_t got = ::read(file.number, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    require<Error>(got >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
    if (got == 0) return;
    take(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
  }
}

// O_NOFOLLOW: fails for a link.
FileWriter::FileWriter(const std::filesystem::path& path, std::filesystem::perms of_new_file)
    : FileWriter(path, open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, of_new_file)) {}

FileWriter FileWriter::to_device(const std::filesystem::path& path) {
  return {path, open_file(path, O_WRONLY | O_CLOEXEC)};
}

FileWriter::FileWriter(const std::filesystem::path& path, int file) : path_(path), file_(file) {
  require<Error>(file_ >= 0, "cannot write ", final_name(path), " ", system_reason(), ".");
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
  require<Error>(closed == 0, "cannot write ", final_name(path_), " ", system_reason(), ".");
}

FileAppender::FileAppender(const std::filesystem::path& path) : path_(path) {
  file_ = open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot write ", final_name(path), " ", system_reason(), ".");
}

FileAppender::~FileAppender() { ::close(file_); }

void FileAppender::append(std::string_view line) { write_all(file_, line, path_); }

void FileAppender::flush() { flush_to_disk(file_, path_); }

LineFile::LineFile(const std::filesystem::path& path) : path_(path) {
  {
    const SignalsHeld signals;  // in between
    file_ = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    is_new_ = file_ >= 0;
    if (is_new_) remove_by_signal(path_);
  }
  if (!is_new_) file_ = open_file(path, O_WRONLY | O_CREAT | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot write ", final_name(path), " ", system_reason(), ".");
}

LineFile::~LineFile() {
  if (file_ >= 0) ::close(file_);
  if (!is_new_ || begun_) return;
  ::unlink(path_.c_str());
  keep_by_signal(path_);
}

void LineFile::begin() {
  if (begun_) return;
  struct stat status {};
  const bool plain = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  require<Error>(!plain || retry_if_interrupted([&] { return ::ftruncate(file_, 0); }) == 0, "cannot write ",
                 final_name(path_), " ", system_reason(), ".");
  if (is_new_) keep_by_signal(path_);
  begun_ = true;
}

void LineFile::add(std::string_view line) {
  begin();
  write_all(file_, line, path_);
}

void LineFile::finish() {
  begin();
  flush_to_disk(file_, path_);
  const int closed = ::close(file_);
  file_ = -1;
  require<Error>(closed == 0, "cannot write ", final_name(path_), " ", system_reason(), ".");
}

// A signal does not remove what is finished, because the old directory may be gone by then.
void replace_whole(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write) {
  try {
    {
      const RemovedBySignal removed(unfinished_path(path));
      write(unfinished_path(path));
    }
    rename_durably(unfinished_path(path), path);
  } catch (...) {
    remove_unfinished(path);
    throw;
  }
}

// A device has no target: /dev/stdout, for example, may be a link to a pipe, which has no path.
FileReplacement::Target FileReplacement::target_of(const std::filesystem::path& name) {
  const std::filesystem::file_status status = status_of(name, "write");
  require<UsageError>(!std::filesystem::is_directory(status), "'", name.string(), "' is a directory; name a file.");
  if (std::filesystem::is_other(status)) return {.path = name, .permissions = {}, .is_device = true};
  if (!std::filesystem::exists(status)) return {.path = name, .permissions = {}};
  Target target{.path = name, .permissions = status.permissions() & std::filesystem::perms::all};
  std::error_code problem;
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(name, problem))) return target;
  target.path = std::filesystem::canonical(name, problem);
  errno = problem.value();
  require<Error>(!problem, "cannot write '", name.string(), "' ", system_reason(), ".");
  return target;
}

// Nobody may read the new file meanwhile who may not read the old one. The owner may always write it, so that a file
// that a killed process left unfinished can be written again.
FileWriter FileReplacement::writer_of(const Target& target) {
  if (target.is_device) return FileWriter::to_device(target.path);
  const std::filesystem::path unfinished = unfinished_path(target.path);
  remove_by_signal(unfinished);
  try {
    return FileWriter(unfinished,
                      target.permissions.value_or(kNewFilePermissions) | std::filesystem::perms::owner_write);
  } catch (...) {
    keep_by_signal(unfinished);
    throw;
  }
}

FileReplacement::FileReplacement(const std::filesystem::path& name)
    : target_(target_of(name)), file_(writer_of(target_)) {}

FileReplacement::~FileReplacement() {
  if (target_.is_device) return;
  if (!is_finished_) remove_unfinished(target_.path);
  keep_by_signal(unfinished_path(target_.path));
}

void FileReplacement::finish() {
  file_.finish();
  if (!target_.is_device) {
    const std::filesystem::path unfinished = unfinished_path(target_.path);
    std::error_code ignored;  // of a file system without permissions
    if (target_.permissions) std::filesystem::permissions(unfinished, *target_.permissions, ignored);
    rename_durably(unfinished, target_.path);
  }
  is_finished_ = true;
}

std::optional<std::filesystem::path> FileReplacement::unfinished_file(const std::filesystem::path& name) {
  const Target target = target_of(name);
  if (target.is_device) return std::nullopt;
  return unfinished_path(target.path);
}

void replace_file(const std::filesystem::path& name, std::string_view text) {
  FileReplacement file(name);
  file.write(text);
  file.finish();
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code problem;
  // rename() replaces a directory only by a directory, and only if it is empty. So an old directory is removed first,
  // and for a file that would replace a directory rename() fails.
  if (std::filesystem::is_directory(from, problem) && std::filesystem::is_directory(to, problem)) {
    std::filesystem::remove_all(to, problem);
  }
  require<Error>(::rename(from.c_str(), to.c_str()) == 0, "cannot write ", final_name(to), " ", system_reason(), ".");
  flush_directory(parent_of(to));
}

void remove_file(const std::filesystem::path& path) {
  require<Error>(::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR, "cannot remove '", path.string(),
                 "' ", system_reason(), ".");
}

void flush_directory(const std::filesystem::path& directory) {
  const Descriptor file{open_file(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (file.number < 0 && errno == EACCES) return;  // a directory may be writable but not readable
  require<Error>(file.number >= 0, "cannot open the directory '", directory.string(), "' ", system_reason(), ".");
  flush_to_disk(file.number, directory);
}

std::filesystem::path unfinished_path(const std::filesystem::path& path) {
  return path.string() + std::string(kUnfinishedEnding);
}

void remove_unfinished(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(unfinished_path(path), ignored);
}

bool is_unfinished(const std::filesystem::path& path) { return path.string().ends_with(kUnfinishedEnding); }

std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code problem;
  std::filesystem::directory_iterator at(directory, problem);
  while (!problem && at != std::filesystem::directory_iterator()) {
    paths.push_back(at->path());
    at.increment(problem);
  }
  errno = problem.value();
  require<Error>(!problem || problem == std::errc::no_such_file_or_directory, "cannot read the directory '",
                 directory.string(), "' ", system_reason(), ".");
  std::ranges::sort(paths);
  return paths;
}

// The system releases the lock when the process ends, even if it is killed.
DirectoryLock::DirectoryLock(const std::filesystem::path& directory) {
  while (true) {
    make_directory(directory);
    Descriptor opened{open_file(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    require<Error>(opened.number >= 0, "cannot open the directory '", directory.string(), "' ", system_reason(), ".");
    const bool locked = retry_if_interrupted([&] { return ::flock(opened.number, LOCK_EX | LOCK_NB); }) == 0;
    require<Error>(locked || errno != EWOULDBLOCK, "another process is working in ", final_name(directory), ".");
    require<Error>(locked, "cannot lock the directory '", directory.string(), "' ", system_reason(), ".");
    if (!still_names(directory, opened.number)) continue;  // another process renamed it before it was locked
    file_ = std::exchange(opened.number, -1);
    return;
  }
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

void make_directory(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_filename() ? path : path.parent_path();  // without a trailing slash
  if (std::filesystem::is_directory(status_of(directory))) return;
  if (!std::filesystem::exists(status_of(parent_of(directory)))) make_directory(directory.parent_path());
  if (::mkdir(directory.c_str(), 0777) != 0) {
    const int reason = errno;
    if (std::filesystem::is_directory(status_of(directory))) return;  // another process created it in the meantime
    errno = reason == EEXIST ? ENOTDIR : reason;  // EEXIST: something that is not a directory has this name
    throw Error(join("cannot make the directory ", final_name(path), " ", system_reason(), "."));
  }
  flush_directory(parent_of(directory));
}

}  // namespace dragoman
