// Soft attention over a memory. A piece of work is one row, with all its keys: a row owns its memory rows, so no two
// pieces write to the same place.
#include "dragoman/backend/cpu/memory_attention.h"

#include "dragoman/backend/cpu/additive_score.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/memory_rows.h"
#include "dragoman/backend/cpu/softmax_row.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// The score of a key without the scale: q . k, or v . tanh(q + k) if there is a v.
template <class T>
T score(const T* q, const T* k, const T* v, std::int64_t a) {
  return v == nullptr ? dot(q, k, a) : additive_score(q, k, v, a);
}

}  // namespace

void MemoryAttention::do_memory_weights(const Array& q, const Array& K, const Array& v, double scale,
                                        const MemoryRows& memory, Array& weights) const {
  const KeysOfRows keys(memory);
  dispatch(q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &v, &weights});
    const auto Q = matrix<const T>(q), all_keys = matrix<const T>(K);
    const auto W = matrix<T>(weights);
    const T* v_data = v ? v.data<T>() : nullptr;
    const T factor = static_cast<T>(scale);
    launch(Q.rows, [&](std::int64_t r) {
      const Matrix<const T> k = keys.of(r, all_keys);
      T* row = W.row(r);
      for (std::int64_t j = 0; j < k.rows; ++j) row[j] = factor * score(Q.row(r), k.row(j), v_data, Q.cols);
      softmax_row<T>(row, k.rows, row);
      std::fill(row + k.rows, row + W.cols, T{0});
    });
  });
}

void MemoryAttention::do_memory_weights_backward(const Array& d_weights, const Array& weights, const Array& q,
                                                 const Array& K, const Array& v, double scale, const MemoryRows& memory,
                                                 Sink dq, Sink dK, Sink dv) const {
  if (dK.wanted() && !dK.accumulates()) fill(dK.array, 0);
  const KeysOfRows keys(memory);
  const ArenaScope scratch(arena());
  const Array d_scores = empty({q.rows(), memory.longest}, q.dtype());
  const Array dvs = dv.wanted() ? empty({q.rows(), q.cols()}, q.dtype()) : Array();  // of each row
  dispatch(q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &v, &weights, &d_weights, &dq.array, &dK.array, &dv.array});
    const auto Q = matrix<T>(q), all_keys = matrix<T>(K), W = matrix<T>(weights), DW = matrix<T>(d_weights),
               DS = matrix<T>(d_scores);
    const auto DQ = sink_matrix<T>(dq), DK = sink_matrix<T>(dK), DV = dvs ? matrix<T>(dvs) : Matrix<T>{};
    const T* v_data = v ? v.data<T>() : nullptr;
    const T factor = static_cast<T>(scale);
    launch(Q.rows, [&](std::int64_t r) {
      const Matrix<T> k = keys.of(r, all_keys), dk = sink_rows(keys, r, DK);
      T *ds = DS.row(r), *dq_row = DQ.data == nullptr ? nullptr : DQ.row(r);
      // The gradient of the scores without their scale.
      const T mean = dot(W.row(r), DW.row(r), k.rows);
      const auto through_softmax = [mean, factor](Vec<T> p, Vec<T> d) { return factor * (p * (d - mean)); };
      map_vectors(k.rows, ds, through_softmax, W.row(r), DW.row(r));

      if (dq_row != nullptr && !dq.accumulates()) std::fill_n(dq_row, Q.cols, T{0});
      if (v_data == nullptr) {
        if (dq_row != nullptr) add_weighted_rows(ds, k, dq_row);
        for (std::int64_t j = 0; j < dk.rows; ++j) add_scaled(ds[j], Q.row(r), Q.cols, dk.row(j));
        return;
      }
      T* dv_row = DV.data == nullptr ? nullptr : DV.row(r);
      if (dv_row != nullptr) std::fill_n(dv_row, Q.cols, T{0});
      const AdditiveScore<T> additive{.q = Q.row(r), .v = v_data, .a = Q.cols, .dq = dq_row, .dv = dv_row};
      for (std::int64_t j = 0; j < k.rows; ++j) {
        additive.backward(ds[j], k.row(j), dk.data == nullptr ? nullptr : dk.row(j));
      }
    });
  });
  if (dv.wanted()) sum_rows(dvs, dv);
}

void MemoryAttention::do_memory_mix(const Array& weights, const Array& V, const MemoryRows& memory, Array& O) const {
  const KeysOfRows keys(memory);
  dispatch(V.dtype(), [&]<class T>() {
    expect_elements<T>({&weights, &O});
    const auto W = matrix<T>(weights), values = matrix<T>(V), Y = matrix<T>(O);
    launch(W.rows, [&](std::int64_t r) { mix_rows(W.row(r), keys.of(r, values), Y.row(r)); });
  });
}

void MemoryAttention::do_memory_mix_backward(const Array& dO, const Array& weights, const Array& V,
                                             const MemoryRows& memory, Sink d_weights, Sink dV) const {
  if (dV.wanted() && !dV.accumulates()) fill(dV.array, 0);
  const KeysOfRows keys(memory);
  dispatch(V.dtype(), [&]<class T>() {
    expect_elements<T>({&dO, &weights, &d_weights.array, &dV.array});
    const auto DY = matrix<T>(dO), W = matrix<T>(weights), values = matrix<T>(V), DV = sink_matrix<T>(dV);
    const WeightGradients<T> DW(d_weights);
    launch(W.rows, [&](std::int64_t r) {
      mix_rows_backward(r, DY.row(r), W.row(r), keys.of(r, values), DW, sink_rows(keys, r, DV));
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
