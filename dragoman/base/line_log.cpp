#include "dragoman/base/line_log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kBetweenCalls{1};            // the shortest time between two calls of on_loss
constexpr std::size_t kLineOverhead = sizeof(std::string);  // counted for each queued line, besides its text

// Lines are lost for a reason: an errno value, or kTooSlow if the queue was full.
constexpr int kTooSlow = 0;

std::string reason_text(int reason) {
  if (reason == kTooSlow) return "lines came faster than they could be written";
  std::string text = std::generic_category().message(reason);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + ('a' - 'A'));
  return text;
}

// Without O_NONBLOCK, opening a pipe that nobody reads would block. The flag is cleared after opening.
int open_for_appending(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, O_APPEND);
  return descriptor;
}

}  // namespace

// The queue of lines, and the thread's work: run() takes all queued lines at a time and writes them. Callers hold
// mutex_ only to append to the queue; the thread never holds it while it writes, so a stalled stream blocks no caller.
class LineLog::State {
 public:
  State(int descriptor, std::filesystem::path path, LineLogOptions options)
      : options_(std::move(options)), path_(std::move(path)), descriptor_(descriptor) {}
  ~State() {
    if (owns_descriptor()) ::close(descriptor_);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add(std::string_view line) noexcept {
    if (!queue(line)) {
      ++lost_;
      call_on_loss(kTooSlow);
    }
    wake_.notify_one();
  }

  void reopen() noexcept {
    if (!owns_descriptor()) return;
    reopen_ = true;
    notify_under_lock();
  }

  // To be called after the last add(). Returns true if all queued lines are written, or lost, within flush_seconds.
  bool finish() {
    std::unique_lock lock(mutex_);
    ending_ = true;
    wake_.notify_one();
    return ended_signal_.wait_for(lock, std::chrono::duration<double>(options_.flush_seconds), [&] { return ended_; });
  }

  // Stops the calls of on_loss, because what it refers to may be destroyed after this.
  void mute() {
    const std::lock_guard lock(on_loss_mutex_);
    muted_ = true;
  }

  std::int64_t lost() const noexcept { return lost_; }

  // The body of the writing thread.
  void run() noexcept {
    while (take_lines()) {
      if (reopen_.exchange(false)) open_again();
      for (const std::string& line : taken_) write_line(line);
      // The lines that did not fit in the queue came after those just written.
      if (overflowed_after_taken_ > 0) {
        unreported_ += overflowed_after_taken_;
        reason_ = kTooSlow;
      }
      report_losses();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    ended_signal_.notify_all();
  }

 private:
  bool queue(std::string_view line) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      const std::size_t bytes = line.size() + 1 + kLineOverhead;
      if (waiting_bytes_ + bytes <= options_.max_bytes) {
        waiting_.emplace_back(line).push_back('\n');
        waiting_bytes_ += bytes;
        return true;
      }
    } catch (...) {  // out of memory: the line is lost
    }
    ++overflowed_;
    return false;
  }

  bool owns_descriptor() const { return !path_.empty(); }

  void notify_under_lock() noexcept {
    try {
      // With the lock held, the thread cannot be between its check and its wait, where it would miss the notification.
      const std::lock_guard lock(mutex_);
      wake_.notify_one();
    } catch (...) {
    }
  }

  // Waits for work and takes all of it. Returns false at the end of the log.
  bool take_lines() {
    taken_.clear();
    std::unique_lock lock(mutex_);
    const auto has_work = [&] { return !waiting_.empty() || reopen_ || overflowed_ > 0; };
    wake_.wait(lock, [&] { return ending_ || has_work(); });
    if (!has_work()) return false;
    waiting_bytes_ = 0;
    waiting_.swap(taken_);
    overflowed_after_taken_ = std::exchange(overflowed_, 0);
    return true;
  }

  void write_line(const std::string& line) {
    if (report_losses() && write(line)) return;
    ++lost_;
    ++unreported_;
  }

