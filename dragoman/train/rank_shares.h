// How the ranks of a training run divide an update: each computes the gradients of some batches, gets the sums over all
// batches for one share of the parameter block, steps the optimiser there, and gives the others the new values.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dragoman/exchange/exchange.h"
#include "dragoman/train/gradient_tree.h"

namespace dragoman::train {

// Gradients are added by recursive halving: rank r exchanges half of its range with rank r ^ 1, then half of the rest
// with r ^ 2, then with r ^ 4 and so on. Each rank owns the leaves of an aligned subtree, so this makes the upper
// levels of the tree in gradient_tree.h: the sums have the same bits for any number of ranks.
class RankShares {
 public:
  // `shares` are the 2^levels ranges of a block with this layout, see shares_of(). The number of ranks divides theirs.
  RankShares(exchange::Exchange& exchange, const Backend& on, std::vector<Share> shares, const Array& block);

  exchange::Exchange& exchange() const { return exchange_; }
  const std::vector<Share>& shares() const { return shares_; }
  // A sequence of shares, by their numbers.
  struct Run {
    std::size_t first = 0, count = 0;
  };
  const Run& mine() const { return runs_.back(); }
  // What a run of shares covers of the block.
  Share range(const Run& run) const;

  // Adds up gradients: afterwards, the range of mine() holds the sums over all ranks. The rest is undefined.
  void add_up(const Array& gradients);
  // Adds up all of a small array, in the same order.
  void add_up_all(const Array& numbers);
  // Every rank has changed its range of the block: gives it to all others.
  void spread(const Array& block);
  // The same for an array with one element per share.
  void spread_elements(const Array& per_share);
  // The same as spread(), but only for rank 0. The other ranks keep what they have.
  void collect(const Array& block);

 private:
  static std::vector<Run> runs_of(int rank, int ranks, std::size_t shares);
  // The range that the partner of a round has: the other half of the round before.
  static Run sibling(const std::vector<Run>& runs, std::size_t round);
  Array in_block(const Array& block, const Run& run) const { return range(run).of(block); }
  Array received(const Array& like) const;

  exchange::Exchange& exchange_;
  const Backend& on_;
  std::vector<Share> shares_;
  std::vector<Run> runs_;  // before the first round, after it, after the second, ...
  std::unique_ptr<Reservation> memory_;
};

}  // namespace dragoman::train
