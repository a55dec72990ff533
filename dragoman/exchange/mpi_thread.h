// The thread that makes every call of MPI. Others give it work and wait. While it waits for other ranks, it watches
// whether they are still there.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace dragoman::exchange {

// A rank of the run, as messages name it.
struct Peer {
  std::string host;
  std::int64_t process = 0;
};

class MpiThread {
 public:
  // Starts the thread, which initialises MPI.
  MpiThread();
  ~MpiThread();
  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  // Runs work on the thread and waits for it; rethrows what it throws.
  void run(const std::function<void()>& work);

  // Set once MPI is initialised.
  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(peers_.size()); }
  int local_rank() const { return local_rank_; }
  // The first rank whose process is there, as far as this machine can tell.
  int lowest_alive() const;

  // The functions below may be called in work() only.

  // Waits for requests. Throws a RankError if another rank failed or ended. Without a watch, only waits.
  enum class Watch : std::uint8_t { kRanks, kNothing };
  void wait(std::span<MPI_Request> requests, Watch watch = Watch::kRanks);
  // Throws a RankError if another rank failed or ended.
  void require_all_well();
  // Sends rank 0 the reason of a failure.
  void send_failure(const std::string& sentence);
  // After this, run() must not be called.
  void finalise();
  [[noreturn]] void abort(int status);

 private:
  void serve();
  void initialise();
  void require_no_failure();
  void require_all_alive() const;
  bool is_alive(const Peer& peer) const;

  int rank_ = 0, local_rank_ = 0;
  std::vector<Peer> peers_;  // by rank
  std::string host_;
  MPI_Comm failures_ = MPI_COMM_NULL;  // for reasons of failures, apart from all other messages
  MPI_Request failure_ = MPI_REQUEST_NULL;
  std::vector<char> failure_text_;

  // mutex_ guards the members below, except thread_.
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr problem_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace dragoman::exchange
