// Judges by heartbeats which rank of a training run has failed. It keeps times and decides; mpi_thread.h sends and
// receives.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::exchange {

// A rank of the run, as messages name it.
struct Peer {
  std::string host;
  std::int64_t process = 0;
};

// What a rank tells the others from time to time.
struct Beat {
  std::int64_t exchanges = 0;  // how many it has begun
  std::int64_t waiting = 0;    // 1 while it waits for one of them
  bool operator==(const Beat&) const = default;
};

struct Failure {
  int rank = 0;          // whose fault it is; -1 if that is not known
  std::string sentence;  // for the user
};

// All functions take the present time. Beats of the own rank count like those of the others.
class Heartbeats {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;

  Heartbeats(int own, std::vector<Peer> peers, Time now);

  int ranks() const { return static_cast<int>(peers_.size()); }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  std::string name_of(int rank) const;  // "rank 2 (process 123 on host)"

  // How long others may wait for a rank that beats but does nothing. There is no limit before this is called. A shorter
  // time than that for silence also limits silence.
  void limit_waits(Seconds most);

  // Whether a beat has to be sent. The next one is due a while later.
  bool takes_beat(Time now);
  void hear(int rank, const Beat& beat, Time now);
  // The process of a rank is gone.
  void mark_ended(int rank) { records_[static_cast<std::size_t>(rank)].ended = true; }

  // A rank that has ended, has been silent, or has kept others waiting for too long. To be called several times a
  // second: after a longer break the own process was not running, so it cannot blame others for their silence.
  std::optional<Failure> failure(Time now);
  // The rank that reports a failure: the lowest one that is well.
  int reporter(const Failure& failure, Time now) const;

 private:
  struct Record {
    Beat beat;
    Time heard, changed;  // when a beat arrived, and when it last differed from the one before
    bool ended = false;
  };
  bool is_silent(const Record& record, Time now) const { return now - record.heard > silence_; }
  bool stands_still(const Record& record, Time now) const { return now - record.changed > *most_wait_; }
  std::optional<Failure> standstill(Time now) const;

  int own_;
  std::vector<Peer> peers_;      // by rank
  std::vector<Record> records_;  // by rank
  Seconds silence_, between_beats_;
  std::optional<Seconds> most_wait_;
  Time next_beat_, last_look_;
};

}  // namespace dragoman::exchange
