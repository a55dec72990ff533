#include "dragoman/train/gradient_tree.h"

#include <algorithm>
#include <bit>

namespace dragoman::train {

int tree_levels(std::int64_t batches) { return std::countr_zero(static_cast<std::uint64_t>(batches)); }

Share Share::lower() const {
  const std::int64_t half = (count / 2 + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  return {first, std::min(half, count)};
}

Share Share::upper() const {
  const std::int64_t taken = lower().count;
  return {first + taken, count - taken};
}

std::vector<Share> shares_of(const Share& whole, int levels) {
  if (levels == 0) return {whole};
  std::vector<Share> shares = shares_of(whole.lower(), levels - 1);
  const std::vector<Share> rest = shares_of(whole.upper(), levels - 1);
  shares.insert(shares.end(), rest.begin(), rest.end());
  return shares;
}

std::int64_t bucket_count(std::int64_t count) {
  constexpr std::int64_t kElements = 8'000'000;
  return std::max<std::int64_t>(1, count / kElements);
}

std::vector<Share> buckets_of(std::int64_t count, std::int64_t buckets) {
  const std::int64_t size = count / buckets / kBlockAlignment * kBlockAlignment;
  std::vector<Share> result;
  for (std::int64_t end = count, i = buckets - 1; i >= 0; end = i * size, --i) {
    result.push_back({i * size, end - i * size});
  }
  return result;
}

GradientTree::GradientTree(const Backend& on, std::span<const Array> sums, int levels) : on_(on), levels_(levels) {
  for (const Array& array : sums) {
    Sum& sum = sums_.emplace_back();
    sum.array = array;
    if (levels == 0) continue;
    const std::size_t bytes = static_cast<std::size_t>(array.count()) * size_of(array.dtype());
    sum.memory = on.reserve(bytes * static_cast<std::size_t>(levels));
    for (int level = 0; level < levels; ++level) {
      char* start = static_cast<char*>(sum.memory->base()) + bytes * static_cast<std::size_t>(level);
      sum.kept.emplace_back(start, array.shape(), array.dtype(), array.device());
    }
  }
}

void GradientTree::add_last_leaf(std::size_t number, const Share& part) {
  const Sum& sum = sums_[number];
  for (const Array& kept : sum.kept) on_.scaled(part.of(kept), 1.0, Sink::accumulate(part.of(sum.array)));
}

void GradientTree::add_leaf() {
  std::size_t level = 0;
  for (; (added_ >> level & 1) != 0; ++level) {
    for (const Sum& sum : sums_) on_.scaled(sum.kept[level], 1.0, Sink::accumulate(sum.array));
  }
  ++added_;
  if (added_ == leaves()) {
    added_ = 0;
    return;
  }
  for (const Sum& sum : sums_) on_.scaled(sum.array, 1.0, Sink::overwrite(sum.kept[level]));
}

}  // namespace dragoman::train
