// How a run keeps to its memory: found out before the first step, stored with every checkpoint, and kept to from then
// on, because the cuts into micro-batches decide the order of sums.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/base/fields.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// In bytes, but for the numbers of tokens and of sentences. On a CUDA device it is the device's memory that is planned:
// the loader and the vocabularies stay with the host and count nothing, and `program` is what CUDA takes for itself.
struct MemoryPlan {
  std::int64_t micro_tokens = 0;      // tokens on either side that are computed at once, at most
  std::int64_t parameters = 0;        // weights, gradients, moments and the moving average
  std::int64_t values = 0;            // of a step: training, validating or translating, whichever needs most
  std::int64_t gradients = 0;         // of those values
  std::int64_t loader = 0;            // the corpus's order and the updates prepared ahead; 0 on CUDA
  std::int64_t program = 0;           // code, vocabularies, buffers; on CUDA the context and products' workspace
  std::int64_t decode_sentences = 0;  // translated at once

  template <class Visitor>
  void fields(Visitor&& field) {
    field("micro-tokens", micro_tokens, "tokens on either side that are computed at once");
    field("parameters", parameters, "bytes of weights, gradients, moments and averages");
    field("values", values, "bytes of a step's values");
    field("gradients", gradients, "bytes of their gradients");
    field("loader", loader, "bytes of the loader");
    field("program", program, "bytes of everything else");
    field("decode-sentences", decode_sentences, "sentences translated at once");
  }

  std::int64_t total() const { return parameters + values + gradients + loader + program; }
  // "needs 512 MiB of 2,048: parameters 100, ..."
  std::string describe(std::int64_t limit) const;
};

// What does not depend on the plan.
struct PlanInputs {
  std::int64_t loader_bytes = 0;
  std::int64_t vocabulary_bytes = 0;  // the tokenizers' files
};

// The plan with the largest micro-batches that `limit` bytes allow, whole batches if they can. Throws a MemoryError
// that says how much would do if nothing fits.
MemoryPlan make_plan(const Settings& settings, const PlanInputs& inputs, std::int64_t limit);

// What the settings allow, or else what is free on the device less a tenth.
std::int64_t memory_limit(const Settings& settings);

}  // namespace dragoman::train
