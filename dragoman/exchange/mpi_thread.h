// The thread that makes every call of MPI. Others give it work and wait. With or without work, it sends heartbeats and
// watches those of the other ranks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/exchange/exchange.h"
#include "dragoman/exchange/heartbeats.h"
#include "dragoman/exchange/mpi_calls.h"

namespace dragoman::exchange {

class MpiThread {
 public:
  // Starts the thread, which initialises MPI. `report` prints the failure of another rank, if this one has to.
  MpiThread(MpiCalls& mpi, Report report);
  ~MpiThread();
  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  // Runs work on the thread and waits for it; rethrows what it throws. Several threads may call this.
  void run(const std::function<void()>& work);
  // The same for work that calls MPI while there are no heartbeats, so that another rank may block it. If it takes more
  // than a minute, prints a sentence, unless that is empty, and ends the program.
  void run_or_end(const std::function<void()>& work, const std::string& sentence, int status);

  // Set once MPI is initialised.
  int rank() const { return rank_; }
  int ranks() const { return beats_->ranks(); }
  int local_rank() const { return local_rank_; }

  // The functions below may be called in work only.

  // Whether the exchange timeout holds for a wait.
  enum class Limit : std::uint8_t { kExchangeTimeout, kNone };
  // Waits for requests. Throws a RankError if another rank failed.
  void wait(std::span<MpiRequest> requests, Limit limit = Limit::kExchangeTimeout);
  // Throws a RankError if another rank failed. To be called again and again by a rank that waits for others.
  void require_all_well(Limit limit = Limit::kExchangeTimeout);
  void limit_waits(double seconds) { beats_->limit_waits(Heartbeats::Seconds(seconds)); }
  // Sends rank 0 the reason of a failure.
  void send_failure(const std::string& sentence);
  // The failure of another rank, and whether this rank reports it.
  struct Found {
    Failure failure;
    bool reported_here = false;
  };
  const std::optional<Found>& found() const { return found_; }
  void report() { report_(found_->failure.sentence); }
  // Waits until all ranks have come here.
  void meet();
  // After this, run() must not be called.
  void finalise();
  [[noreturn]] void abort(int status);

 private:
  using Channel = MpiCalls::Channel;

  void serve();
  void initialise();
  // Sends and receives heartbeats and looks for failures; ends the program if one was found long ago.
  void watch();
  void expect_beat(int rank);
  void send_beats();
  void receive_beats(Heartbeats::Time now);
  std::optional<Failure> received_failure();

  MpiCalls& mpi_;
  Report report_;
  int rank_ = 0, local_rank_ = 0;
  std::optional<Heartbeats> beats_;  // set by initialise()
  Beat own_beat_;
  std::optional<Found> found_;
  Heartbeats::Time next_watch_, found_at_;

  bool is_watching_ = false;  // after initialise() and before finalise()
  MpiRequest failure_ = MpiRequest::kNone;
  std::vector<char> failure_text_;
  // By rank; those of the own rank are not used.
  std::vector<Beat> sent_, received_;
  std::vector<MpiRequest> sending_, receiving_;

  std::mutex caller_;  // held by the thread whose work is done
  // mutex_ guards the members below, except thread_.
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr problem_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace dragoman::exchange
