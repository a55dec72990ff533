#include "dragoman/train/completion.h"

#include <algorithm>
#include <utility>

namespace dragoman::train {

Completion::Completion(const Array& gradients, std::vector<Share> buckets, std::function<void(std::size_t)> complete)
    : gradients_(gradients), buckets_(std::move(buckets)), complete_(std::move(complete)) {}

void Completion::begin() {
  missing_.clear();
  for (const Share& bucket : buckets_) missing_.push_back(bucket.count);
  next_ = 0;
}

// A parameter has its padding rows and the gap before the next parameter too.
void Completion::add(const Variable& parameter) {
  const Array& gradient = parameter.gradient;
  const auto bytes = static_cast<const char*>(gradient.raw()) - static_cast<const char*>(gradients_.raw());
  const std::int64_t first = bytes / static_cast<std::int64_t>(size_of(gradients_.dtype()));
  const std::int64_t elements = gradient.count() + gradient.padding_rows() * gradient.cols();
  const std::int64_t end = first + (elements + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const Share& bucket = buckets_[b];
    missing_[b] -=
        std::max<std::int64_t>(0, std::min(end, bucket.first + bucket.count) - std::max(first, bucket.first));
  }
  while (next_ < missing_.size() && missing_[next_] == 0) complete_(next_++);
}

void Completion::finish() {
  while (next_ < missing_.size()) complete_(next_++);
}

}  // namespace dragoman::train
