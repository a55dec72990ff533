// The contract of the loss kernel: output projection and label-smoothed cross-entropy, fused.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Label smoothing (Section 5.4): the target distribution q over V classes, for the true class t.
struct LabelSmoothing {
  enum class Form : std::uint8_t {
    kRest,     // q_t = 1 - epsilon, and epsilon / (V - 1) for every other class
    kUniform,  // q_t = 1 - epsilon + epsilon / V, and epsilon / V for every other class
  };
  double epsilon = 0.1;
  Form form = Form::kRest;

  // q of every other class, and q_t.
  constexpr double on_others(std::int64_t V) const {
    return epsilon / static_cast<double>(form == Form::kRest ? V - 1 : V);
  }
  constexpr double on_target(std::int64_t V) const { return 1 - epsilon + (form == Form::kRest ? 0 : on_others(V)); }
};

class LossKernels {
 public:
  virtual ~LossKernels() = default;

  // The logits are Y E^T + b for Y [R, d], E [V, d] and b [V] or absent. They are computed about `chunk` rows at a time
  // and never kept as a whole. losses[r] is the smoothed cross-entropy of row r and nll[r] the one without smoothing;
  // both are 0 if targets[r] < 0. Words that are absent (absent_words.h) are not counted in V, and their gradients are
  // zero. If any sink is wanted, the same pass computes the gradients of `weight` times the sum
  // of the losses.
  void smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                              const LabelSmoothing& smoothing, double weight, std::int64_t chunk, Array& losses,
                              Array& nll, Sink dY, Sink dE, Sink db) const;

 private:
  virtual void do_smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                         const LabelSmoothing& smoothing, double weight, std::int64_t chunk,
                                         Array& losses, Array& nll, Sink dY, Sink dE, Sink db) const = 0;
};

}  // namespace dragoman
