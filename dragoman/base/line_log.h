// A log that never blocks its callers and never throws at them. Lines are queued in memory, and a thread of the log
// writes them to a stream or a file, which may fail, stall or be closed.
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
  std::size_t max_bytes = 1 << 20;  // size of the queue; lines that do not fit are lost
  double flush_seconds = 2;         // how long the destructor waits for queued lines to be written
  // Called with the reason when lines are lost, at most once a minute and from any thread. Must not block.
  std::function<void(const std::string& reason)> on_loss = {};
};

// Lost lines are counted. When the stream works again, a line in their place says how many are missing.
class LineLog {
 public:
  // Writes to a descriptor that the caller owns, such as standard output. If a line takes longer than flush_seconds to
  // write, writing may go on after this object is destroyed.
  explicit LineLog(int descriptor, LineLogOptions options = {});
  // Appends to a file and creates it if necessary. Throws an Error if it cannot be opened.
  explicit LineLog(const std::filesystem::path& file, LineLogOptions options = {});
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // Queues a line, given without its line end. Safe to call from any thread.
  void add(std::string_view line) noexcept;
  // Opens the file again by its name before the next line, for log rotation, which renames the old file. If that fails,
  // the log continues with the file that is open and calls on_loss.
  void reopen() noexcept;
  // The number of lines lost so far.
  std::int64_t lost() const noexcept;

 private:
  class State;
  void start();

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
  std::thread thread_;
};

}  // namespace dragoman
