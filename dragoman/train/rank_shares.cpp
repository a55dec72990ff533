#include "dragoman/train/rank_shares.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dragoman::train {

namespace {

// Of the backend that adds up gradients: it only adds arrays that exist already.
constexpr std::size_t kSideBytes = std::size_t{1} << 20;

// Adds the time of its scope to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<RankShares::Run> RankShares::runs_of(int rank, int ranks, std::size_t shares) {
  std::vector<Run> runs{{0, shares}};
  for (int distance = 1; distance < ranks; distance *= 2) {
    const Run& before = runs.back();
    const std::size_t half = before.count / 2;
    runs.push_back({before.first + ((rank & distance) != 0 ? half : 0), half});
  }
  return runs;
}

RankShares::Run RankShares::sibling(const std::vector<Run>& runs, std::size_t round) {
  const Run &before = runs[round], &kept = runs[round + 1];
  return {kept.first == before.first ? before.first + kept.count : before.first, kept.count};
}

RankShares::RankShares(exchange::Exchange& exchange, const Backend& on, std::vector<Share> buckets, int levels,
                       const Array& block)
    : exchange_(exchange),
      on_(on),
      buckets_(std::move(buckets)),
      shares_of_bucket_(std::size_t{1} << levels),
      runs_(runs_of(exchange.rank(), exchange.ranks(), shares_of_bucket_)) {
  require<Error>(shares_of_bucket_ % static_cast<std::size_t>(exchange.ranks()) == 0, shares_of_bucket_,
                 " shares cannot be divided among ", exchange.ranks(), " ranks");
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    std::ranges::copy(shares_of(buckets_[bucket], levels), std::back_inserter(shares_));
    mine_.push_back(range(bucket, runs_.back()));
  }
  if (exchange.ranks() == 1) return;
  memory_ = on.reserve(received_bytes(buckets_, block.dtype()));
  thread_.emplace();
  // A CPU backend prepares the thread that makes it.
  thread_->add([this] {
    side_ = make_backend(on_.device(), {.threads = 1, .memory = kSideBytes, .gradient_memory = kSideBytes});
  });
  thread_->finish();
}

// The figures of an update are received here, too. They are few, but the block may be tiny in tests.
std::size_t RankShares::received_bytes(const std::vector<Share>& buckets, DType dtype) {
  std::size_t most = 64 * sizeof(double);
  for (const Share& bucket : buckets) {
    most = std::max(most, static_cast<std::size_t>(bucket.lower().count) * size_of(dtype));
  }
  return most;
}

Share RankShares::range(std::size_t bucket, const Run& run) const {
  const std::size_t start = bucket * shares_of_bucket_ + run.first;
  const Share &first = shares_[start], &last = shares_[start + run.count - 1];
  return {first.first, last.first + last.count - first.first};
}

std::vector<std::size_t> RankShares::own_shares() const {
  std::vector<std::size_t> numbers;
  const Run& run = runs_.back();
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (std::size_t i = 0; i < run.count; ++i) numbers.push_back(bucket * shares_of_bucket_ + run.first + i);
  }
  return numbers;
}

Array RankShares::received(const Array& like) const {
  return {memory_->base(), like.shape(), like.dtype(), like.device()};
}

void RankShares::trade(const Backend& on, std::size_t round, const Array& out, const Array& in) {
  exchange_.trade(on, exchange_.rank() ^ (1 << round), out, in);
  times_.bytes_out += out.count() * static_cast<std::int64_t>(size_of(out.dtype()));
}

void RankShares::add_up(const Backend& on, const Array& gradients, std::size_t bucket) {
  for (std::size_t round = 0; round + 1 < runs_.size(); ++round) {
    const Array kept = in_block(gradients, bucket, runs_[round + 1]);
    const Array other = received(kept);
    trade(on, round, in_block(gradients, bucket, sibling(runs_, round)), other);
    if (kept.count() > 0) on.scaled(other, 1.0, Sink::accumulate(kept));
  }
}

void RankShares::start_adding(const Array& gradients, std::size_t bucket) {
  if (!thread_) return;
  const std::shared_ptr<Mark> computed = mark(on_);
  thread_->add([this, gradients, bucket, computed] {
    const Stopwatch watch(times_.adding);
    start_after(*side_, *computed);
    add_up(*side_, gradients, bucket);
    added_ = mark(*side_);
  });
}

void RankShares::finish_adding() {
  if (!thread_) return;
  const Stopwatch watch(times_.waiting);
  thread_->finish();
  if (added_) start_after(on_, *added_);
}

void RankShares::add_up_all(const Array& numbers) {
  for (std::size_t round = 0; round + 1 < runs_.size(); ++round) {
    const Array other = received(numbers);
    trade(on_, round, numbers, other);
    on_.scaled(other, 1.0, Sink::accumulate(numbers));
  }
}

// The rounds of add_up() backwards: the partner has what this rank lacks of the range before the round.
void RankShares::spread_parts(const std::function<Array(std::size_t, const Run&)>& part) {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (std::size_t round = runs_.size() - 1; round-- > 0;) {
      trade(on_, round, part(bucket, runs_[round + 1]), part(bucket, sibling(runs_, round)));
    }
  }
}

void RankShares::spread(const Array& block) {
  const Stopwatch watch(times_.spreading);
  spread_parts([&](std::size_t bucket, const Run& run) { return in_block(block, bucket, run); });
}

void RankShares::spread_elements(const Array& per_share) {
  spread_parts([&](std::size_t bucket, const Run& run) {
    return per_share.columns(static_cast<std::int64_t>(bucket * shares_of_bucket_ + run.first),
                             static_cast<std::int64_t>(run.count));
  });
}

void RankShares::collect(const Array& block) {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (!exchange_.leads()) {
      exchange_.send(on_, 0, mine_[bucket].of(block));
      continue;
    }
    for (int rank = 1; rank < exchange_.ranks(); ++rank) {
      const Run theirs = runs_of(rank, exchange_.ranks(), shares_of_bucket_).back();
      exchange_.receive(on_, rank, in_block(block, bucket, theirs));
    }
  }
}

}  // namespace dragoman::train
