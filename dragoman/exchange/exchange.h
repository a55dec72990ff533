// Connects the processes that train one model together. Each process is called a rank. An exchange only moves numbers;
// its caller adds them. (Sums that a library makes depend on the number of ranks.)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"

namespace dragoman::exchange {

// Another rank failed, died, fell silent or keeps the others waiting. One of the ranks reports it.
struct RankError : Error {
  using Error::Error;
};

// All functions but rank(), ranks(), local_rank() and check() wait for the other ranks, which must make the same calls
// in the same order. They throw a RankError if another rank failed or ended. Arrays are contiguous.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual int rank() const = 0;        // 0 leads
  virtual int ranks() const = 0;       // how many there are
  virtual int local_rank() const = 0;  // number among the ranks of the same machine, which chooses its GPU
  bool leads() const { return rank() == 0; }

  // Sends one array to `partner` and receives another one from it; the partner does the same.
  virtual void trade(const Backend& on, int partner, const Array& out, Array in) = 0;
  virtual void send(const Backend& on, int to, const Array& array) = 0;
  virtual void receive(const Backend& on, int from, Array array) = 0;

  // Throws a RankError if another rank failed or ended. For a caller that waits for its device, which itself may wait
  // for another rank. Does not wait.
  virtual void check() = 0;

  // Every rank gives the same number of values and gets those of all, in the order of the ranks.
  virtual std::vector<std::int64_t> gather(std::span<const std::int64_t> mine) = 0;
  // Every rank gets the text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;

  // From now on, a rank that keeps others waiting for longer than this has failed. Before, there is no limit; a rank
  // that falls silent is always noticed after 10 seconds, or after this time if it is shorter.
  virtual void limit_waits(double) {}

  // For a rank other than 0 that failed: tells rank 0 why, which reports it and ends all ranks. Returns only if this
  // rank has to report the failure, because rank 0 does not answer.
  virtual void report_failure(const std::string& sentence) = 0;
  // After a RankError: returns if this rank reported the failure, so that it ends the others. Other ranks wait to be
  // ended.
  virtual void wait_for_end() {}
};

// The rank that a launcher such as mpirun gave this process; nothing if there is no launcher.
std::optional<int> launched_rank();

// Prints the sentence that says which rank failed and why. Called once at most, by another thread than that which
// trains.
using Report = std::function<void(const std::string& sentence)>;

// Joins the other processes of the launcher; a process without a launcher is alone. May be called once. Throws an Error
// under a launcher if MPI cannot be loaded.
std::unique_ptr<Exchange> join_ranks(const Report& report);

// Whether join_ranks() was called, and there is a launcher.
bool has_joined();

// To be called at the end of the program, with its exit status. If a process that joined others ends with a failure
// (1 or 2), the others are ended too. Does nothing without a launcher.
void leave_ranks(int status);

// Throws an Error if MPI, which connects processes, cannot be loaded: the build has no module for it, or the module
// does not find the library.
void require_mpi();

// The library that connects processes: "Open MPI v4.1.6", or empty if it cannot be loaded. Loads it.
std::string mpi_version();

}  // namespace dragoman::exchange
