// The way from the attention weights of one query to the end of its layer, number by number: values, heads, the product
// with W^O, residual connection and normalisation, and the same for the feed-forward network. All numbers are those
// that the kernels computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/nn/observer.h"

namespace dragoman::decode {

struct StepsChoice {
  int site = 0, layer = 0;                           // counted from 0; the model must have them
  std::optional<std::int64_t> query = std::nullopt;  // counted from 0; defaults to all queries
  std::int64_t units = 8;                            // of the feed-forward network, per query
};

// y = gamma (s - mean) rstd + beta, of a row s = x + a. See nn::AddNormSteps.
struct AddNormRow {
  std::vector<float> x, s, y;
  float mean = 0, rstd = 0;  // of this row; not of a BatchNorm
};

// A hidden unit of the feed-forward network.
struct Unit {
  std::int64_t unit = 0;  // counted from 0
  float activation = 0;   // max(0, x w_1 + b_1), where w_1 is the unit's column of W_1
  float b_1 = 0;
  // How much of the network's output comes from the unit: its contribution c (activation times its row of W_2)
  // projected on the output o, c o / o o. The shares of all units and of b_2 add up to 1.
  double share = 0;
};

struct FeedForwardRow {
  std::vector<float> x, inner, output;
  std::vector<Unit> units;           // those with the largest activations, descending; the lower number first if equal
  std::vector<float> w_1;            // of these units, [units, d_model]
  std::vector<float> contributions;  // of these units to the output, [units, d_model]
  std::vector<float> rest;           // the contribution of all other units together
  AddNormRow add_norm;
};

struct QuerySteps {
  std::int64_t query = 0;
  std::vector<float> weights;        // [h, keys]
  std::vector<float> heads;          // [h, d_v]: the outputs of the heads, Concat(head_1, ..., head_h)
  std::vector<float> contributions;  // [h, d_model]: head_i W_i^O, where W_i^O are the rows of W^O for head i
  std::vector<float> output;         // [d_model]: the sum of the contributions and of the bias of W^O
                                     // both are empty if the attention has no W^O
  AddNormRow add_norm;
  FeedForwardRow feed_forward;
};

struct NormParameters {
  std::vector<float> gamma, beta;
  double eps = 0;
  std::vector<float> mean, rstd;  // of each feature, for all rows; only of a BatchNorm
};

struct LayerSteps {
  int site = 0, layer = 0;
  std::int64_t h = 0, keys = 0;
  std::vector<float> V;         // [keys, h d_v]
  std::vector<float> b_O, b_2;  // biases; b_O is empty if there is none
  bool keeps_sum = false;       // see nn::AddNormSteps
  NormParameters attention_norm, feed_forward_norm;
  std::vector<QuerySteps> queries;  // empty if the sentence does not have the query, or the model shows no steps
};

// Records the steps while a model processes one sentence. Its functions are called by an observer.
class StepsRecorder {
 public:
  StepsRecorder(Backend& on, const nn::AttentionSites& sites, const StepsChoice& choice);

  void see(int site, int layer, const Array& weights, const Reach& reach);
  void see(const nn::AttentionSteps& steps);
  void see(const nn::AddNormSteps& steps);
  void see(const nn::FeedForwardSteps& steps);

  // What was recorded. It has no queries if the model showed no steps.
  LayerSteps take();

 private:
  // The rows [rows, in] times W, without its bias, by the kernel of the model. `dtype` is that of the model's rows.
  std::vector<float> product(const std::vector<float>& rows, const nn::Linear& W, DType dtype) const;
  std::vector<float> head_contributions(const std::vector<float>& heads, const nn::Linear& W_O, DType dtype) const;
  FeedForwardRow feed_forward_row(const nn::FeedForwardSteps& steps, std::int64_t row) const;
  void add_unit_weights(const nn::Linear& W_1, DType dtype);
  void add_contributions(FeedForwardRow& row, const nn::FeedForwardSteps& steps) const;
  AddNormRow add_norm_row(const nn::AddNormSteps& steps, std::int64_t row) const;
  std::vector<float> row_of(const Array& values, std::int64_t row) const;

  Backend& on_;
  LayerSteps found_;
  StepsChoice choice_;
  nn::SubLayer attention_, feed_forward_;
};

}  // namespace dragoman::decode
