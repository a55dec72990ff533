// The order in which the gradients of an update are added up: a binary tree over its batches that is the same for any
// number of processes. So the sum has the same bits, however the batches are divided among processes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dragoman/backend/backend.h"

namespace dragoman::train {

// An update of K = 2^levels q batches, with q odd, has 2^levels leaves of q consecutive batches each. The gradients of
// a leaf are added one after another, where they are computed. With an odd K there is one leaf.
int tree_levels(std::int64_t batches);

// Parameters begin at multiples of this many elements in their block, and so do the ranges below.
inline constexpr std::int64_t kBlockAlignment = 32;

// The range of a flat block that a process steps after the exchange of gradients, and whose squares are added up by
// themselves. Level 0 is the whole block; each level halves the ranges of the level before.
struct Share {
  std::int64_t first = 0, count = 0;

  // Both halves begin at a multiple of 32 elements if the share does, so that kernels find them aligned. The upper half
  // may be empty.
  Share lower() const;
  Share upper() const;
  Array of(const Array& flat) const { return flat.columns(first, count); }
};
// The 2^levels shares that a share consists of, in order.
std::vector<Share> shares_of(const Share& whole, int levels);

// How many buckets a block of `count` elements has: as many as have at least 32 MB of float32 gradients each, because
// smaller messages would cost more than they hide.
std::int64_t bucket_count(std::int64_t count);
// Divides a block of `count` elements into this many ranges of about the same size, from its end to its start. That is
// roughly the order in which the backward pass completes gradients, because models list their parameters in the order
// of the forward pass. Each range begins at a multiple of 32 elements.
std::vector<Share> buckets_of(std::int64_t count, std::int64_t buckets);

// Adds up the leaves of a tree in order, like a binary counter: it keeps at most one sum for each level.
class GradientTree {
 public:
  // `sums` are flat arrays that hold the numbers of one leaf when add_leaf() is called. They must outlive this object.
  GradientTree(const Backend& on, std::span<const Array> sums, int levels);

  std::int64_t leaves() const { return std::int64_t{1} << levels_; }
  // After the last leaf, the arrays hold the sums over all leaves.
  void add_leaf();
  // In place of the last add_leaf(), these add the last leaf in parts: of each array, given by its number, all parts
  // that it consists of. finish() comes after them.
  void add_last_leaf(std::size_t number, const Share& part);
  void finish() { added_ = 0; }

 private:
  const Backend& on_;
  int levels_;
  std::int64_t added_ = 0;  // leaves so far
  struct Sum {
    Array array;
    std::unique_ptr<Reservation> memory;
    std::vector<Array> kept;  // by level: the sum of a complete subtree that waits for its neighbour
  };
  std::vector<Sum> sums_;
};

}  // namespace dragoman::train
