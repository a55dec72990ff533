#include "dragoman/exchange/mpi_thread.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "dragoman/exchange/exchange.h"

namespace dragoman::exchange {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxReason = 4096;  // bytes of a reason
// A message from a neighbour usually arrives within this time. After it the thread sleeps between its looks, because
// other ranks may need the processor.
constexpr auto kBusyTime = std::chrono::microseconds(200);
constexpr auto kNap = std::chrono::microseconds(50);
constexpr auto kBetweenChecks = std::chrono::milliseconds(100);  // whether the other processes are alive
// A failed rank sends its reason before it ends, so it is given this long to arrive.
constexpr auto kReasonTime = std::chrono::milliseconds(300);

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

MpiThread::MpiThread() {
  thread_ = std::thread([this] { serve(); });
  run([this] { initialise(); });
}

MpiThread::~MpiThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MpiThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || work_ != nullptr; });
    if (stop_) return;
    lock.unlock();
    std::exception_ptr problem;
    try {
      (*work_)();
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    problem_ = problem;
    work_ = nullptr;
    changed_.notify_all();
  }
}

void MpiThread::run(const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [&] { return work_ == nullptr; });
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void MpiThread::initialise() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  require<Error>(provided >= MPI_THREAD_FUNNELED, "this MPI library cannot be used by a program with threads.");
  MPI_Comm_dup(MPI_COMM_WORLD, &failures_);
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Every rank learns the machine and the process of all others.
  struct Entry {
    std::array<char, 256> host{};
    std::int64_t process = 0;
  };
  host_ = host_name();
  Entry mine{.process = ::getpid()};
  std::ranges::copy(host_, mine.host.begin());
  std::vector<Entry> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof(Entry), MPI_BYTE, all.data(), sizeof(Entry), MPI_BYTE, MPI_COMM_WORLD);
  for (const Entry& entry : all) peers_.push_back({.host = entry.host.data(), .process = entry.process});
  local_rank_ = static_cast<int>(
      std::count_if(peers_.begin(), peers_.begin() + rank_, [&](const Peer& peer) { return peer.host == host_; }));
  if (rank_ != 0) return;
  failure_text_.resize(kMaxReason);
  MPI_Irecv(failure_text_.data(), static_cast<int>(kMaxReason), MPI_CHAR, MPI_ANY_SOURCE, 0, failures_, &failure_);
}

void MpiThread::wait(std::span<MPI_Request> requests, Watch watch) {
  const auto start = Clock::now();
  auto next_check = start + kBetweenChecks;
  while (true) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    const auto now = Clock::now();
    if (watch == Watch::kRanks) {
      require_no_failure();
      if (now >= next_check) {
        require_all_alive();
        next_check = now + kBetweenChecks;
      }
    }
    now - start < kBusyTime ? std::this_thread::yield() : std::this_thread::sleep_for(kNap);
  }
}

// Only rank 0 receives reasons.
void MpiThread::require_no_failure() {
  if (failure_ == MPI_REQUEST_NULL) return;
  int arrived = 0;
  MPI_Status status;
  MPI_Test(&failure_, &arrived, &status);
  if (arrived == 0) return;
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  const std::string reason(failure_text_.data(), static_cast<std::size_t>(length));
  throw RankError(join("rank ", status.MPI_SOURCE, " on ", peers_[static_cast<std::size_t>(status.MPI_SOURCE)].host,
                       " failed: ", reason));
}

// Processes of other machines are taken to be alive.
bool MpiThread::is_alive(const Peer& peer) const {
  return peer.host != host_ || ::kill(static_cast<pid_t>(peer.process), 0) == 0 || errno != ESRCH;
}

int MpiThread::lowest_alive() const {
  const auto found = std::ranges::find_if(peers_, [&](const Peer& peer) { return is_alive(peer); });
  return static_cast<int>(found - peers_.begin());
}

void MpiThread::require_all_alive() const {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (is_alive(peers_[i])) continue;
    throw RankError(join("rank ", i, " (process ", peers_[i].process, " on ", host_,
                         ") ended, so all others end too; the last checkpoint was not changed. Start the same command "
                         "again to continue from it."));
  }
}

void MpiThread::require_all_well() {
  require_no_failure();
  require_all_alive();
}

void MpiThread::send_failure(const std::string& sentence) {
  const int length = static_cast<int>(std::min(sentence.size(), kMaxReason));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(sentence.data(), length, MPI_CHAR, 0, 0, failures_, &request);
  const auto end = Clock::now() + kReasonTime;
  for (int done = 0; done == 0 && Clock::now() < end; std::this_thread::sleep_for(kNap)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

// MPI_Finalize() waits for the other ranks without ever sleeping, and rank 0 may still have much to do.
void MpiThread::finalise() {
  MPI_Request all_are_done = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_are_done);
  wait(std::span(&all_are_done, 1), Watch::kNothing);
  if (failure_ != MPI_REQUEST_NULL) {
    MPI_Cancel(&failure_);
    MPI_Request_free(&failure_);
  }
  MPI_Comm_free(&failures_);
  MPI_Finalize();
}

void MpiThread::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // not reached
}

}  // namespace dragoman::exchange
