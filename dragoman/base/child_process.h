// A program that runs beside this one, with its output in files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

// The file of this program. It can be started again even if the file was replaced in the meantime.
inline constexpr const char* kThisProgram = "/proc/self/exe";

inline constexpr int kLostStatus = 255;

struct ChildCommand {
  std::string program;                     // the path of the file
  std::vector<std::string> arguments;      // argv[0] included
  std::filesystem::path output, messages;  // files for standard output and standard error, whose content is replaced
};

// The process has no input. Ctrl-C in the terminal does not reach it. If this program ends, for whatever reason, it is
// killed; for this it must be started by a thread that lives as long as it is needed.
class ChildProcess {
 public:
  // Throws an Error if a file cannot be written or the process cannot be started. If the program cannot be run, the
  // process ends with status 127.
  explicit ChildProcess(const ChildCommand& command);
  ~ChildProcess();  // kills it if it still runs
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  // Nothing while it runs; afterwards its exit status, or 128 + n if signal n ended it. kLostStatus if the system
  // forgot it, which happens only if SIGCHLD is ignored meanwhile or somebody else waits for all processes.
  std::optional<int> status();
  // Sends SIGTERM, once: many programs take a second one as a demand to end at once.
  void ask_to_end();

 private:
  pid_t id_ = 0;  // 0 once it has ended
  int status_ = 0;
  bool asked_ = false;
};

}  // namespace dragoman
