#include "dragoman/train/rank_shares.h"

#include <algorithm>
#include <utility>

namespace dragoman::train {

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

RankShares::RankShares(exchange::Exchange& exchange, const Backend& on, std::vector<Share> shares, const Array& block)
    : exchange_(exchange),
      on_(on),
      shares_(std::move(shares)),
      runs_(runs_of(exchange.rank(), exchange.ranks(), shares_.size())) {
  require<Error>(shares_.size() % static_cast<std::size_t>(exchange.ranks()) == 0, shares_.size(),
                 " shares cannot be divided among ", exchange.ranks(), " ranks");
  if (exchange.ranks() == 1) return;
  // The largest range that is ever received. The figures of an update are few, but the block may be tiny in tests.
  constexpr std::size_t kFigures = 64 * sizeof(double);
  const auto most = static_cast<std::size_t>(Share{0, block.count()}.lower().count);
  memory_ = on.reserve(std::max(kFigures, most * size_of(block.dtype())));
}

Share RankShares::range(const Run& run) const {
  const Share &first = shares_[run.first], &last = shares_[run.first + run.count - 1];
  return {first.first, last.first + last.count - first.first};
}

Array RankShares::received(const Array& like) const {
  return {memory_->base(), like.shape(), like.dtype(), like.device()};
}

void RankShares::add_up(const Array& gradients) {
  for (std::size_t round = 0; round + 1 < runs_.size(); ++round) {
    const Array kept = in_block(gradients, runs_[round + 1]), given = in_block(gradients, sibling(runs_, round));
    const Array other = received(kept);
    exchange_.trade(on_, exchange_.rank() ^ (1 << round), given, other);
    if (kept.count() > 0) on_.scaled(other, 1.0, Sink::accumulate(kept));
  }
}

void RankShares::add_up_all(const Array& numbers) {
  for (std::size_t round = 0; round + 1 < runs_.size(); ++round) {
    const Array other = received(numbers);
    exchange_.trade(on_, exchange_.rank() ^ (1 << round), numbers, other);
    on_.scaled(other, 1.0, Sink::accumulate(numbers));
  }
}

// The rounds of add_up() backwards: the partner has what this rank lacks of the range before the round.
void RankShares::spread(const Array& block) {
  for (std::size_t round = runs_.size() - 1; round-- > 0;) {
    exchange_.trade(on_, exchange_.rank() ^ (1 << round), in_block(block, runs_[round + 1]),
                    in_block(block, sibling(runs_, round)));
  }
}

void RankShares::spread_elements(const Array& per_share) {
  const auto part = [&](const Run& run) {
    return per_share.columns(static_cast<std::int64_t>(run.first), static_cast<std::int64_t>(run.count));
  };
  for (std::size_t round = runs_.size() - 1; round-- > 0;) {
    exchange_.trade(on_, exchange_.rank() ^ (1 << round), part(runs_[round + 1]), part(sibling(runs_, round)));
  }
}

void RankShares::collect(const Array& block) {
  if (!exchange_.leads()) return exchange_.send(on_, 0, in_block(block, mine()));
  for (int rank = 1; rank < exchange_.ranks(); ++rank) {
    exchange_.receive(on_, rank, in_block(block, runs_of(rank, exchange_.ranks(), shares_.size()).back()));
  }
}

}  // namespace dragoman::train
