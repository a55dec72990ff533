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

ThreadTeam::ThreadTeam(int threads) {
  flush_denormals();
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work_until_stopped(); });
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

// Runs one round: 1. voids the old ticket; 2. stores what the round is to run; 3. publishes the new ticket, then the
// number of the round, with which the spinning threads start; 4. wakes sleeping threads, no more than there are pieces
// for; 5. runs pieces itself, then waits for the pieces that other threads took.
void ThreadTeam::run_round(std::int64_t pieces, Call call, const void* work) {
  const std::uint64_t round = (ticket_.load() >> 32) + 1;
  ticket_ = round << 32 | kNoPiece;  // from here on a late thread's old ticket is void
  // Release order: a thread that sees one of these values also sees that its old ticket is void. Otherwise, on a
  // machine with weak memory ordering, a late thread could see the new number of pieces with the old ticket and take a
  // piece that does not exist.
  call_.store(call, std::memory_order_release);
  work_.store(work, std::memory_order_release);
  pieces_.store(static_cast<std::uint64_t>(pieces), std::memory_order_release);
  finished_.store(0, std::memory_order_release);
  ticket_ = round << 32;
  ready_ = round;
  for (std::int64_t helpers = std::min<std::int64_t>(sleeping_.load(), pieces - 1); helpers > 0; --helpers) {
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
  }
  run_pieces();
  const auto done = [&] { return finished_.load(std::memory_order_acquire) == static_cast<std::uint64_t>(pieces); };
  while (!spin_until(done)) std::this_thread::yield();
}

// Takes pieces of the current round and runs them until none is left.
void ThreadTeam::run_pieces() {
  while (true) {
    std::uint64_t ticket = ticket_.load();
    const Call call = call_.load(std::memory_order_acquire);
    const void* work = work_.load(std::memory_order_acquire);
    const std::uint64_t piece = ticket & kNoPiece;
    if (piece >= pieces_.load(std::memory_order_acquire)) return;
    // If the ticket is unchanged, then call and work belong to its round, and the piece is ours.
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
    call(work, static_cast<std::int64_t>(piece));
    finished_.fetch_add(1, std::memory_order_release);
  }
}

// The body of each thread: waits for a round, first spinning and then asleep, and takes pieces of it.
void ThreadTeam::work_until_stopped() {
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
    run_pieces();
  }
}

}  // namespace dragoman
