// A team of threads that runs one kernel at a time, divided into numbered pieces. What a piece computes depends on its
// number only, never on the thread that runs it.
//
// Each thread first takes the pieces of its own share: of n pieces and T threads, thread t has those from t n / T up to
// (t + 1) n / T, both rounded down and the last left out. So what a kernel writes in some part of its pieces, the next
// one mostly reads on the same thread, from the cache of that processor. A thread that has finished its share takes
// pieces of the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

class ThreadTeam {
 public:
  // The calling thread is one of the `threads`; fewer than one count as one. Denormal numbers are flushed to zero on
  // every thread of the team, the calling one included, because they would slow training down a hundredfold. Throws an
  // Error if the system cannot start that many threads.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(shares_.size()); }

  // Calls work(piece) for every piece in [0, pieces) and returns when all are done. Pieces must not throw. There must
  // be fewer than 2^32 of them.
  template <class Work>
  void run(std::int64_t pieces, const Work& work) {
    if (pieces <= 0) return;
    if (pieces == 1 || threads_.empty()) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) work(piece);
      return;
    }
    run_round(pieces, &run_piece<Work>, &work);
  }

 private:
  // In bytes. What some threads change and others wait for is on different lines, so that they do not slow each other.
  static constexpr std::size_t kCacheLine = 64;
  using Call = void (*)(const void* work, std::int64_t piece);

  template <class Work>
  static void run_piece(const void* work, std::int64_t piece) {
    (*static_cast<const Work*>(work))(piece);
  }

  // A round is a call of run() for which there are several pieces and threads.
  struct Round {
    std::uint64_t number;
    std::int64_t pieces;
    Call call;
    const void* work;
  };
  // The pieces of a thread's share that nobody has taken: the ticket has the number of the round in its upper 32 bits
  // and the next piece in its lower 32. The thread that advances it by one runs that piece.
  struct alignas(kCacheLine) Share {
    std::atomic<std::uint64_t> ticket{0};
  };
  static constexpr std::uint64_t kLower = 0xFFFFFFFF;  // the lower 32 bits

  void run_round(std::int64_t pieces, Call call, const void* work);
  void run_pieces(int thread, const Round& round);
  void work_until_stopped(int thread);
  void stop();

  // Rounded down, so that the first threads have fewer pieces if the pieces are not a multiple of the threads. This
  // suits kernels whose first pieces are the largest, such as products.
  std::int64_t begin_of_share(std::int64_t thread, std::int64_t pieces) const { return thread * pieces / size(); }

  std::vector<Share> shares_;
  // The round that is being prepared, or the last one that was. The call, its work, its pieces and the number of those
  // that are finished belong to it.
  alignas(kCacheLine) std::atomic<std::uint64_t> prepared_{0};
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> work_{nullptr};
  std::atomic<std::int64_t> pieces_{0};
  alignas(kCacheLine) std::atomic<std::int64_t> finished_{0};
  // The last round that is ready. Threads wait for it to change.
  alignas(kCacheLine) std::atomic<std::uint64_t> ready_{0};

  std::atomic<int> sleeping_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

// Runs pieces that may throw. All pieces run; then the exception of the lowest piece that threw is rethrown.
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

// How many threads this process may use: the processors of its CPU affinity, limited by a container's CPU quota.
int available_threads();
// The number of threads that a setting asks for: 0 means all that this process may use.
int threads_for(int setting);

}  // namespace dragoman
