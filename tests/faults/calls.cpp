// The system calls that faults are injected into. Each function here replaces the C library's function of the same name
// and asks injection.h what to do with the call.
#include <dirent.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "tests/faults/injection.h"

namespace {

using namespace inject;

// Whether main() is running. Allocations, mapped memory and threads are counted only then.
std::atomic<bool> in_main = false;

// The number of bytes of a short read: less than a line or a header.
constexpr std::size_t kShortRead = 3;

std::size_t less_to_read(std::size_t count, bool shorten) { return shorten ? std::min(count, kShortRead) : count; }
std::size_t less_to_write(std::size_t count, bool shorten) {
  return shorten ? std::max<std::size_t>(1, count / 2) : count;
}

// The functions *_counted make a call with `real`, as a counted call if its path or file is below
// DRAGOMAN_FAULT_DIRECTORY (see injection.cpp). The argument of `real`, where it has one, says whether to transfer
// fewer bytes.
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

// Only allocations of at least this size are counted and can fail: there are hundreds of times as many small ones.
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

// Each function below has the name of a function of the C library and replaces it. The uses of one macro differ only in
// the name: which of them a program calls depends on how it was compiled.
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

// Programs that were compiled with _FORTIFY_SOURCE call these instead of open() and openat().
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

// The C library reads and writes a FILE without calling the functions above, so the stream functions are counted
// instead. They continue by themselves after a short read, so no short reads are injected here.
std::size_t fread(void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto real = next<std::size_t(void*, std::size_t, std::size_t, std::FILE*)>("fread");
  const std::size_t failed = ~std::size_t{0};
  const std::size_t got = stream_counted(kRead, file, failed, [&](bool) { return real(bytes, size, count, file); });
  if (got != failed) return got;
  file->_flags |= 0x20;  // the error flag that ferror() returns
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

// The number is free for another file before close() returns, so it must be untracked before the call.
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

// Memory that the program maps, with or without a file, is counted while main() runs.
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
  // pthread_create returns the error instead of setting errno.
  if (in_main && next_act(kThread, "", -1) == Act::kFail) return injected_error();
  return real(thread, attributes, body, argument);
}

// This function of the C library calls main(). It is replaced so that `in_main` is set while main() runs.
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
