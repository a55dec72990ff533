// A library to preload (LD_PRELOAD) that makes one call to the system fail, as a full disk, a lost network drive or a
// power cut would. Calls count if they work on a file below one directory, so that the loader's and the locale's files
// do not; memory and threads count while main() runs. Settings are environment variables:
//
//   DRAGOMAN_FAULT_DIRECTORY  the directory, an absolute path
//   DRAGOMAN_FAULT            KIND:N:WHAT, e.g. rename:3:EIO; or KIND:N+:WHAT for the N-th call and all after it; if it
//                             is not set, calls are only counted
//   DRAGOMAN_FAULT_REPORT     a file that gets a line for each fault ("fired rename 3 PATH") and, at the end of a
//                             process, one for each kind ("count rename 12")
//
// KIND is one of kKinds below. WHAT is the name of an error; `short`, for a read or write of fewer bytes than asked
// for; `kill-before` or `kill-after`, which end the process as SIGKILL does; or `tear`, half a write and then the kill.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

enum Kind {
  kOpen,
  kRead,
  kWrite,
  kFlush,
  kRename,
  kMakeDirectory,
  kRemove,
  kClose,
  kTruncate,
  kMap,
  kLock,
  kList,
  kStat,
  kMemory,
  kThread,
  kKindCount
};
constexpr std::array<const char*, kKindCount> kKinds = {"open",  "read",   "write", "flush",    "rename",
                                                        "mkdir", "remove", "close", "truncate", "map",
                                                        "lock",  "list",   "stat",  "memory",   "thread"};

enum class Act { kNone, kFail, kShort, kKillBefore, kKillAfter, kTear };

struct ErrorName {
  const char* name;
  int number;
};
constexpr ErrorName kErrors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"EACCES", EACCES},
                                 {"EROFS", EROFS},   {"EINTR", EINTR},   {"ENOMEM", ENOMEM}, {"ENOLCK", ENOLCK},
                                 {"EAGAIN", EAGAIN}, {"EDQUOT", EDQUOT}};

struct Settings {
  char directory[PATH_MAX] = "";
  char report[PATH_MAX] = "";
  int kind = -1;
  long at = 0;
  bool and_after = false;
  Act act = Act::kNone;
  int error = 0;
};

Settings settings;
std::array<std::atomic<long>, kKindCount> counts;
std::array<std::atomic<bool>, 1 << 16> tracked_files;
std::atomic<bool> in_main = false;

[[noreturn]] void refuse(const char* text) {
  std::fprintf(stderr, "inject: cannot understand DRAGOMAN_FAULT=%s\n", text);
  ::_exit(99);
}

void read_fault(const char* text) {
  char kind[32], what[32];
  if (std::sscanf(text, "%31[a-z]:%ld+:%31s", kind, &settings.at, what) == 3) {
    settings.and_after = true;
  } else if (std::sscanf(text, "%31[a-z]:%ld:%31s", kind, &settings.at, what) != 3) {
    refuse(text);
  }
  for (int i = 0; i < kKindCount; ++i) {
    if (std::strcmp(kind, kKinds[static_cast<std::size_t>(i)]) == 0) settings.kind = i;
  }
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("short")) settings.act = Act::kShort;
  if (is("kill-before")) settings.act = Act::kKillBefore;
  if (is("kill-after")) settings.act = Act::kKillAfter;
  if (is("tear")) settings.act = Act::kTear;
  for (const ErrorName& error : kErrors) {
    if (!is(error.name)) continue;
    settings.act = Act::kFail;
    settings.error = error.number;
  }
  if (settings.kind < 0 || settings.act == Act::kNone) refuse(text);
}

bool is_below(const char* path) {
  const std::size_t length = std::strlen(settings.directory);
  return length > 0 && std::strncmp(path, settings.directory, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

bool tracked(int file) {
  return file >= 0 && file < static_cast<int>(tracked_files.size()) && tracked_files[static_cast<std::size_t>(file)];
}

// Only files that are there: what failed to open keeps its errno.
int track(int file, bool below) {
  if (file >= 0 && file < static_cast<int>(tracked_files.size())) {
    tracked_files[static_cast<std::size_t>(file)] = below;
  }
  return file;
}

bool counts_path(const char* path, int directory = AT_FDCWD) {
  if (path[0] == '/') return is_below(path);
  if (directory != AT_FDCWD) return tracked(directory);
  char here[PATH_MAX];
  return ::getcwd(here, sizeof here) != nullptr && is_below(here);
}

// By the bare calls of the system, which are not counted.
void report(const char* format, ...) __attribute__((format(printf, 1, 2)));
void report(const char* format, ...) {
  if (settings.report[0] == '\0') return;
  char line[2 * PATH_MAX];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const auto file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, settings.report, O_WRONLY | O_CREAT | O_APPEND, 0600));
  if (file < 0) return;
  ::syscall(SYS_write, file, line, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof line - 1));
  ::syscall(SYS_close, file);
}

