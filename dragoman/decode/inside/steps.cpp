#include "dragoman/decode/inside/steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dragoman/decode/inside/host_values.h"
#include "dragoman/nn/linear.h"

namespace dragoman::decode {
namespace {

constexpr std::int64_t kRowsOfIdentity = 32;

std::vector<float> bias_of(Backend& on, const nn::Linear& linear) {
  return linear.b ? floats_on_host(on, linear.b.tensor().array()) : std::vector<float>();
}

// The `count` hidden units with the largest activations. Units that are off (0) are not among them.
std::vector<Unit> strongest_units(const std::vector<float>& inner, std::int64_t count) {
  std::vector<std::int64_t> order(inner.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return inner[a] > inner[b]; });
  std::vector<Unit> units;
  for (const std::int64_t unit : order) {
    if (std::ssize(units) == count || inner[unit] <= 0) break;
    units.push_back({.unit = unit, .activation = inner[unit]});
  }
  return units;
}

double dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus(), [](double x, double y) { return x * y; });
}

}  // namespace

StepsRecorder::StepsRecorder(Backend& on, const nn::AttentionSites& sites, const StepsChoice& choice)
    : on_(on), choice_(choice) {
  const nn::Side side = sites[static_cast<std::size_t>(choice.site)].queries;
  attention_ = {.side = side, .layer = choice.layer, .site = choice.site};
  feed_forward_ = {.side = side, .layer = choice.layer};
  found_.site = choice.site;
  found_.layer = choice.layer;
}

LayerSteps StepsRecorder::take() {
  if (found_.V.empty()) found_.queries.clear();
  return std::move(found_);
}

void StepsRecorder::see(int site, int layer, const Array& weights, const Reach& reach) {
  if (site != choice_.site || layer != choice_.layer) return;
  const std::int64_t n_q = reach.queries.R;
  found_.keys = reach.keys.R;
  found_.h = weights.count() / (n_q * found_.keys);
  const std::int64_t first = choice_.query.value_or(0), end = choice_.query ? std::min(first + 1, n_q) : n_q;
  const Array by_query = weights.reshaped({found_.h * n_q, found_.keys});
  for (std::int64_t query = first; query < end; ++query) {
    QuerySteps& steps = found_.queries.emplace_back();
    steps.query = query;
    for (std::int64_t head = 0; head < found_.h; ++head) {
      const std::vector<float> row = row_of(by_query, head * n_q + query);
      steps.weights.insert(steps.weights.end(), row.begin(), row.end());
    }
  }
}

void StepsRecorder::see(const nn::AttentionSteps& steps) {
  if (steps.site != choice_.site || steps.layer != choice_.layer) return;
  found_.V = floats_on_host(on_, steps.V);
  if (steps.W_O != nullptr) found_.b_O = bias_of(on_, *steps.W_O);
  for (QuerySteps& query : found_.queries) {
    query.heads = row_of(steps.O, query.query);
    if (steps.W_O == nullptr) continue;
    query.output = row_of(steps.output, query.query);
    query.contributions = head_contributions(query.heads, *steps.W_O, steps.O.dtype());
  }
}

void StepsRecorder::see(const nn::AddNormSteps& steps) {
  const bool is_attention = steps.where == attention_;
  if (!is_attention && steps.where != feed_forward_) return;
  NormParameters& norm = is_attention ? found_.attention_norm : found_.feed_forward_norm;
  norm = {floats_on_host(on_, steps.gamma), floats_on_host(on_, steps.beta), steps.eps, {}, {}};
  if (steps.feature_mean) {
    norm.mean = floats_on_host(on_, steps.feature_mean);
    norm.rstd = floats_on_host(on_, steps.feature_variance);
    for (float& value : norm.rstd) value = static_cast<float>(1 / std::sqrt(static_cast<double>(value) + steps.eps));
  }
  found_.keeps_sum = steps.keeps_sum;
  for (QuerySteps& query : found_.queries) {
    (is_attention ? query.add_norm : query.feed_forward.add_norm) = add_norm_row(steps, query.query);
  }
}

void StepsRecorder::see(const nn::FeedForwardSteps& steps) {
  if (steps.where != feed_forward_) return;
  found_.b_2 = bias_of(on_, steps.W_2);
  for (QuerySteps& query : found_.queries) query.feed_forward = feed_forward_row(steps, query.query);
  add_unit_weights(steps.W_1, steps.x.dtype());
}

