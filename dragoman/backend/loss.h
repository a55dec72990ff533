// Output projection and label-smoothed cross-entropy in one: the contract.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Label smoothing (Section 5.4): q over V classes for the true class t.
struct Smoothing {
  enum class Form : std::uint8_t {
    kRest,     // 1 - epsilon on t, epsilon / (V - 1) on every other class
    kUniform,  // epsilon / V on every class, and 1 - epsilon more on t
  };
  double epsilon = 0.1;
  Form form = Form::kRest;

  double on_others(std::int64_t V) const { return epsilon / static_cast<double>(form == Form::kRest ? V - 1 : V); }
  double on_target(std::int64_t V) const { return 1 - epsilon + (form == Form::kRest ? 0 : on_others(V)); }
};

class LossKernels {
 public:
  virtual ~LossKernels() = default;

  // Logits Y E^T (+ b) for Y [R, d], E [V, d], b [V] or absent, never held whole: `chunk` rows at a time.
  // losses[r] is the smoothed cross-entropy of row r, nll[r] the plain one; both 0 where targets[r] < 0.
  // With any sink wanted, the same pass makes the gradients of `weight` times the sum of the losses.
  void smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                              const Smoothing& smoothing, double weight, std::int64_t chunk, Array& losses, Array& nll,
                              Sink dY, Sink dE, Sink db) const;

 private:
  virtual void do_smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                         const Smoothing& smoothing, double weight, std::int64_t chunk, Array& losses,
                                         Array& nll, Sink dY, Sink dE, Sink db) const = 0;
};

}  // namespace dragoman
