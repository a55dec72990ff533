// A log that never fails its callers and never holds them up: lines wait in memory, and a thread of its own writes them
// to a stream or a file, which may fail, stall or be closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace dragoman {

struct LineLogOptions {
  std::size_t most_bytes = 1 << 20;  // of lines that wait to be written; lines beyond that are lost
  double flush_seconds = 2;          // time that the destructor gives to the lines that wait
  // Called when lines begin to be lost, with the reason, at most once a minute and from any thread. Must not wait.
  std::function<void(const std::string& reason)> on_loss = {};
};

// Lost lines are counted. When the stream works again, a line says how many are missing at that place.
class LineLog {
 public:
  // For a descriptor that stays the caller's, such as standard output. It is written to even if this object has gone,
  // where a line that began to be written takes longer than the flush_seconds.
  explicit LineLog(int descriptor, LineLogOptions options = {});
  // Appends to a file, which is made if it is not there. Throws an Error if it cannot be opened.
  explicit LineLog(const std::filesystem::path& file, LineLogOptions options = {});
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // A line, without its end. Safe to call from any thread.
  void add(std::string_view line) noexcept;
  // Opens the file again by its name before the next line: whoever rotates logs has renamed it. If that fails, the log
  // goes on with the file that it has, and counts as losing lines for on_loss.
  void reopen() noexcept;
  // Lines lost since the beginning.
  std::int64_t lost() const noexcept;

 private:
  class State;
  void start();

  std::shared_ptr<State> state_;  // shared with the thread, which may have to be left behind
  std::thread thread_;
};

}  // namespace dragoman
