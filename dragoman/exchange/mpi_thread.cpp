#include "dragoman/exchange/mpi_thread.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace dragoman::exchange {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxReason = 4096;  // bytes of a reason
// A message from a neighbour usually arrives within this time, once both ranks are there. After it the thread sleeps
// between its looks, because other ranks may need the processor. MPI moves data only during looks, so a sleeping thread
// would slow a message down.
constexpr auto kBusyTime = std::chrono::milliseconds(2);
constexpr auto kNap = std::chrono::microseconds(50);
constexpr auto kBetweenWatches = std::chrono::milliseconds(100);
// A failed rank sends its reason before it ends, so it is given this long to arrive.
constexpr auto kReasonTime = std::chrono::milliseconds(300);
// How long a rank may go on after the failure of another one was found, for instance to finish a checkpoint.
constexpr auto kTimeToEnd = std::chrono::seconds(10);

// MPI_Init() and MPI_Finalize() wait for all ranks, and do not notice if one of them hangs.
constexpr auto kTimeToMeet = std::chrono::seconds(60);
constexpr auto kTimeForRank0 = std::chrono::seconds(5);  // by which the other ranks wait longer, so that one speaks

constexpr int kReasonTag = 0, kBeatTag = 1, kMeetTag = 2;

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Whether the process of a rank is there. Processes of other machines are taken to be.
bool is_alive(const Peer& peer, const std::string& host) {
  return peer.host != host || ::kill(static_cast<pid_t>(peer.process), 0) == 0 || errno != ESRCH;
}

}  // namespace

MpiThread::MpiThread(Report report) : report_(std::move(report)) {
  thread_ = std::thread([this] { serve(); });
  run_or_end([this] { initialise(); },
             "not all processes have joined the run within a minute, so those that have end; look whether one of them "
             "hangs, and start the same command again.",
             1);
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
    const bool has_work = changed_.wait_for(lock, kBetweenWatches, [&] { return stop_ || work_ != nullptr; });
    if (stop_) return;
    if (!has_work) own_beat_.waiting = 0;
    lock.unlock();
    std::exception_ptr problem;
    try {
      has_work ? (*work_)() : watch();
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    if (!has_work) continue;
    problem_ = problem;
    work_ = nullptr;
    changed_.notify_all();
  }
}

void MpiThread::run(const std::function<void()>& work) {
  const std::lock_guard caller(caller_);
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [&] { return work_ == nullptr; });
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void MpiThread::run_or_end(const std::function<void()>& work, const std::string& sentence, int status) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  const auto limit = launched_rank() == 0 ? kTimeToMeet : kTimeToMeet + kTimeForRank0;
  if (!changed_.wait_for(lock, limit, [&] { return work_ == nullptr; })) {
    if (!sentence.empty()) report_(sentence);
    std::_Exit(status);
  }
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void MpiThread::initialise() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  require<Error>(provided >= MPI_THREAD_FUNNELED, "this MPI library cannot be used by a program with threads.");
  MPI_Comm_dup(MPI_COMM_WORLD, &watching_);
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Every rank learns the machine and the process of all others.
  struct Entry {
    std::array<char, 256> host{};
    std::int64_t process = 0;
  };
  const std::string host = host_name();
  Entry mine{.process = ::getpid()};
  std::ranges::copy(host, mine.host.begin());
  std::vector<Entry> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof(Entry), MPI_BYTE, all.data(), sizeof(Entry), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<Peer> peers;
  for (const Entry& entry : all) peers.push_back({.host = entry.host.data(), .process = entry.process});
  local_rank_ = static_cast<int>(
      std::count_if(peers.begin(), peers.begin() + rank_, [&](const Peer& peer) { return peer.host == host; }));
  beats_.emplace(rank_, std::move(peers), Clock::now());
  sent_.resize(all.size());
  received_.resize(all.size());
  sending_.resize(all.size(), MPI_REQUEST_NULL);
  receiving_.resize(all.size(), MPI_REQUEST_NULL);
  for (int i = 0; i < ranks; ++i) {
    if (i != rank_) expect_beat(i);
  }
  if (rank_ != 0) return;
  failure_text_.resize(kMaxReason);
  MPI_Irecv(failure_text_.data(), static_cast<int>(kMaxReason), MPI_CHAR, MPI_ANY_SOURCE, kReasonTag, watching_,
            &failure_);
}

void MpiThread::wait(std::span<MPI_Request> requests, Limit limit) {
  const auto start = Clock::now();
  ++own_beat_.exchanges;
  while (true) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) break;
    require_all_well(limit);
    Clock::now() - start < kBusyTime ? std::this_thread::yield() : std::this_thread::sleep_for(kNap);
  }
  own_beat_.waiting = 0;
}

