// The CPU's Backend: a thread team, host memory, and every kernel contract in float and double. Each family is
// implemented in the file of its contract's name.
#pragma once

#include <algorithm>
#include <memory>

#include "dragoman/backend/backend.h"
#include "dragoman/base/threads.h"

namespace dragoman::cpu {

template <class T>
struct Product;
template <class T>
struct Matrix;
template <class T>
struct Panels;
struct Int8Rows;

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const BackendOptions& options);

  Device device() const override { return {}; }
  int threads() const override { return team_.size(); }
  bool dry() const override { return dry_; }
  std::unique_ptr<Reservation> reserve(std::size_t bytes) const override;
  Arena& arena() const override { return arena_; }
  Arena& host_arena() const override { return host_arena_; }
  Pool& gradients() const override { return gradients_; }
  void copy_in(const void* host, Array& to) const override;
  void copy_out(const Array& from, void* host) const override;
  std::unique_ptr<HostCopy> copy_out_later(const Array& from) const override;
  void wait() const override {}
  std::unique_ptr<Replay> record_launches(const std::function<void()>& work) const override;

  void matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const override;
  void linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const override;
  void linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation, Sink dx,
                       Sink dW, Sink db) const override;

  void fill(Array& x, double value) const override;
  void scaled(const Array& x, double alpha, Sink y) const override;
  void add(const Array& a, const Array& b, Array& y) const override;
  void add_bias(const Array& x, const Array& b, Array& y) const override;
  void sum_rows(const Array& x, Sink total) const override;
  void relu(const Array& x, Array& y) const override;
  void relu_backward(const Array& dy, const Array& y, Sink dx) const override;
  void dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const override;
  void transpose(const Array& x, Sink y) const override;
  void sum(const Array& x, double alpha, Sink total) const override;
  void sum_of_squares(const Array& x, Array& total) const override;
  void do_multiply(const Array& a, const Array& b, Sink y) const override;
  void do_tanh(const Array& x, Array& y) const override;
  void do_tanh_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_sigmoid(const Array& x, Array& y) const override;
  void do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const override;
  void do_take_rows(const Array& x, const RowIndex& index, Sink y) const override;
  void do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const override;
  void do_place_rows(const Array& x, const Array& rows, const Array& y) const override;

  void layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                  Array& rstd) const override;
  void layer_norm_backward(const Array& dy, const Array& x, const Array& gamma, const Array& mean, const Array& rstd,
                           Sink dx, Sink dgamma, Sink dbeta) const override;
  void add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout, const Array& gamma,
                const Array& beta, double eps, Array& s, Array& y, Array& mean, Array& rstd) const override;
  void add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                         const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd, Sink dx,
                         Sink da, Sink dgamma, Sink dbeta) const override;

  void masked(const Array& x, const Mask& mask, Array& y) const override;
  void masked_backward(const Array& dy, const Mask& mask, Sink dx) const override;
  void softmax(const Array& x, Array& y) const override;
  void softmax_backward(const Array& dy, const Array& y, Sink dx) const override;
  void log_softmax(const Array& x, Array& y) const override;
  void log_softmax_backward(const Array& dy, const Array& y, Sink dx) const override;
  void smoothed_nll(const Array& log_p, const Array& targets, const Smoothing& smoothing, Array& losses) const override;
  void smoothed_nll_backward(double dloss, const Array& targets, const Smoothing& smoothing,
                             Sink dlog_p) const override;

  void embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
             const Dropout& dropout, Array& y) const override;
  void embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                      const Dropout& dropout, Sink dE, Sink dP) const override;

  void attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads, Array& O,
                 Array& log_sums, Array& weights) const override;
  void attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                          const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                          Sink dV) const override;
  void attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache, std::int64_t r,
                        const Heads& heads, Array& O, Array& weights) const override;
  void attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory, const Heads& heads,
                        Array& O, Array& weights) const override;

  void smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                              const Smoothing& smoothing, double weight, std::int64_t chunk, Array& losses, Array& nll,
                              Sink dY, Sink dE, Sink db) const override;

  std::size_t packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const override;
  PackedMatrix packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const override;
  void pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
            const PackedMatrix& to) const override;
  void linear(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
              Array& y) const override;
  void embed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P, double scale,
             Array& y) const override;
  void best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const override;
  void best_words(const Array& Y, const PackedMatrix& E, const Array& b, const BestWords& best) const override;

  void beam_start(const Array& entering, std::int32_t start, const BeamSlots& slots) const override;
  void beam_move(const Array& moves, const BeamSlots& slots) const override;
  void beam_step(const BestWords& best, const BeamRules& rules, const BeamSlots& slots) const override;

  void update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const override;
  void adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
            Array& copy) const override;
  void moving_average(const Array& x, const Array& scale, double decay, Array& mean) const override;

 private:
  template <class F, class... Arrays>
  void put_each(const Sink& y, const F& f, const Arrays&... x) const;
  // The sum of term(element) over all elements, in a fixed order.
  template <class Term>
  void sum_terms(const Array& x, double alpha, const Term& term, Sink total) const;
  // All work goes through here: work(piece) for every piece in [0, pieces), on the team. What a piece computes must
  // depend on shapes and its number alone.
  template <class Work>
  void launch(std::int64_t pieces, const Work& work) const {
    if (!dry_) team_.run(pieces, work);
  }

  // The rows of x as panels of all their columns, in the arena.
  template <class T>
  Panels<T> packed_rows(Matrix<const T> x) const;
  // The rows of x rounded to integers, in the arena.
  Int8Rows quantised_rows(Matrix<const float> x) const;
  // Calls work(first, count) for ranges of panels that cover all of them, as many as keep every thread busy. Whatever
  // the ranges, a panel's columns have the same bits.
  template <class Work>
  void for_panels(std::int64_t panels, const Work& work) const;
  void linear_float(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                    const Array& y) const;
  void linear_int8(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                   const Array& y) const;
  // The best of what score(piece, first, logits) writes for the words from `first` on, `width` of them at a time, once
  // the bias, if any, is added. The blocks are dealt out in word_pieces() pieces at most.
  template <class T, class Score>
  void best_by_block(std::int64_t V, std::int64_t width, const T* bias, const Score& score,
                     const BestWords& best) const;
  std::int64_t word_pieces(std::int64_t blocks) const {
    return threads() == 1 ? 1 : std::min<std::int64_t>(blocks, 2 * threads());
  }

  template <class T, class Finish>
  void multiply(const Product<T>& p, Matrix<T> C, bool accumulate, const Finish& finish) const;

  bool dry_;
  mutable ThreadTeam team_;
  std::unique_ptr<Reservation> arena_memory_, gradient_memory_;
  HostReservation host_arena_memory_;
  mutable Arena arena_, host_arena_;
  mutable Pool gradients_;
};

}  // namespace dragoman::cpu
