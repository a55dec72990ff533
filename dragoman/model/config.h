// Settings that models of every architecture share, and the settings of training. The defaults are those of the base
// model of "Attention Is All You Need"; names follow the paper.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/base/fields.h"
#include "dragoman/optim/schedule.h"

namespace dragoman::model {

// Which of the source embedding, the target embedding and the output projection share one matrix: all three, as in the
// paper; the target embedding and the output projection; or none.
enum class Tie { kThreeWay, kDecoder, kNone };
constexpr std::array<std::string_view, 3> names(Tie) { return {"three-way", "decoder", "none"}; }

// Throws a UsageError for vocabularies that are too small or too large, or that cannot share a matrix as `tie` says.
void require_vocabularies(int V_source, int V_target, Tie tie);

// The decoder's input before the first word.
enum class DecoderStart { kBos, kEos, kZeroVector };
constexpr std::array<std::string_view, 3> names(DecoderStart) { return {"bos", "eos", "zero-vector"}; }

// How label smoothing distributes the probability eps_ls: over all classes except the true one, or over all classes.
enum class SmoothingForm { kRest, kUniform };
constexpr std::array<std::string_view, 2> names(SmoothingForm) { return {"rest", "uniform"}; }

// The optimiser: Adam as in the paper, or stochastic gradient descent with Nesterov's momentum.
enum class OptimiserName { kAdam, kNesterov };
constexpr std::array<std::string_view, 2> names(OptimiserName) { return {"adam", "nesterov"}; }

struct TrainingConfig {
  double eps_ls = 0.1;
  SmoothingForm smoothing = SmoothingForm::kRest;
  OptimiserName optimiser = OptimiserName::kAdam;
  double momentum = 0.99;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-9;
  optim::RateShape schedule = optim::RateShape::kPaper;
  double rate_constant = 1.0;
  double peak_rate = 5e-4;
  double initial_rate = 0;
  int warmup = 4000;
  double cooldown = 0;
  int steps = 100000;
  double weight_decay = 0;
  bool decay_exempt = false;
  double clip = 0;
  int batch_tokens = 25000;
  int accumulate = 1;
  int average = 5;
  double ema = 0;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("label-smoothing", eps_ls, "probability taken from the true word and spread over the others");
    field("smoothing", smoothing, "spread that probability over all other words, or over all words");
    field("optimiser", optimiser, "how gradients change the weights");
    field("momentum", momentum, "momentum of the optimiser nesterov");
    field("beta1", beta1, "Adam's decay of the mean gradient");
    field("beta2", beta2, "Adam's decay of the mean squared gradient");
    field("adam-epsilon", eps, "added to Adam's denominator");
    field("schedule", schedule, "shape of the learning rate: the paper's equation (3), or one with a peak-rate");
    field("rate-constant", rate_constant, "c in the paper's c d-model^-0.5 min(step^-0.5, step warmup^-1.5)");
    field("peak-rate", peak_rate, "the highest rate of the schedules inverse-sqrt and constant");
    field("initial-rate", initial_rate, "the rate from which the schedules inverse-sqrt and constant rise");
    field("warmup", warmup, "updates over which the rate rises");
    field("cooldown", cooldown, "share of the steps, at the end, over which the rate falls to zero");
    field("steps", steps, "updates to train for");
    field("weight-decay", weight_decay, "decoupled weight decay for each update; 0 for none");
    field("decay-exempt", decay_exempt, "exempt biases and LayerNorms from weight decay");
    field("clip", clip, "largest norm of the gradient; 0 for no limit");
    field("batch-tokens", batch_tokens, "tokens of each side in one batch");
    field("accumulate", accumulate, "batches that make one update");
    field("average", average, "number of latest checkpoints to average; 0 to use a single one");
    field("ema", ema, "decay of a moving average of the weights, such as 0.999; 0 for none");
    field("seed", seed, "seed of all random numbers");
  }

  // The learning rate schedule; `d_model` is the width of the model in equation (3).
  optim::Schedule rates(int d_model) const;

  // Throws a UsageError for invalid settings.
  void validate() const;
};

}  // namespace dragoman::model