void MpiThread::require_all_well(Limit limit) {
  own_beat_.waiting = limit == Limit::kExchangeTimeout ? 1 : 0;
  watch();
  if (found_) throw RankError(found_->failure.sentence);
}

void MpiThread::watch() {
  const auto now = Clock::now();
  if (watching_ == MPI_COMM_NULL || now < next_watch_) return;
  next_watch_ = now + kBetweenWatches;
  if (beats_->takes_beat(now)) send_beats();
  if (found_) {
    if (found_->reported_here && now - found_at_ > kTimeToEnd) abort(1);
    return;
  }
  receive_beats(now);
  const std::string& host = beats_->peer(rank_).host;
  for (int i = 0; i < ranks(); ++i) {
    if (!is_alive(beats_->peer(i), host)) beats_->mark_ended(i);
  }
  std::optional<Failure> failure = received_failure();
  if (!failure) failure = beats_->failure(now);
  if (!failure) return;
  found_ = Found{.failure = *failure, .reported_here = beats_->reporter(*failure, now) == rank_};
  found_at_ = now;
  if (found_->reported_here) report();
}

void MpiThread::expect_beat(int rank) {
  const auto i = static_cast<std::size_t>(rank);
  MPI_Irecv(&received_[i], sizeof(Beat), MPI_BYTE, rank, kBeatTag, watching_, &receiving_[i]);
}

// A beat is left out if the one before is still on its way.
void MpiThread::send_beats() {
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    int is_free = 1;
    MPI_Test(&sending_[i], &is_free, MPI_STATUS_IGNORE);
    if (rank == rank_ || is_free == 0) continue;
    sent_[i] = own_beat_;
    MPI_Isend(&sent_[i], sizeof(Beat), MPI_BYTE, rank, kBeatTag, watching_, &sending_[i]);
  }
}

void MpiThread::receive_beats(Heartbeats::Time now) {
  beats_->hear(rank_, own_beat_, now);
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    while (rank != rank_) {
      int arrived = 0;
      MPI_Test(&receiving_[i], &arrived, MPI_STATUS_IGNORE);
      if (arrived == 0) break;
      beats_->hear(rank, received_[i], now);
      expect_beat(rank);
    }
  }
}

// Only rank 0 receives reasons.
std::optional<Failure> MpiThread::received_failure() {
  if (failure_ == MPI_REQUEST_NULL) return std::nullopt;
  int arrived = 0;
  MPI_Status status;
  MPI_Test(&failure_, &arrived, &status);
  if (arrived == 0) return std::nullopt;
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  const std::string reason(failure_text_.data(), static_cast<std::size_t>(length));
  return Failure{status.MPI_SOURCE, join(beats_->name_of(status.MPI_SOURCE), " failed: ", reason)};
}

void MpiThread::send_failure(const std::string& sentence) {
  const int length = static_cast<int>(std::min(sentence.size(), kMaxReason));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(sentence.data(), length, MPI_CHAR, 0, kReasonTag, watching_, &request);
  const auto end = Clock::now() + kReasonTime;
  for (int done = 0; done == 0 && Clock::now() < end; std::this_thread::sleep_for(kNap)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

// Rank 0 waits for a message of each rank, then answers all. In a barrier of MPI, which is made of messages between
// many ranks, rank 0 may pass while others still wait for a rank that hangs, and then nobody would report it.
void MpiThread::meet() {
  std::vector<MPI_Request> requests;
  const auto receive = [&](int from) {
    MPI_Irecv(nullptr, 0, MPI_BYTE, from, kMeetTag, MPI_COMM_WORLD, &requests.emplace_back());
  };
  const auto send = [&](int to) {
    MPI_Isend(nullptr, 0, MPI_BYTE, to, kMeetTag, MPI_COMM_WORLD, &requests.emplace_back());
  };
  if (rank_ > 0) {
    send(0);
    receive(0);
    return wait(requests, Limit::kNone);
  }
  for (int rank = 1; rank < ranks(); ++rank) receive(rank);
  wait(requests, Limit::kNone);
  for (int rank = 1; rank < ranks(); ++rank) send(rank);
  wait(requests, Limit::kNone);
}

void MpiThread::finalise() {
  receiving_.push_back(failure_);
  for (MPI_Request& request : receiving_) {
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  for (MPI_Request& request : sending_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  MPI_Comm_free(&watching_);
  MPI_Finalize();
}

void MpiThread::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // not reached
}

}  // namespace dragoman::exchange