  // Writes a line about the losses so far. Returns true if there are none left to report.
  bool report_losses() noexcept {
    if (unreported_ == 0) return true;
    try {
      const std::string lines = unreported_ == 1 ? " line is missing here (" : " lines are missing here (";
      if (write(std::to_string(unreported_) + lines + reason_text(reason_) + ").\n")) unreported_ = 0;
    } catch (...) {  // out of memory: the next line tries again
    }
    return unreported_ == 0;
  }

  // Writes the text, or as much of it as possible. Returns whether all of it was written.
  bool write(std::string_view text) {
    if (in_line_ && !write_bytes("\n")) return false;  // ends a line that was written in part
    in_line_ = false;
    return write_bytes(text);
  }

  bool write_bytes(std::string_view text) {
    while (!text.empty()) {
      const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
      if (wrote > 0) {
        text.remove_prefix(static_cast<std::size_t>(wrote));
        in_line_ = !text.empty();
      } else if (wrote == 0 || errno == EAGAIN) {  // another process has made the stream non-blocking
        pollfd until{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        ::poll(&until, 1, 1000);
      } else if (errno != EINTR) {
        note_failure(errno);
        return false;
      }
    }
    return true;
  }

  void open_again() noexcept {
    const int opened = open_for_appending(path_);
    if (opened < 0) return note_failure(errno);
    ::close(std::exchange(descriptor_, opened));
    in_line_ = false;
  }

  void note_failure(int error) noexcept {
    reason_ = error;
    call_on_loss(error);
  }

  void call_on_loss(int reason) noexcept {
    if (!options_.on_loss) return;
    try {
      const Clock::rep now = Clock::now().time_since_epoch().count();
      const std::lock_guard lock(on_loss_mutex_);
      if (muted_ || (on_loss_called_at_ != 0 && now - on_loss_called_at_ < Clock::duration(kBetweenCalls).count()))
        return;
      on_loss_called_at_ = now;
      options_.on_loss(reason_text(reason));
    } catch (...) {  // on_loss failed, and there is no other way to report it
    }
  }

  const LineLogOptions options_;
  const std::filesystem::path path_;  // empty if the caller owns the descriptor

  // Guarded by mutex_, except for the atomics.
  std::mutex mutex_;
  std::condition_variable wake_, ended_signal_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::int64_t overflowed_ = 0;  // lines that came when the queue was full
  bool ending_ = false, ended_ = false;

  std::atomic<bool> reopen_ = false;
  std::atomic<std::int64_t> lost_ = 0;

  // Guarded by on_loss_mutex_.
  std::mutex on_loss_mutex_;
  Clock::rep on_loss_called_at_ = 0;
  bool muted_ = false;

  // Used by the writing thread only.
  int descriptor_;
  bool in_line_ = false;  // true if the last line was written in part
  std::deque<std::string> taken_;
  std::int64_t overflowed_after_taken_ = 0;  // lines lost to a full queue, after the lines in taken_
  std::int64_t unreported_ = 0;              // lost lines that no line in the log reports yet
  int reason_ = kTooSlow;
};

LineLog::LineLog(int descriptor, LineLogOptions options)
    : state_(std::make_shared<State>(descriptor, std::filesystem::path(), std::move(options))) {
  start();
}

LineLog::LineLog(const std::filesystem::path& file, LineLogOptions options) {
  const int descriptor = open_for_appending(file);
  require<Error>(descriptor >= 0, "cannot write '", file.string(), "' ", system_reason(), ".");
  state_ = std::make_shared<State>(descriptor, file, std::move(options));
  start();
}

void LineLog::start() {
  try {
    thread_ = std::thread([state = state_] { state->run(); });
  } catch (const std::system_error& error) {
    throw Error(join("cannot start a thread for a log (", error.what(), ")."));
  }
}

// A thread whose stream has stalled cannot be stopped. It shares ownership of the state, so it can be detached.
LineLog::~LineLog() {
  if (state_->finish()) {
    thread_.join();
  } else {
    state_->mute();
    thread_.detach();
  }
}

void LineLog::add(std::string_view line) noexcept { state_->add(line); }

void LineLog::reopen() noexcept { state_->reopen(); }

std::int64_t LineLog::lost() const noexcept { return state_->lost(); }

}  // namespace dragoman