// The rows of a block-diagonal matrix: row i has the output of head i in the head's own columns, and zeros elsewhere.
std::vector<float> StepsRecorder::head_contributions(const std::vector<float>& heads, const nn::Linear& W_O,
                                                     DType dtype) const {
  const auto h = static_cast<std::size_t>(found_.h), d_v = heads.size() / h;
  std::vector<float> rows(h * heads.size());
  for (std::size_t i = 0; i < h; ++i) {
    std::copy_n(heads.begin() + static_cast<std::ptrdiff_t>(i * d_v), d_v,
                rows.begin() + static_cast<std::ptrdiff_t>(i * heads.size() + i * d_v));
  }
  return product(rows, W_O, dtype);
}

FeedForwardRow StepsRecorder::feed_forward_row(const nn::FeedForwardSteps& steps, std::int64_t row) const {
  FeedForwardRow result{.x = row_of(steps.x, row),
                        .inner = row_of(steps.inner, row),
                        .output = row_of(steps.output, row),
                        .units = {},
                        .w_1 = {},
                        .contributions = {},
                        .rest = {},
                        .add_norm = {}};
  result.units = strongest_units(result.inner, choice_.units);
  const std::vector<float> b_1 = bias_of(on_, steps.W_1);
  for (Unit& unit : result.units) unit.b_1 = b_1.empty() ? 0 : b_1[static_cast<std::size_t>(unit.unit)];
  add_contributions(result, steps);
  return result;
}

// The columns of W_1 for all units that are listed. W_1 may be packed, so its rows come from the product with the rows
// of an identity matrix, some at a time.
void StepsRecorder::add_unit_weights(const nn::Linear& W_1, DType dtype) {
  const std::int64_t d = W_1.W.shape().dim(0), d_ff = W_1.W.shape().dim(1);
  for (QuerySteps& query : found_.queries) query.feed_forward.w_1.resize(query.feed_forward.units.size() * d);
  for (std::int64_t first = 0; first < d && !found_.queries.empty(); first += kRowsOfIdentity) {
    const std::int64_t count = std::min(kRowsOfIdentity, d - first);
    std::vector<float> identity(static_cast<std::size_t>(count * d));
    for (std::int64_t r = 0; r < count; ++r) identity[r * d + first + r] = 1;
    const std::vector<float> W = product(identity, W_1, dtype);
    for (QuerySteps& query : found_.queries) {
      FeedForwardRow& row = query.feed_forward;
      for (std::size_t u = 0; u < row.units.size(); ++u) {
        for (std::int64_t r = 0; r < count; ++r) row.w_1[u * d + first + r] = W[r * d_ff + row.units[u].unit];
      }
    }
  }
}

// The units one by one, and the others together: each goes through the product with W_2 in a row of its own.
void StepsRecorder::add_contributions(FeedForwardRow& row, const nn::FeedForwardSteps& steps) const {
  const std::size_t d_ff = row.inner.size(), d = row.output.size(), k = row.units.size();
  std::vector<float> rows((k + 1) * d_ff);
  std::ranges::copy(row.inner, rows.end() - static_cast<std::ptrdiff_t>(d_ff));
  for (std::size_t i = 0; i < k; ++i) {
    const auto unit = static_cast<std::size_t>(row.units[i].unit);
    std::swap(rows[i * d_ff + unit], rows[k * d_ff + unit]);
  }
  row.contributions = product(rows, steps.W_2, steps.inner.dtype());
  row.rest.assign(row.contributions.end() - static_cast<std::ptrdiff_t>(d), row.contributions.end());
  row.contributions.resize(k * d);
  const double length = dot(row.output, row.output);
  for (std::size_t i = 0; i < k; ++i) {
    const double along = dot(std::span(row.contributions).subspan(i * d, d), row.output);
    row.units[i].share = length > 0 ? along / length : 0;
  }
}

AddNormRow StepsRecorder::add_norm_row(const nn::AddNormSteps& steps, std::int64_t row) const {
  const auto number = [&](const Array& column) {
    return column ? row_of(column.reshaped({column.count(), 1}), row).front() : 0;
  };
  return {.x = row_of(steps.x, row),
          .s = row_of(steps.s, row),
          .y = row_of(steps.y, row),
          .mean = number(steps.mean),
          .rstd = number(steps.rstd)};
}

std::vector<float> StepsRecorder::product(const std::vector<float>& rows, const nn::Linear& W, DType dtype) const {
  const ArenaScope scratch(on_.arena());
  const std::int64_t in = W.W.shape().dim(0);
  Array staged = on_.empty({std::ssize(rows) / in, in}, DType::kFloat32);
  on_.copy_in(rows.data(), staged);
  const Array x = on_.empty(staged.shape(), dtype);
  on_.scaled(staged, 1.0, Sink::overwrite(x));
  return floats_on_host(on_, nn::Linear{.W = W.W, .b = {}}(Tensor(on_, x)).array());
}

std::vector<float> StepsRecorder::row_of(const Array& values, std::int64_t row) const {
  return floats_on_host(on_, values.row_range(row, 1));
}

}  // namespace dragoman::decode
