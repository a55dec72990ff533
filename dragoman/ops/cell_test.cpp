#include "dragoman/ops/cell.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::ops {
namespace {

constexpr std::int64_t kRows = 3, kWidth = 5;

// The inputs of a cell: x, context, h W_h, h and, for LSTM, c.
Tensors cell_inputs(const Workbench& bench, CellKind kind) {
  const std::int64_t gates = gate_count(kind) * kWidth;
  Tensors inputs;
  for (const std::int64_t width : {gates, gates, gates, kWidth}) {
    inputs.push_back(bench.random({kRows, width}, 1 + inputs.size()));
  }
  if (kind == CellKind::kLstm) inputs.push_back(bench.random({kRows, kWidth}, 9));
  return inputs;
}

// h of one step and, for LSTM, c beside it.
Tensor fused(CellKind kind, std::span<const Tensor> in) {
  Backend& on = in[0].backend();
  const auto whole = [&] {
    return record(on.empty({kRows, kWidth}, in[0].array().dtype()), {in[0]}, [](const Array&, Sinks&) {});
  };
  CellState next{row_range(whole(), 0, kRows), {}};
  const bool is_lstm = kind == CellKind::kLstm;
  if (is_lstm) next.c = row_range(whole(), 0, kRows);
  cell(kind, {in[0], in[1], in[2], {}}, {in[3], is_lstm ? in[4] : Tensor()}, next);
  return is_lstm ? concat({next.h, next.c}) : next.h;
}

Tensor composed(CellKind kind, std::span<const Tensor> in) {
  const bool is_lstm = kind == CellKind::kLstm;
  const CellState next = plain::cell(kind, {in[0], in[1], in[2], {}}, {in[3], is_lstm ? in[4] : Tensor()});
  return is_lstm ? concat({next.h, next.c}) : next.h;
}

TEST(CellStep, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const CellKind kind : {CellKind::kVanilla, CellKind::kGru, CellKind::kLstm}) {
    expect_gradients_match([&](auto in) { return fused(kind, in); }, cell_inputs(bench, kind));
  }
}

TEST(CellStep, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    for (const CellKind kind : {CellKind::kVanilla, CellKind::kGru, CellKind::kLstm}) {
      expect_same_function([&](auto in) { return fused(kind, in); }, [&](auto in) { return composed(kind, in); },
                           cell_inputs(bench, kind), bench.tolerance * 4);
    }
  });
}

}  // namespace
}  // namespace dragoman::ops
