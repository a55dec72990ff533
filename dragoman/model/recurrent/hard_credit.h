// What REINFORCE gives every choice of hard attention: how much better than usual the words were that followed it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/data/time_rows.h"
#include "dragoman/params/parameter.h"

namespace dragoman::model::recurrent {

// The return G of a choice: the log-probability of the word of its step alone (kStep: less noise, but biased), or the
// sum from its step to the end of the sentence (kToGo: unbiased).
enum class ReturnName { kStep, kToGo };
constexpr std::array<std::string_view, 2> names(ReturnName) { return {"step", "to-go"}; }

// The returns of all rows of a batch, in its order, from the cross-entropies of the rows. Sentence b has the rows
// offsets[b] to offsets[b + 1] - 1.
std::vector<double> returns_of(std::span<const double> nll, std::span<const std::int32_t> offsets, ReturnName name);

// The running mean of the returns, b <- 0.9 b + 0.1 (mean of an update), which starts at the mean of the first update.
// An update may come in several batches, so their sum is kept until the next update begins.
class Baseline {
 public:
  static params::Buffer buffer() { return params::Buffer({kFields}, 0); }

  Baseline(Backend& on, const params::Buffer& buffer);
  // Adds the returns of a batch of this update and returns the baseline to use for it: the mean of earlier updates or,
  // in the first update, that of the batch itself. Numbers that are not finite are left out.
  double add(std::uint32_t update, std::span<const double> returns);

 private:
  enum Field { kMean, kHasMean, kSum, kCount, kUpdate, kFields };

  Backend& on_;
  Array values_;
};

struct HardCredits {
  ReturnName returns = ReturnName::kStep;
  double strength = 1;  // lambda_r
};

// A function for OwnLosses::after_loss that fills `credits` (see AttentionLoop) for the rows of a batch: minus the
// strength times the weight times (G - b). It computes on the host.
std::function<void(const Array& nll)> credit_after_loss(Backend& on, const HardCredits& settings,
                                                        const params::Buffer& baseline, const data::TimeRows& rows,
                                                        const Array& credits, std::uint32_t update, double weight);

}  // namespace dragoman::model::recurrent
