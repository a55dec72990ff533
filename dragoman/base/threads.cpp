#include "dragoman/base/threads.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/machine.h"
#include "dragoman/base/strings.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace dragoman {

namespace {

// How long a thread spins for the next kernel before it sleeps. The kernels of a step follow each other within
// microseconds, and waking a sleeping thread takes longer than that.
constexpr auto kSpin = std::chrono::microseconds(200);

void pause_cpu() {
#if defined(__SSE__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until done() is true. Returns false if it is not true within kSpin. Yields now and then, so that other threads
// can run on a busy machine.
template <class Done>
bool spin_until(const Done& done) {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  while (true) {
    for (int look = 0; look < 64; ++look) {
      if (done()) return true;
      pause_cpu();
    }
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
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
  const std::optional<double> quota = cpu_quota();
  const int processors = allowed_processors();
  return quota ? std::clamp(static_cast<int>(*quota), 1, processors) : processors;
}

int threads_for(int setting) { return setting > 0 ? setting : available_threads(); }

ThreadTeam::ThreadTeam(int threads) : shares_(static_cast<std::size_t>(std::max(1, threads))) {
  flush_denormals();
  try {
    threads_.reserve(shares_.size() - 1);
    for (int i = 1; i < size(); ++i) threads_.emplace_back([this, i] { work_until_stopped(i); });
  } catch (const std::system_error&) {
    const std::size_t started = threads_.size();
    stop();
    throw Error(
        join("the system started only ", started, " of ", counted(threads - 1, "thread"), ". Use fewer threads."));
  }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Runs one round: stores what it is to run and the shares, then publishes its number, which starts the spinning
// threads, and wakes sleeping threads, no more than there are pieces for. Then it runs pieces itself, and waits for the
// pieces that other threads took.
void ThreadTeam::run_round(std::int64_t pieces, Call call, const void* work) {
  const std::uint64_t number = prepared_.load() + 1;
  prepared_ = number;
  // Release order: a thread that sees one of these values also sees the new number of the round.
  call_.store(call, std::memory_order_release);
  work_.store(work, std::memory_order_release);
  pieces_.store(pieces, std::memory_order_release);
  finished_.store(0, std::memory_order_release);
  for (std::size_t thread = 0; thread < shares_.size(); ++thread) {
    const auto first = static_cast<std::uint64_t>(begin_of_share(static_cast<std::int64_t>(thread), pieces));
    shares_[thread].ticket.store(number << 32 | first, std::memory_order_release);
  }
  ready_ = number;
  for (std::int64_t helpers = std::min<std::int64_t>(sleeping_.load(), pieces - 1); helpers > 0; --helpers) {
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
  }
  run_pieces(0, {number, pieces, call, work});
  const auto done = [&] { return finished_.load(std::memory_order_acquire) == pieces; };
  while (!spin_until(done)) std::this_thread::yield();
}

// Takes pieces of a round and runs them until none is left: first those of the thread's own share, then those of the
// threads after it.
void ThreadTeam::run_pieces(int thread, const Round& round) {
  for (int i = 0; i < size(); ++i) {
    const int owner = (thread + i) % size();
    const std::int64_t begin = begin_of_share(owner, round.pieces), end = begin_of_share(owner + 1, round.pieces);
    if (begin == end) continue;
    std::atomic<std::uint64_t>& share = shares_[static_cast<std::size_t>(owner)].ticket;
    std::uint64_t ticket = share.load();
    // A thread that is late for the round meets a ticket of a later one, and takes nothing.
    while (ticket >> 32 == (round.number & kLower) && static_cast<std::int64_t>(ticket & kLower) < end) {
      if (!share.compare_exchange_weak(ticket, ticket + 1)) continue;
      round.call(round.work, static_cast<std::int64_t>(ticket & kLower));
      finished_.fetch_add(1, std::memory_order_release);
      ticket = share.load();
    }
  }
}

// The body of each thread: waits for a round, first spinning and then asleep, and takes pieces of it.
void ThreadTeam::work_until_stopped(int thread) {
  flush_denormals();
  std::uint64_t seen = 0;  // the last round that this thread took part in
  while (true) {
    const auto called = [&] { return stop_.load() || ready_.load() != seen; };
    if (!spin_until(called)) {
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, called);
      --sleeping_;
    }
    if (stop_) return;
    seen = ready_.load();
    const Round round{seen, pieces_.load(std::memory_order_acquire), call_.load(std::memory_order_acquire),
                      work_.load(std::memory_order_acquire)};
    // If a later round is being prepared, then the one that was seen is over, and the values may be of either.
    if (prepared_.load() == seen) run_pieces(thread, round);
  }
}

}  // namespace dragoman
