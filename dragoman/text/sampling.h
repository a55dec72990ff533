// A random sample of sentences that fits in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::text {

// Each sentence gets a random rank; those of lowest rank stay, as many as the limits allow. So every sentence is as
// likely as every other to stay, however many there are, and which ones do is a function of the seed.
class SentenceSample {
 public:
  SentenceSample(std::size_t most_sentences, std::size_t most_bytes, std::uint64_t seed);

  void add(std::string sentence);
  // Those that stayed, in the order they came in.
  std::vector<std::string> take();

 private:
  struct Ranked {
    std::uint64_t rank;
    std::uint64_t place;
    std::string sentence;
    bool operator<(const Ranked& other) const { return rank < other.rank; }
  };

  std::size_t most_sentences_, most_bytes_;
  RandomStream random_;
  std::vector<Ranked> heap_;  // the highest rank in front
  std::size_t bytes_ = 0;
  std::uint64_t places_ = 0;
  std::uint64_t bar_ = ~std::uint64_t{0};  // lowest rank that had to go: no later one of a higher rank may stay
};

}  // namespace dragoman::text
