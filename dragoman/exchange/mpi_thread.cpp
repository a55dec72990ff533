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

// Whether a message has been sent or received.
bool is_done(MpiCalls& mpi, MpiRequest& request) { return request == MpiRequest::kNone || mpi.end_of(request); }

}  // namespace

MpiThread::MpiThread(MpiCalls& mpi, Report report) : mpi_(mpi), report_(std::move(report)) {
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
  require<Error>(mpi_.initialise(), "this MPI library cannot be used by a program with threads.");
  rank_ = mpi_.rank();
  const int ranks = mpi_.ranks();
  // Every rank learns the machine and the process of all others.
  struct Entry {
    std::array<char, 256> host{};
    std::int64_t process = 0;
  };
  const std::string host = host_name();
  Entry mine{.process = ::getpid()};
  std::ranges::copy(host, mine.host.begin());
  std::vector<Entry> all(static_cast<std::size_t>(ranks));
  MpiRequest gathering = mpi_.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  while (!is_done(mpi_, gathering)) std::this_thread::sleep_for(kNap);
  std::vector<Peer> peers;
  for (const Entry& entry : all) peers.push_back({.host = entry.host.data(), .process = entry.process});
  local_rank_ = static_cast<int>(
      std::count_if(peers.begin(), peers.begin() + rank_, [&](const Peer& peer) { return peer.host == host; }));
  beats_.emplace(rank_, std::move(peers), Clock::now());
  sent_.resize(all.size());
  received_.resize(all.size());
  sending_.resize(all.size(), MpiRequest::kNone);
  receiving_.resize(all.size(), MpiRequest::kNone);
  for (int i = 0; i < ranks; ++i) {
    if (i != rank_) expect_beat(i);
  }
  is_watching_ = true;
  if (rank_ != 0) return;
  failure_text_.resize(kMaxReason);
  failure_ = mpi_.receive(Channel::kWatching, std::as_writable_bytes(std::span(failure_text_)), MpiCalls::kAnyRank,
                          kReasonTag);
}

void MpiThread::wait(std::span<MpiRequest> requests, Limit limit) {
  const auto start = Clock::now();
  ++own_beat_.exchanges;
  while (!std::ranges::all_of(requests, [&](MpiRequest& request) { return is_done(mpi_, request); })) {
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
  if (!is_watching_ || now < next_watch_) return;
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
  const std::span beat(&received_[i], 1);
  receiving_[i] = mpi_.receive(Channel::kWatching, std::as_writable_bytes(beat), rank, kBeatTag);
}

// A beat is left out if the one before is still on its way.
void MpiThread::send_beats() {
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (rank == rank_ || !is_done(mpi_, sending_[i])) continue;
    sent_[i] = own_beat_;
    sending_[i] = mpi_.send(Channel::kWatching, std::as_bytes(std::span(&sent_[i], 1)), rank, kBeatTag);
  }
}

void MpiThread::receive_beats(Heartbeats::Time now) {
  beats_->hear(rank_, own_beat_, now);
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    while (rank != rank_ && is_done(mpi_, receiving_[i])) {
      beats_->hear(rank, received_[i], now);
      expect_beat(rank);
    }
  }
}

// Only rank 0 receives reasons.
std::optional<Failure> MpiThread::received_failure() {
  if (failure_ == MpiRequest::kNone) return std::nullopt;
  const std::optional<MpiCalls::End> end = mpi_.end_of(failure_);
  if (!end) return std::nullopt;
  const std::string reason(failure_text_.data(), end->bytes);
  return Failure{end->from, join(beats_->name_of(end->from), " failed: ", reason)};
}

void MpiThread::send_failure(const std::string& sentence) {
  const auto bytes = std::as_bytes(std::span(sentence)).first(std::min(sentence.size(), kMaxReason));
  MpiRequest request = mpi_.send(Channel::kWatching, bytes, 0, kReasonTag);
  const auto end = Clock::now() + kReasonTime;
  while (!is_done(mpi_, request) && Clock::now() < end) std::this_thread::sleep_for(kNap);
}

// Rank 0 waits for a message of each rank, then answers all. In a barrier of MPI, which is made of messages between
// many ranks, rank 0 may pass while others still wait for a rank that hangs, and then nobody would report it.
void MpiThread::meet() {
  std::vector<MpiRequest> requests;
  const auto receive = [&](int from) { requests.push_back(mpi_.receive(Channel::kTraining, {}, from, kMeetTag)); };
  const auto send = [&](int to) { requests.push_back(mpi_.send(Channel::kTraining, {}, to, kMeetTag)); };
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
  for (const MpiRequest request : receiving_) {
    if (request != MpiRequest::kNone) mpi_.cancel(request);
  }
  for (const MpiRequest request : sending_) {
    if (request != MpiRequest::kNone) mpi_.release(request);
  }
  is_watching_ = false;
  mpi_.finalise();
}

void MpiThread::abort(int status) {
  mpi_.abort(status);
  std::abort();  // not reached
}

}  // namespace dragoman::exchange
