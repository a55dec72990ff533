#include "dragoman/exchange/heartbeats.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::exchange {

namespace {

constexpr Heartbeats::Seconds kSilence{10}, kBetweenBeats{1};
constexpr Heartbeats::Seconds kLongestBreak{1};  // between two looks of a process that is running

constexpr const char* kHowToGoOn =
    ", so all ranks end; the last checkpoint was not changed. Start the same command again to continue from it.";

}  // namespace

Heartbeats::Heartbeats(int own, std::vector<Peer> peers, Time now)
    : own_(own),
      peers_(std::move(peers)),
      records_(peers_.size(), Record{.beat = {}, .heard = now, .changed = now}),
      silence_(kSilence),
      between_beats_(kBetweenBeats),
      next_beat_(now),
      last_look_(now) {}

std::string Heartbeats::name_of(int rank) const {
  return join("rank ", rank, " (process ", peer(rank).process, " on ", peer(rank).host, ")");
}

void Heartbeats::limit_waits(Seconds most) {
  most_wait_ = most;
  silence_ = std::min(kSilence, most);
  between_beats_ = std::min(kBetweenBeats, silence_ / 4);
}

bool Heartbeats::takes_beat(Time now) {
  if (now < next_beat_) return false;
  next_beat_ = now + std::chrono::duration_cast<Time::duration>(between_beats_);
  return true;
}

void Heartbeats::hear(int rank, const Beat& beat, Time now) {
  Record& record = records_[static_cast<std::size_t>(rank)];
  record.heard = now;
  if (beat == record.beat) return;
  record.beat = beat;
  record.changed = now;
}

std::optional<Failure> Heartbeats::failure(Time now) {
  if (now - std::exchange(last_look_, now) > kLongestBreak) {
    for (Record& record : records_) record.heard = record.changed = now;
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    if (records_[static_cast<std::size_t>(rank)].ended) return Failure{rank, join(name_of(rank), " ended", kHowToGoOn)};
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank == own_ || !is_silent(records_[static_cast<std::size_t>(rank)], now)) continue;
    return Failure{rank, join(name_of(rank), " has been silent for ", silence_.count(), " seconds", kHowToGoOn)};
  }
  return standstill(now);
}

// A rank that computes for long is no failure while nobody waits for it.
std::optional<Failure> Heartbeats::standstill(Time now) const {
  if (!most_wait_) return std::nullopt;
  const auto waits_too_long = [&](const Record& record) {
    return record.beat.waiting != 0 && stands_still(record, now);
  };
  if (std::ranges::none_of(records_, waits_too_long)) return std::nullopt;
  for (int rank = 0; rank < ranks(); ++rank) {
    const Record& record = records_[static_cast<std::size_t>(rank)];
    if (record.beat.waiting != 0 || !stands_still(record, now)) continue;
    return Failure{rank, join(name_of(rank), " has kept the others waiting for ", most_wait_->count(),
                              " seconds (exchange-timeout)", kHowToGoOn)};
  }
  if (!std::ranges::all_of(records_, waits_too_long)) return std::nullopt;
  return Failure{-1, join("no message between the ranks has arrived for ", most_wait_->count(),
                          " seconds (exchange-timeout)", kHowToGoOn)};
}

int Heartbeats::reporter(const Failure& failure, Time now) const {
  for (int rank = 0; rank < ranks(); ++rank) {
    const Record& record = records_[static_cast<std::size_t>(rank)];
    const bool is_well = rank != failure.rank && !record.ended && (rank == own_ || !is_silent(record, now));
    if (is_well) return rank;
  }
  return own_;
}

}  // namespace dragoman::exchange
