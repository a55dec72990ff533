#include "dragoman/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace dragoman {

namespace {

// How long a thread waits in a loop for the next kernel before it sleeps: kernels of a step follow each other within
// microseconds, and waking a sleeping thread costs more than that.
constexpr auto kSpin = std::chrono::microseconds(200);

void relax() {
#if defined(__SSE__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits for `done` in a loop; false if it has not come true within kSpin.
template <class Done>
bool spin_until(const Done& done) {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  for (int look = 0;; ++look) {
    if (done()) return true;
    relax();
    if (look % 64 == 63 && std::chrono::steady_clock::now() > deadline) return false;
  }
}

}  // namespace

void flush_denormals() {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush-to-zero and denormals-are-zero
#elif defined(__aarch64__)
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (std::uint64_t{1} << 24)));
#endif
}

int available_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int threads) {
  flush_denormals();
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++round_;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::start(std::int64_t pieces, Call call, const void* work) {
  call_ = call;
  work_ = work;
  pieces_ = pieces;
  next_ = 0;
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  if (asleep_.load() > 0) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  take_pieces();
  while (!spin_until([this] { return busy_.load(std::memory_order_acquire) == 0; })) std::this_thread::yield();
}

void ThreadTeam::take_pieces() {
  for (std::int64_t piece; (piece = next_.fetch_add(1, std::memory_order_relaxed)) < pieces_;) call_(work_, piece);
}

void ThreadTeam::serve() {
  flush_denormals();
  std::uint64_t seen = 0;
  while (true) {
    const auto called = [&] { return round_.load() != seen; };
    if (!spin_until(called)) {
      std::unique_lock lock(mutex_);
      ++asleep_;
      wake_.wait(lock, called);
      --asleep_;
    }
    seen = round_.load();
    if (stop_) return;
    take_pieces();
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace dragoman
