// The memory plan of a run. It is made before the first step, stored with every checkpoint, and never changed, because
// the division into micro-batches decides the order of sums and so the bits of the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "dragoman/base/fields.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// All sizes are in bytes, except micro_tokens, decode_sentences, tree_levels and buckets. On a CUDA device the plan
// covers the memory of the device: the loader and the vocabularies are in the host's memory and do not count, and
// `program` is what CUDA itself takes.
struct MemoryPlan {
  std::int64_t micro_tokens = 0;      // most tokens of a micro-batch, on either side
  std::int64_t parameters = 0;        // weights, gradients, moments and the moving average
  std::int64_t values = 0;            // of a step: training, validating or translating, whichever needs most
  std::int64_t gradients = 0;         // gradients of these values
  std::int64_t loader = 0;            // the order of the corpus and the updates prepared ahead; 0 on CUDA
  std::int64_t program = 0;           // code, vocabularies, buffers; on CUDA the context and the workspace of products
  std::int64_t decode_sentences = 0;  // number of sentences that are translated at once
  // Levels of the tree that adds up the batches of an update; see gradient_tree.h. 0: one after another, which is also
  // what plans of older programs mean.
  std::int64_t tree_levels = 0;
  // How many ranges of the gradients are exchanged one after another, if there are several processes; see buckets_of().
  // The norm of the gradient is summed by them. 0, as in plans of older programs: one.
  std::int64_t buckets = 0;
  // What a process has in place of `parameters` if there are several. Like `snapshot` it is not stored.
  struct Rank {
    std::int64_t parameters = 0;  // without the sums of the levels of the tree that the exchange makes
    std::int64_t exchange = 0;    // for the gradients that it receives, and for the backend that adds them
  };
  std::optional<Rank> rank = std::nullopt;
  // For the copy of the state that is written while training goes on; 0 if training waits for checkpoints. It changes
  // no result, so it is decided at each start of the program and not stored.
  std::int64_t snapshot = 0;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("micro-tokens", micro_tokens, "tokens on either side that are computed at once");
    field("parameters", parameters, "bytes of weights, gradients, moments and averages");
    field("values", values, "bytes of a step's values");
    field("gradients", gradients, "bytes of their gradients");
    field("loader", loader, "bytes of the loader");
    field("program", program, "bytes of everything else");
    field("decode-sentences", decode_sentences, "sentences translated at once");
    field("tree-levels", tree_levels, "levels of the tree that adds up the batches of an update");
    field("buckets", buckets, "ranges of the gradients that are exchanged one after another");
  }

  std::int64_t total() const {
    return (rank ? rank->parameters + rank->exchange : parameters) + values + gradients + loader + program + snapshot;
  }
  // The number of buckets, also of plans of older programs.
  std::int64_t bucket_ranges() const { return std::max<std::int64_t>(1, buckets); }
  // Sets `rank` if there are several processes. The total of a new plan does not grow by it, so that micro-batches need
  // not depend on the number of processes.
  void divide_among(int ranks, const TrainingSettings& settings);
  // Sets `snapshot` if there is room for one.
  void add_snapshot(const TrainingSettings& settings, std::int64_t limit);
  // "512 MiB of 2,048 allowed: parameters 100, ..."
  std::string describe(std::int64_t limit) const;
};

// Sizes that do not depend on the plan.
struct PlanInputs {
  std::int64_t loader_bytes = 0;
  std::int64_t vocabulary_bytes = 0;                 // of the tokenizers' files
  std::optional<std::int32_t> first = std::nullopt;  // the token that translations begin with
};

// The plan with the smallest micro-batches: those that hold one sentence of the greatest length. Less memory than its
// total() is not enough to train.
MemoryPlan smallest_plan(const TrainingSettings& settings, const PlanInputs& inputs);

// The plan with the largest micro-batches that fit into `limit` bytes; whole batches if possible. If even the smallest
// do not fit, throws a MemoryError that says how much memory is needed.
MemoryPlan make_plan(const TrainingSettings& settings, const PlanInputs& inputs, std::int64_t limit);

// The memory-mb of the settings in bytes; if it is not set, nine tenths of what is free on the device.
std::int64_t memory_limit(const TrainingSettings& settings);

}  // namespace dragoman::train
