// How the ranks of a training run divide an update: each computes the gradients of some batches, gets the sums over all
// batches for its shares of the parameter block, steps the optimiser there, and gives the others the new values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dragoman/backend/queue.h"
#include "dragoman/base/job_thread.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/train/gradient_tree.h"

namespace dragoman::train {

// What the exchanges of a rank took, since it began.
struct ExchangeTimes {
  double adding = 0;           // seconds of the thread that adds up gradients
  double waiting = 0;          // seconds that training waited for it; the rest of `adding` was hidden behind training
  double spreading = 0;        // seconds for the new values
  std::int64_t bytes_out = 0;  // sent to other ranks
};

// The block consists of buckets, see buckets_of(), and each bucket of 2^levels shares.
//
// The gradients of a bucket are added by recursive halving: rank r exchanges half of the bucket with rank r ^ 1, then
// half of the rest with r ^ 2, then with r ^ 4 and so on. Each rank owns the leaves of an aligned subtree, so this
// makes the upper levels of the tree in gradient_tree.h: the sums have the same bits for any number of ranks.
//
// A thread with a backend of its own does this, while other gradients are still being computed.
class RankShares {
 public:
  // `block` is an array with the layout of those that are exchanged. The number of ranks divides that of the shares of
  // a bucket.
  RankShares(exchange::Exchange& exchange, const Backend& on, std::vector<Share> buckets, int levels,
             const Array& block);

  // The memory in bytes for what a rank receives while gradients of this type are added up: half of the largest bucket.
  static std::size_t received_bytes(const std::vector<Share>& buckets, DType dtype);

  exchange::Exchange& exchange() const { return exchange_; }
  const std::vector<Share>& buckets() const { return buckets_; }
  // All shares, bucket by bucket.
  const std::vector<Share>& shares() const { return shares_; }
  // The ranges of the block that belong to this rank, one for each bucket.
  const std::vector<Share>& mine() const { return mine_; }
  // The numbers of this rank's shares.
  std::vector<std::size_t> own_shares() const;

  // Begins to add up the gradients of a bucket, which were launched before. All ranks add the same buckets in the same
  // order. Returns at once.
  void start_adding(const Array& gradients, std::size_t bucket);
  // Waits for this. Afterwards, the ranges of mine() hold the sums over all ranks. The rest is undefined.
  void finish_adding();
  // Adds up all of a small array, in the same order.
  void add_up_all(const Array& numbers);
  // Every rank has changed its ranges of the block: gives them to all others.
  void spread(const Array& block);
  // The same for an array with one element per share.
  void spread_elements(const Array& per_share);
  // The same as spread(), but only for rank 0. The other ranks keep what they have.
  void collect(const Array& block);

  const ExchangeTimes& times() const { return times_; }

 private:
  // A sequence of shares of a bucket, by their numbers in it.
  struct Run {
    std::size_t first = 0, count = 0;
  };
  static std::vector<Run> runs_of(int rank, int ranks, std::size_t shares);
  // The range that the partner of a round has: the other half of the round before.
  static Run sibling(const std::vector<Run>& runs, std::size_t round);
  // What a run of shares of a bucket covers of the block.
  Share range(std::size_t bucket, const Run& run) const;
  Array in_block(const Array& block, std::size_t bucket, const Run& run) const { return range(bucket, run).of(block); }
  Array received(const Array& like) const;
  void trade(const Backend& on, std::size_t round, const Array& out, const Array& in);
  void add_up(const Backend& on, const Array& gradients, std::size_t bucket);
  // Gives part(bucket, run) of this rank to all others, and takes theirs.
  void spread_parts(const std::function<Array(std::size_t, const Run&)>& part);

  exchange::Exchange& exchange_;
  const Backend& on_;
  std::vector<Share> buckets_, shares_, mine_;
  std::size_t shares_of_bucket_;
  std::vector<Run> runs_;  // before the first round, after it, after the second, ...
  std::unique_ptr<Reservation> memory_;
  ExchangeTimes times_;
  std::unique_ptr<Backend> side_;    // of thread_
  std::unique_ptr<Mark> added_;      // on side_, after the last bucket
  std::optional<JobThread> thread_;  // with several ranks
};

}  // namespace dragoman::train
