// A team of threads that runs the pieces of one kernel at a time. The pieces are numbered, and what each one computes
// depends on its number alone, never on the thread that happens to run it.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

class ThreadTeam {
 public:
  // The calling thread is one of the `threads`. Denormal numbers are flushed to zero on every thread of the team,
  // the calling one included, because they would slow training down a hundredfold.
  // Throws an Error if the system does not give that many.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls work(piece) for every piece in [0, pieces) and returns when all are done. Pieces must not throw, and there
  // are fewer than 2^32 - 1 of them.
  template <class Work>
  void run(std::int64_t pieces, const Work& work) {
    if (pieces <= 0) return;
    if (pieces == 1 || threads_.empty()) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) work(piece);
      return;
    }
    start(pieces, &run_piece<Work>, &work);
  }

 private:
  using Call = void (*)(const void* work, std::int64_t piece);

  template <class Work>
  static void run_piece(const void* work, std::int64_t piece) {
    (*static_cast<const Work*>(work))(piece);
  }

  void start(std::int64_t pieces, Call call, const void* work);
  void take_pieces();
  void serve();
  void stop();

  // The ticket holds the round in its upper half and the next piece in its lower one. Whoever advances it by one runs
  // that piece, so that a thread that comes late finds nothing to do, and nobody waits for it.
  std::atomic<std::uint64_t> ticket_{kNoPiece};
  static constexpr std::uint64_t kNoPiece = 0xFFFFFFFF;
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> work_{nullptr};
  std::atomic<std::uint64_t> pieces_{0}, finished_{0};

  std::atomic<int> asleep_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

// Runs pieces that may throw: all of them run, and then what the lowest piece threw is thrown again.
template <class Work>
void run_guarded(ThreadTeam& team, std::int64_t pieces, const Work& work) {
  std::mutex mutex;
  std::exception_ptr problem;
  std::int64_t lowest = pieces;
  team.run(pieces, [&](std::int64_t piece) {
    try {
      work(piece);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (piece < lowest) problem = std::current_exception();
      lowest = std::min(lowest, piece);
    }
  });
  if (problem) std::rethrow_exception(problem);
}

// Makes this thread treat denormal numbers as zero.
void flush_denormals();

// How many threads this process may use: its CPU affinity, and its share where a container limits that.
int available_threads();

}  // namespace dragoman
