// A random sample of sentences that fits in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::text {

// Each sentence gets a random rank, and the sentences of lowest rank are kept, as many as the limits allow. So every
// sentence is equally likely to be kept, however many there are, and the choice is a function of the seed.
class SentenceSample {
 public:
  SentenceSample(std::size_t max_sentences, std::size_t max_bytes, std::uint64_t seed);

  void add(std::string sentence);
  // The sentences kept, in the order in which they were added.
  std::vector<std::string> take();

 private:
  struct Ranked {
    std::uint64_t rank;
    std::uint64_t index;  // in the order of add()
    std::string sentence;
    bool operator<(const Ranked& other) const { return rank < other.rank; }
  };

  std::size_t max_sentences_, max_bytes_;
  RandomStream random_;
  std::vector<Ranked> heap_;  // a heap with the highest rank in front
  std::size_t bytes_ = 0;
  std::uint64_t added_ = 0;                           // sentences so far, kept or not
  std::uint64_t lowest_dropped_ = ~std::uint64_t{0};  // lowest rank dropped so far; later sentences must rank below it
};

}  // namespace dragoman::text
