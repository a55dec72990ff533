// Why the paper divides by sqrt(d_k) (Section 3.2.1): how far the softmax of attention scores is saturated before
// anything is learned.
#pragma once

#include <cstdint>

namespace dragoman::nn {

// Means over many queries.
struct Saturation {
  double entropy = 0;   // of the weights, in nats; at most log(keys)
  double largest = 0;   // the largest weight
  double gradient = 0;  // the sum of a (1 - a) over the weights a: how much of a gradient the softmax passes on
};

struct RandomScores {
  std::int64_t d_k = 64, keys = 32;
  // Of each number of queries and keys. Our initial weights make it 1/2 if the inputs have variance 1.
  double variance = 0.5;
  bool scaled = true;  // whether the products are divided by sqrt(d_k)
  int queries = 1000;  // to average over
};

// The softmax over the products of random normal queries with as random keys. Every query has keys of its own.
Saturation saturation(const RandomScores& scores, std::uint64_t seed);

}  // namespace dragoman::nn
