#include "dragoman/text/sampling.h"

#include <algorithm>
#include <utility>

namespace dragoman::text {
namespace {

constexpr std::uint32_t kPurpose = 0x73656E74;  // "sent"; sets this stream apart from other streams of the same seed

}  // namespace

SentenceSample::SentenceSample(std::size_t max_sentences, std::size_t max_bytes, std::uint64_t seed)
    : max_sentences_(max_sentences), max_bytes_(max_bytes), random_(seed, kPurpose) {}

void SentenceSample::add(std::string sentence) {
  const std::uint64_t high = random_.next(), rank = (high << 32) | random_.next();
  const std::uint64_t index = added_++;
  if (rank >= lowest_dropped_) return;
  bytes_ += sentence.size();
  heap_.push_back({rank, index, std::move(sentence)});
  std::push_heap(heap_.begin(), heap_.end());
  while (heap_.size() > max_sentences_ || (bytes_ > max_bytes_ && heap_.size() > 1)) {
    std::pop_heap(heap_.begin(), heap_.end());
    lowest_dropped_ = heap_.back().rank;
    bytes_ -= heap_.back().sentence.size();
    heap_.pop_back();
  }
}

std::vector<std::string> SentenceSample::take() {
  std::sort(heap_.begin(), heap_.end(), [](const Ranked& a, const Ranked& b) { return a.index < b.index; });
  std::vector<std::string> sentences;
  for (Ranked& ranked : heap_) sentences.push_back(std::move(ranked.sentence));
  heap_.clear();
  return sentences;
}

}  // namespace dragoman::text
