// A team of threads that runs the pieces of one kernel at a time. The pieces are numbered, and what each one computes
// depends on its number alone, never on the thread that happens to run it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

class ThreadTeam {
 public:
  // The calling thread is one of the `threads`. Denormal numbers are flushed to zero on every thread of the team,
  // the calling one included, because they would slow training down a hundredfold.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls work(piece) for every piece in [0, pieces) and returns when all are done. Pieces must not throw.
  template <class Work>
  void run(std::int64_t pieces, const Work& work) {
    if (pieces <= 0) return;
    if (pieces == 1 || threads_.empty()) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) work(piece);
      return;
    }
    start(
        pieces, [](const void* w, std::int64_t piece) { (*static_cast<const Work*>(w))(piece); }, &work);
  }

 private:
  using Call = void (*)(const void* work, std::int64_t piece);

  void start(std::int64_t pieces, Call call, const void* work);
  void take_pieces();
  void serve();

  std::vector<std::thread> threads_;
  Call call_ = nullptr;
  const void* work_ = nullptr;
  std::int64_t pieces_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::atomic<int> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> asleep_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
};

// Makes this thread treat denormal numbers as zero.
void flush_denormals();

// How many threads this process may use (its CPU affinity).
int available_threads();

}  // namespace dragoman