[[noreturn]] void end_process() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
  while (true) ::pause();
}

// What to do at this call, which is counted.
Act next_act(Kind kind, const char* path, int file) {
  const long number = ++counts[kind];
  const bool chosen = settings.kind == kind && (settings.and_after ? number >= settings.at : number == settings.at);
  if (!chosen) return Act::kNone;
  char name[PATH_MAX] = "";
  if (path == nullptr && file >= 0) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = ::readlink(link, name, sizeof name - 1);
    name[std::max<ssize_t>(0, length)] = '\0';
  }
  report("fired %s %ld %s\n", kKinds[kind], number, path != nullptr ? path : name);
  return settings.act;
}

struct Target {
  const char* path = nullptr;
  int file = -1;
  bool never_interrupted = false;  // a FILE or a directory, of which the libraries do not expect it
};

// One counted call. `call(true)` is to move fewer bytes than asked for.
template <class Result, class Call>
Result faulty(Kind kind, const Target& target, Result failure, const Call& call) {
  Act act = next_act(kind, target.path, target.file);
  if (act == Act::kFail && settings.error == EINTR && target.never_interrupted) act = Act::kNone;
  if (act == Act::kKillBefore) end_process();
  if (act == Act::kFail) {
    if (kind == kClose) call(false);  // the file is closed even so
    errno = settings.error;
    return failure;
  }
  const Result result = call(act == Act::kShort || act == Act::kTear);
  if (act == Act::kKillAfter || act == Act::kTear) end_process();
  return result;
}

// The function that this one stands before.
template <class Function>
Function* next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "inject: there is no %s\n", name);
    ::_exit(99);
  }
  return reinterpret_cast<Function*>(found);
}

