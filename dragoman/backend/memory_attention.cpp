#include "dragoman/backend/memory_attention.h"

#include <numeric>
#include <vector>

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

// Each row of the weights has its rows of the memory, and a column for every key.
void check_memory(const char* op, const Array& weights, const MemoryRows& memory) {
  require<ShapeError>(memory.first.count() == weights.rows() && memory.count.count() == weights.rows() &&
                          memory.longest <= weights.cols(),
                      op, ": the weights are ", weights.shape(), " but first is ", memory.first.shape(), ", count ",
                      memory.count.shape(), ", the longest ", memory.longest);
}

void check_scores(const char* op, const Array& weights, const Array& q, const Array& K, const Array& v) {
  require<ShapeError>(q.rows() == weights.rows() && q.cols() == K.cols() && (!v || v.count() == q.cols()), op,
                      ": the weights are ", weights.shape(), ", q ", q.shape(), ", K ", K.shape(), ", v ", v.shape());
}

// O stands for the output or for its gradient.
void check_values(const char* op, const Array& weights, const Array& V, const Array& O) {
  require<ShapeError>(O.rows() == weights.rows() && O.cols() == V.cols(), op, ": the weights are ", weights.shape(),
                      ", V ", V.shape(), ", O ", O.shape());
}

void check_value_sinks(const char* op, const Array& weights, const Array& V, const Sink& d_weights, const Sink& dV) {
  require<ShapeError>(fits(d_weights, weights) && fits(dV, V), op, ": the weights are ", weights.shape(), ", V ",
                      V.shape(), ", d_weights ", d_weights.array.shape(), ", dV ", dV.array.shape());
}

}  // namespace

std::int64_t MemoryAttentionKernels::seen_keys(const MemoryRows& memory) const {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(memory.count.count()));
  copy_out(memory.count, counts.data());
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void MemoryAttentionKernels::memory_weights(const Array& q, const Array& K, const Array& v, double scale,
                                            const MemoryRows& memory, Array& weights) const {
  check_memory("memory_weights", weights, memory);
  check_scores("memory_weights", weights, q, K, v);
  if (OperationCounter* counter = operations()) counter->add(seen_keys(memory) * q.cols());
  do_memory_weights(q, K, v, scale, memory, weights);
}

void MemoryAttentionKernels::memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q,
                                                     const Array& K, const Array& v, double scale,
                                                     const MemoryRows& memory, Sink dq, Sink dK, Sink dv) const {
  if (!dq.wanted() && !dK.wanted() && !dv.wanted()) return;
  check_memory("memory_weights_backward", weights, memory);
  check_scores("memory_weights_backward", weights, q, K, v);
  require<ShapeError>(same_extents(d_weights, weights) && fits(dq, q) && fits(dK, K) &&
                          (!dv.wanted() || (v && dv.array.count() == v.count())),
                      "memory_weights_backward: the weights are ", weights.shape(), ", q ", q.shape(), ", K ",
                      K.shape(), ", v ", v.shape(), ", d_weights ", d_weights.shape(), ", dq ", dq.array.shape(),
                      ", dK ", dK.array.shape(), ", dv ", dv.array.shape());
  if (OperationCounter* counter = operations()) {
    counter->add(seen_keys(memory) * q.cols() * (dq.wanted() + dK.wanted() + dv.wanted()));
  }
  do_memory_weights_backward(d_weights, weights, q, K, v, scale, memory, dq, dK, dv);
}

void MemoryAttentionKernels::memory_mix(const Array& weights, const Array& V, const MemoryRows& memory,
                                        Array& O) const {
  check_memory("memory_mix", weights, memory);
  check_values("memory_mix", weights, V, O);
  if (OperationCounter* counter = operations()) counter->add(seen_keys(memory) * V.cols());
  do_memory_mix(weights, V, memory, O);
}

void MemoryAttentionKernels::memory_mix_backward(const Array& dO, const Array& weights, const Array& V,
                                                 const MemoryRows& memory, Sink d_weights, Sink dV) const {
  if (!d_weights.wanted() && !dV.wanted()) return;
  check_memory("memory_mix_backward", weights, memory);
  check_values("memory_mix_backward", weights, V, dO);
  check_value_sinks("memory_mix_backward", weights, V, d_weights, dV);
  if (OperationCounter* counter = operations()) {
    counter->add(seen_keys(memory) * V.cols() * (d_weights.wanted() + dV.wanted()));
  }
  do_memory_mix_backward(dO, weights, V, memory, d_weights, dV);
}

void MemoryAttentionKernels::choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice,
                                         Array& chosen, Array& relaxed) const {
  const bool gumbel = choice.kind == KeyChoice::Kind::kGumbel, random = choice.kind != KeyChoice::Kind::kLargest;
  const std::int64_t n = weights.rows();
  check_memory("choose_keys", weights, memory);
  require<ShapeError>(
      chosen.count() == n && (!random || (choice.sentence.count() == n && choice.position.count() == n)),
      "choose_keys: the weights are ", weights.shape(), ", chosen ", chosen.shape(), ", sentence ",
      choice.sentence.shape(), ", position ", choice.position.shape());
  require<ShapeError>(gumbel ? same_extents(relaxed, weights) : relaxed.absent(), "choose_keys: the weights are ",
                      weights.shape(), ", relaxed ", relaxed.shape(), gumbel ? "" : ", which is for kGumbel alone");
  do_choose_keys(weights, memory, choice, chosen, relaxed);
}

void MemoryAttentionKernels::chosen_mix(const Array& weights, const Array& chosen, const Array& V,
                                        const MemoryRows& memory, Array& O) const {
  check_memory("chosen_mix", weights, memory);
  check_values("chosen_mix", weights, V, O);
  require<ShapeError>(chosen.count() == weights.rows(), "chosen_mix: the weights are ", weights.shape(), ", chosen ",
                      chosen.shape());
  do_chosen_mix(weights, chosen, V, memory, O);
}

void MemoryAttentionKernels::chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen,
                                                 const Array& relaxed, double temperature, const HardCredit& credit,
                                                 const Array& V, const MemoryRows& memory, Sink d_weights,
                                                 Sink dV) const {
  if (!d_weights.wanted() && !dV.wanted()) return;
  check_memory("chosen_mix_backward", weights, memory);
  check_values("chosen_mix_backward", weights, V, dO);
  check_value_sinks("chosen_mix_backward", weights, V, d_weights, dV);
  require<ShapeError>(chosen.count() == weights.rows() && (!relaxed || same_extents(relaxed, weights)) &&
                          (!credit.credit || credit.credit.count() == weights.rows()),
                      "chosen_mix_backward: the weights are ", weights.shape(), ", chosen ", chosen.shape(),
                      ", relaxed ", relaxed.shape(), ", credit ", credit.credit.shape());
  do_chosen_mix_backward(dO, weights, chosen, relaxed, temperature, credit, V, memory, d_weights, dV);
}

}  // namespace dragoman
