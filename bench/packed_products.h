// Times products with packed weights, in the shapes of the base model's decoder: these make up a step of translation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dragoman/backend/backend.h"

namespace dragoman::bench {

struct PackedProduct {
  std::int64_t in, out;
  bool is_vocabulary;  // best_words instead of linear
};
inline const std::vector<PackedProduct> kPackedProducts{
    {512, 1536, false}, {512, 512, false}, {512, 2048, false}, {2048, 512, false}, {512, 37000, true}};

// Packed copies of one random matrix: as many as fit into `bytes`, at least one. next() returns them in turn, so that
// they come from memory and not from the cache, as in a whole model.
class PackedCopies {
 public:
  PackedCopies(const Backend& on, const PackedProduct& product, WeightForm form, std::size_t bytes);
  const PackedMatrix& next() { return matrices_[turn_++ % matrices_.size()]; }

 private:
  std::unique_ptr<Reservation> memory_;
  std::vector<PackedMatrix> matrices_;
  std::size_t turn_ = 0;
};

// Seconds of one product with `rows` rows: the median of 7 runs of about `run` seconds each.
double seconds_of(const Backend& on, const PackedProduct& product, std::int64_t rows, PackedCopies& W, double run);

}  // namespace dragoman::bench
