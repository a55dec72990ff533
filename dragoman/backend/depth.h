// The contract of the kernels for recurrence in depth: models that run the same layer several times, such as the
// Universal Transformer. The rows of a step know where they are in the sentence and in depth, and may halt.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/operations.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

// Adaptive computation time: each row decides in every step whether it is its last one.
struct HaltStep {
  int t = 1;                // the step, counted from 1
  bool last = false;        // whether every row that still runs halts in this step
  double threshold = 0.01;  // a row halts when it has less than this left of its weight 1
};

// How blend_rows weighs the old rows a: kKeep leaves them as they are, kFade multiplies row r by 1 - w[r].
enum class OldRows : std::uint8_t { kKeep, kFade };

class DepthKernels {
 public:
  virtual ~DepthKernels() = default;

  // y[r] = x[r] + P[position[r]] + scale s: the coordinates of a token and of a step. P [positions, d] and s [d] have
  // the accumulation type of x. `position` is int32 [R], with elements below the rows of P.
  void add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                       Array& y) const;

  // A step of adaptive computation time for rows x [R, d]. The statistics of a row, all [R] in the accumulation type of
  // x: rest, what is left of its weight 1; steps, the step N in which it halted, or 0 while it runs. A row that runs
  // has
  //   p = sigmoid(x . w + b)
  //   rest - p < threshold, or last:  it halts: weight = rest, and steps = t
  //   otherwise:                      weight = p, and rest' = rest - p
  // A row that has halted before has the weight 0. rest' is rest where it is not given. `running` is 1 for a row that
  // ran in this step, halting or not, and 0 for the others. w [d] and b [1] have the accumulation type.
  void halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest, Array& steps,
            Array& p, Array& weight, Array& rest_after, Array& running) const;
  // From the gradients of weight and rest' (one of them may be absent) those of x, of rest, and of the logit x . w + b,
  // [R]. The steps are constants. They are those after the last step of all.
  void halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p, const Array& steps,
                     int t, Sink dx, Sink drest, Array& dlogit) const;

  // y[r] = a[r] + w[r] x[r], or (1 - w[r]) a[r] + w[r] x[r]. A row with the weight 0 is a copy of a's. Without a the
  // old rows are zero. w [R] has the accumulation type of x, and y may have it too.
  void blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const;
  // da = dy or (1 - w) dy, dx = w dy, and dw[r] is the dot product of dy[r] and x[r], or of dy[r] and x[r] - a[r].
  void blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old, Sink da,
                           Sink dx, Sink dw) const;

 private:
  virtual OperationCounter* operations() const = 0;  // null if nothing is counted
  virtual void do_add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                                  Array& y) const = 0;
  virtual void do_halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest,
                       Array& steps, Array& p, Array& weight, Array& rest_after, Array& running) const = 0;
  virtual void do_halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p,
                                const Array& steps, int t, Sink dx, Sink drest, Array& dlogit) const = 0;
  virtual void do_blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const = 0;
  virtual void do_blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old,
                                      Sink da, Sink dx, Sink dw) const = 0;
};

}  // namespace dragoman
