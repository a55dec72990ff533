// A library for LD_PRELOAD that replaces system functions for the program. Environment variables control it:
//   DRAGOMAN_CLOCK=stopped   all clocks stand still
//   DRAGOMAN_SLOW_FLUSH=MS   flushing a file takes this many milliseconds longer
//   DRAGOMAN_FLUSHED=FILE    FILE gets a line with the path of each file and directory that is flushed to disk
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

namespace {

// The C library's function of this name. The second argument only gives its type.
template <class Function>
Function next_of(const char* name, Function) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void note_flushed(int file) {
  const char* notes = std::getenv("DRAGOMAN_FLUSHED");
  if (notes == nullptr) return;
  std::array<char, 4096> path{};
  if (::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path.data(), path.size() - 1) < 0) return;
  std::FILE* out = std::fopen(notes, "a");
  if (out == nullptr) return;
  std::fprintf(out, "%s\n", path.data());
  std::fclose(out);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  static const auto real = next_of("clock_gettime", &clock_gettime);
  static const bool stopped = std::getenv("DRAGOMAN_CLOCK") != nullptr;
  if (!stopped) return real(clock, time);
  *time = {.tv_sec = 1000, .tv_nsec = 0};
  return 0;
}

extern "C" int fsync(int file) {
  static const auto real = next_of("fsync", &fsync);
  static const char* slow = std::getenv("DRAGOMAN_SLOW_FLUSH");
  note_flushed(file);
  if (slow != nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(slow)));
  return real(file);
}