__attribute__((constructor)) void start() {
  const auto copy = [](const char* name, char* to) {
    const char* value = std::getenv(name);
    if (value != nullptr) std::snprintf(to, PATH_MAX, "%s", value);
  };
  copy("DRAGOMAN_FAULT_DIRECTORY", settings.directory);
  copy("DRAGOMAN_FAULT_REPORT", settings.report);
  if (const char* fault = std::getenv("DRAGOMAN_FAULT")) read_fault(fault);
  // Standard input and output may be files of the directory.
  for (const int file : {STDIN_FILENO, STDOUT_FILENO}) {
    char link[64], name[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = ::readlink(link, name, sizeof name - 1);
    if (length <= 0) continue;
    name[length] = '\0';
    track(file, is_below(name));
  }
}

__attribute__((destructor)) void finish() {
  for (std::size_t i = 0; i < kKindCount; ++i) report("count %s %ld\n", kKinds[i], counts[i].load());
}

// Reads this many bytes where a read is to be short: neither a line nor a header.
constexpr std::size_t kShortRead = 3;

std::size_t less_to_read(std::size_t count, bool shorten) { return shorten ? std::min(count, kShortRead) : count; }
std::size_t less_to_write(std::size_t count, bool shorten) {
  return shorten ? std::max<std::size_t>(1, count / 2) : count;
}

int open_counted(const char* path, int directory, int flags, const auto& real) {
  if (!counts_path(path, directory)) return track(real(), false);
  const bool is_directory = (flags & O_DIRECTORY) != 0;
  const Target target{.path = path, .never_interrupted = is_directory};
  return track(faulty(kOpen, target, -1, [&](bool) { return real(); }), true);
}

std::FILE* fopen_counted(const char* path, const auto& real) {
  const bool below = counts_path(path);
  std::FILE* none = nullptr;
  std::FILE* file =
      below ? faulty(kOpen, {.path = path, .never_interrupted = true}, none, [&](bool) { return real(); }) : real();
  if (file != nullptr) track(::fileno(file), below);
  return file;
}

int path_counted(Kind kind, const char* path, int directory, const auto& real) {
  if (!counts_path(path, directory)) return real();
  return faulty(kind, {.path = path}, -1, [&](bool) { return real(); });
}

template <class Result>
Result file_counted(Kind kind, int file, Result failure, const auto& real) {
  if (!tracked(file)) return real(false);
  return faulty(kind, {.file = file}, failure, real);
}

template <class Result>
Result stream_counted(Kind kind, std::FILE* stream, Result failure, const auto& real) {
  const int file = ::fileno(stream);
  if (!tracked(file)) return real(false);
  return faulty(kind, {.file = file, .never_interrupted = true}, failure, real);
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

// Where memory runs out, it is a large piece that is refused: hundreds of small ones are taken from each.
constexpr std::size_t kLargePiece = 16384;

void* allocated(std::size_t bytes, std::size_t alignment) {
  if (in_main && bytes >= kLargePiece && next_act(kMemory, "", -1) != Act::kNone) return nullptr;
  bytes = std::max<std::size_t>(bytes, 1);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocated_or_throw(std::size_t bytes, std::size_t alignment = 0) {
  void* memory = allocated(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

using Main = int (*)(int, char**, char**);
Main main_of_program = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  in_main = true;
  const int status = main_of_program(argc, argv, environment);
  in_main = false;
  return status;
}

}  // namespace

// Each of the functions below has the name of one of the C library's and stands before it. Those in brackets of a macro
// differ by name alone: programs call either, depending on how they were compiled.
extern "C" {

#define OPEN(name)                                                                       \
  int name(const char* path, int flags, ...) {                                           \
    static const auto real = next<int(const char*, int, ...)>(#name);                    \
    va_list arguments;                                                                   \
    va_start(arguments, flags);                                                          \
    const mode_t mode = mode_in(flags, arguments);                                       \
    va_end(arguments);                                                                   \
    return open_counted(path, AT_FDCWD, flags, [&] { return real(path, flags, mode); }); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                 \
  int name(int directory, const char* path, int flags, ...) {                                        \
    static const auto real = next<int(int, const char*, int, ...)>(#name);                           \
    va_list arguments;                                                                               \
    va_start(arguments, flags);                                                                      \
    const mode_t mode = mode_in(flags, arguments);                                                   \
    va_end(arguments);                                                                               \
    return open_counted(path, directory, flags, [&] { return real(directory, path, flags, mode); }); \
  }
OPENAT(openat)
OPENAT(openat64)

#define FORTIFIED_OPEN(name)                                                       \
  int name(const char* path, int flags) {                                          \
    static const auto real = next<int(const char*, int)>(#name);                   \
    return open_counted(path, AT_FDCWD, flags, [&] { return real(path, flags); }); \
  }
FORTIFIED_OPEN(__open_2)
FORTIFIED_OPEN(__open64_2)

#define FORTIFIED_OPENAT(name)                                                                 \
  int name(int directory, const char* path, int flags) {                                       \
    static const auto real = next<int(int, const char*, int)>(#name);                          \
    return open_counted(path, directory, flags, [&] { return real(directory, path, flags); }); \
  }
FORTIFIED_OPENAT(__openat_2)
FORTIFIED_OPENAT(__openat64_2)

#define CREAT(name)                                                                 \
  int name(const char* path, mode_t mode) {                                         \
    static const auto real = next<int(const char*, mode_t)>(#name);                 \
    return open_counted(path, AT_FDCWD, O_CREAT, [&] { return real(path, mode); }); \
  }
CREAT(creat)
CREAT(creat64)

#define FOPEN(name)                                                             \
  std::FILE* name(const char* path, const char* mode) {                         \
    static const auto real = next<std::FILE*(const char*, const char*)>(#name); \
    return fopen_counted(path, [&] { return real(path, mode); });               \
  }
FOPEN(fopen)
FOPEN(fopen64)

ssize_t read(int file, void* bytes, std::size_t count) {
  static const auto real = next<ssize_t(int, void*, std::size_t)>("read");
  return file_counted<ssize_t>(kRead, file, -1,
                               [&](bool less) { return real(file, bytes, less_to_read(count, less)); });
}
ssize_t __read_chk(int file, void* bytes, std::size_t count, std::size_t) { return read(file, bytes, count); }

#define PREAD(name, offset_type)                                                                                   \
  ssize_t name(int file, void* bytes, std::size_t count, offset_type offset) {                                     \
    static const auto real = next<ssize_t(int, void*, std::size_t, offset_type)>(#name);                           \
    return file_counted<ssize_t>(kRead, file, -1,                                                                  \
                                 [&](bool less) { return real(file, bytes, less_to_read(count, less), offset); }); \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)
ssize_t __pread_chk(int file, void* bytes, std::size_t count, off_t offset, std::size_t) {
  return pread(file, bytes, count, offset);
}
ssize_t __pread64_chk(int file, void* bytes, std::size_t count, off64_t offset, std::size_t) {
  return pread64(file, bytes, count, offset);
}

// The C library reads and writes for a FILE without calling what could be replaced, so that these are counted instead.
// They go on after a short read themselves, so none comes from them.
std::size_t fread(void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto real = next<std::size_t(void*, std::size_t, std::size_t, std::FILE*)>("fread");
  const std::size_t failed = ~std::size_t{0};
  const std::size_t got = stream_counted(kRead, file, failed, [&](bool) { return real(bytes, size, count, file); });
  if (got != failed) return got;
  file->_flags |= 0x20;  // what ferror() looks at
  return 0;
}
std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto real = next<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite");
  const std::size_t none = 0;
  return stream_counted(kWrite, file, none, [&](bool) { return real(bytes, size, count, file); });
}
int fflush(std::FILE* file) {
  static const auto real = next<int(std::FILE*)>("fflush");
  if (file == nullptr) return real(file);
  return stream_counted(kWrite, file, EOF, [&](bool) { return real(file); });
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  static const auto real = next<ssize_t(int, const void*, std::size_t)>("write");
  return file_counted<ssize_t>(kWrite, file, -1,
                               [&](bool less) { return real(file, bytes, less_to_write(count, less)); });
}

#define PWRITE(name, offset_type)                                                                                   \
  ssize_t name(int file, const void* bytes, std::size_t count, offset_type offset) {                                \
    static const auto real = next<ssize_t(int, const void*, std::size_t, offset_type)>(#name);                      \
    return file_counted<ssize_t>(kWrite, file, -1,                                                                  \
                                 [&](bool less) { return real(file, bytes, less_to_write(count, less), offset); }); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const iovec* parts, int count) {
  static const auto real = next<ssize_t(int, const iovec*, int)>("writev");
  return file_counted<ssize_t>(kWrite, file, -1, [&](bool less) {
    if (!less || count < 1) return real(file, parts, count);
    iovec first = parts[0];
    first.iov_len = less_to_write(first.iov_len, true);
    return real(file, &first, 1);
  });
}

#define FLUSH(name)                                                          \
  int name(int file) {                                                       \
    static const auto real = next<int(int)>(#name);                          \
    return file_counted(kFlush, file, -1, [&](bool) { return real(file); }); \
  }
FLUSH(fsync)
FLUSH(fdatasync)

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return path_counted(kRename, to, AT_FDCWD, [&] { return real(from, to); });
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  static const auto real = next<int(int, const char*, int, const char*)>("renameat");
  return path_counted(kRename, to, to_directory, [&] { return real(from_directory, from, to_directory, to); });
}
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  static const auto real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return path_counted(kRename, to, to_directory, [&] { return real(from_directory, from, to_directory, to, flags); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return path_counted(kMakeDirectory, path, AT_FDCWD, [&] { return real(path, mode); });
}
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  static const auto real = next<int(int, const char*, mode_t)>("mkdirat");
  return path_counted(kMakeDirectory, path, directory, [&] { return real(directory, path, mode); });
}

#define REMOVE(name)                                                          \
  int name(const char* path) noexcept {                                       \
    static const auto real = next<int(const char*)>(#name);                   \
    return path_counted(kRemove, path, AT_FDCWD, [&] { return real(path); }); \
  }
REMOVE(unlink)
REMOVE(rmdir)
REMOVE(remove)
int unlinkat(int directory, const char* path, int flags) noexcept {
  static const auto real = next<int(int, const char*, int)>("unlinkat");
  return path_counted(kRemove, path, directory, [&] { return real(directory, path, flags); });
}

// The number is free for another file before close() returns, so it is forgotten before.
int close(int file) {
  static const auto real = next<int(int)>("close");
  if (!tracked(file)) return real(file);
  return faulty(kClose, {.file = file}, -1, [&](bool) {
    track(file, false);
    return real(file);
  });
}
int fclose(std::FILE* file) {
  static const auto real = next<int(std::FILE*)>("fclose");
  const int number = ::fileno(file);
  if (!tracked(number)) return real(file);
  return faulty(kClose, {.file = number, .never_interrupted = true}, EOF, [&](bool) {
    track(number, false);
    return real(file);
  });
}
int closedir(DIR* directory) {
  static const auto real = next<int(DIR*)>("closedir");
  track(::dirfd(directory), false);
  return real(directory);
}

#define TRUNCATE(name, offset_type)                                                   \
  int name(int file, offset_type size) noexcept {                                     \
    static const auto real = next<int(int, offset_type)>(#name);                      \
    return file_counted(kTruncate, file, -1, [&](bool) { return real(file, size); }); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define TRUNCATE_PATH(name, offset_type)                                              \
  int name(const char* path, offset_type size) noexcept {                             \
    static const auto real = next<int(const char*, offset_type)>(#name);              \
    return path_counted(kTruncate, path, AT_FDCWD, [&] { return real(path, size); }); \
  }
TRUNCATE_PATH(truncate, off_t)
TRUNCATE_PATH(truncate64, off64_t)

// Memory that the program maps itself, with or without a file, counts while main() runs.
#define MAP(name, offset_type)                                                                                      \
  void* name(void* address, std::size_t length, int protection, int flags, int file, offset_type offset) noexcept { \
    static const auto real = next<void*(void*, std::size_t, int, int, int, offset_type)>(#name);                    \
    if (!in_main || (file >= 0 && !tracked(file))) return real(address, length, protection, flags, file, offset);   \
    return faulty(kMap, {.file = file}, MAP_FAILED,                                                                 \
                  [&](bool) { return real(address, length, protection, flags, file, offset); });                    \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

int flock(int file, int operation) noexcept {
  static const auto real = next<int(int, int)>("flock");
  return file_counted(kLock, file, -1, [&](bool) { return real(file, operation); });
}

DIR* opendir(const char* path) {
  static const auto real = next<DIR*(const char*)>("opendir");
  const bool below = counts_path(path);
  DIR* none = nullptr;
  DIR* directory = below ? faulty(kList, {.path = path}, none, [&](bool) { return real(path); }) : real(path);
  if (directory != nullptr) track(::dirfd(directory), below);
  return directory;
}
DIR* fdopendir(int file) {
  static const auto real = next<DIR*(int)>("fdopendir");
  DIR* none = nullptr;
  return file_counted(kList, file, none, [&](bool) { return real(file); });
}

#define READDIR(name, entry)                                                                     \
  entry* name(DIR* directory) {                                                                  \
    static const auto real = next<entry*(DIR*)>(#name);                                          \
    entry* none = nullptr;                                                                       \
    return file_counted(kList, ::dirfd(directory), none, [&](bool) { return real(directory); }); \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

#define STAT(name, status)                                                         \
  int name(const char* path, struct status* found) noexcept {                      \
    static const auto real = next<int(const char*, struct status*)>(#name);        \
    return path_counted(kStat, path, AT_FDCWD, [&] { return real(path, found); }); \
  }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTAT(name, status)                                                        \
  int name(int file, struct status* found) noexcept {                              \
    static const auto real = next<int(int, struct status*)>(#name);                \
    return file_counted(kStat, file, -1, [&](bool) { return real(file, found); }); \
  }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define FSTATAT(name, status)                                                                         \
  int name(int directory, const char* path, struct status* found, int flags) noexcept {               \
    static const auto real = next<int(int, const char*, struct status*, int)>(#name);                 \
    return path_counted(kStat, path, directory, [&] { return real(directory, path, found, flags); }); \
  }
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

int statx(int directory, const char* path, int flags, unsigned mask, struct statx* found) noexcept {
  static const auto real = next<int(int, const char*, int, unsigned, struct statx*)>("statx");
  return path_counted(kStat, path, directory, [&] { return real(directory, path, flags, mask, found); });
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  static const auto real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  // It returns the error instead of setting errno.
  if (in_main && next_act(kThread, "", -1) == Act::kFail) return settings.error;
  return real(thread, attributes, body, argument);
}

int __libc_start_main(Main main_function, int argc, char** argv, void (*initialise)(), void (*finalise)(),
                      void (*loader_finalise)(), void* stack_end) {
  static const auto real = next<int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  main_of_program = main_function;
  return real(counted_main, argc, argv, initialise, finalise, loader_finalise, stack_end);
}

}  // extern "C"

void* operator new(std::size_t bytes) { return allocated_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocated_or_throw(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 0); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
