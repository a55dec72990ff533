// The interface of the optimisers. They work on the flat parameter block: a step is one pass over it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/params/parameter_block.h"

namespace dragoman::optim {

// Decoupled weight decay: it acts on the parameter, not on the gradient.
struct WeightDecay {
  double amount = 0;
  bool of_vectors = true;  // whether biases and the vectors of norms decay too
};

// Numbers that an optimiser keeps from step to step, in the layout of the block.
struct Moment {
  std::string name;
  Array values;
};

// The block must outlive this object.
class Optimiser {
 public:
  Optimiser(params::ParameterBlock& block, const WeightDecay& decay);
  virtual ~Optimiser() = default;
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  // Updates every parameter in one pass from the block's gradients times `scale` (float64 [1]; 1 if absent). If the
  // scale is NaN, nothing changes, but the update is counted.
  void step(double rate, const Array& scale = {});

  // From now on step() updates only these ranges of the block. Each must begin and end where the gaps between
  // parameters allow it: at a multiple of 32 elements, or at the end of the block. Their `is_vectors` is ignored.
  void limit_to(std::span<const params::BlockRange> parts);

  // Continues after `steps` updates, of which the last one had the rate `last_rate`. The caller must have restored the
  // moments.
  void resume(std::int64_t steps, double last_rate);

  std::int64_t steps() const { return t_; }
  virtual std::vector<Moment> moments() const = 0;

 protected:
  // An update of a range of the block whose parameters decay alike. `scale` is as in step().
  struct Update {
    params::BlockRange range;
    double rate = 0, weight_decay = 0;
    double rate_before = 0;  // of the update before; 0 for the first one
    std::int64_t t = 0;      // number of the update, counted from 1
    const Array& scale;

    // The part of a flat array that belongs to the range; absent if the array is.
    Array part(const Array& flat) const { return flat.absent() ? flat : flat.columns(range.first, range.count); }
  };

  Array make_moment();  // of zeros
  params::ParameterBlock& block() const { return block_; }

 private:
  virtual void run(const Update& update) = 0;

  params::ParameterBlock& block_;
  WeightDecay decay_;
  std::int64_t t_ = 0;
  double last_rate_ = 0;
  std::vector<std::unique_ptr<Reservation>> memory_;
  // If vectors do not decay: ranges of matrices and of vectors in alternation. Otherwise one range with everything.
  std::vector<params::BlockRange> ranges_;
};

}  // namespace dragoman::optim
