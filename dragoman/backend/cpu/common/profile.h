// A profile of the CPU's time: for each launch its name, the time that it took, and the time that its pieces took on
// all threads together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <source_location>
#include <string>

#include "dragoman/base/threads.h"

namespace dragoman::cpu {

class Profile {
 public:
  // Runs a launch and adds its times to those with the same name.
  template <class Work>
  void run(ThreadTeam& team, std::int64_t pieces, const Work& work, const std::string& name) {
    std::atomic<std::int64_t> in_pieces = 0;
    const auto start = Clock::now();
    team.run(pieces, [&](std::int64_t piece) {
      const auto began = Clock::now();
      work(piece);
      in_pieces.fetch_add(nanoseconds(Clock::now() - began), std::memory_order_relaxed);
    });
    Times& times = times_[name];
    times.whole += nanoseconds(Clock::now() - start);
    times.in_pieces += in_pieces;
    ++times.launches;
  }

  // profile_table() of the launches since the start or since the last call.
  std::string table(int threads);

  // The name of the function that launches, without namespaces, parameters and the `do_` of kernels.
  static std::string name_of(const std::source_location& where);

 private:
  using Clock = std::chrono::steady_clock;
  static std::int64_t nanoseconds(Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }

  struct Times {
    std::int64_t whole = 0, in_pieces = 0, launches = 0;  // in nanoseconds
  };
  std::map<std::string, Times> times_;
};

}  // namespace dragoman::cpu
