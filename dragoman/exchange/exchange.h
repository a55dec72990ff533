// Connects the processes that train one model together. Each process is called a rank. An exchange only moves numbers;
// its caller adds them. (Sums that a library makes depend on the number of ranks.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/base/error.h"

namespace dragoman::exchange {

// Another rank failed, died or fell silent.
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

  // For a rank other than 0 that failed: tells rank 0 why, which reports it and ends all ranks. The sentence is empty
  // if the cause is another rank, which rank 0 notices by itself. Returns only if this rank has to report the failure:
  // rank 0 is not there any more, or does not answer in time.
  virtual void report_failure(const std::string& sentence) = 0;
};

// The rank that a launcher such as mpirun gave this process; nothing if there is no launcher.
std::optional<int> launched_rank();

// Joins the other processes of the launcher; a process without a launcher is alone. May be called once. Throws an Error
// under a launcher if this build has no MPI.
std::unique_ptr<Exchange> join_ranks();

// Whether join_ranks() was called, and there is a launcher.
bool has_joined();

// To be called at the end of the program, with its exit status. If a process that joined others ends with a failure
// (1 or 2), the others are ended too. Does nothing without a launcher.
void leave_ranks(int status);

// The library that connects processes: "Open MPI 4.1.6", or empty if this build has none.
std::string mpi_version();

}  // namespace dragoman::exchange
