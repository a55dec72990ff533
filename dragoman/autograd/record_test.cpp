#include "dragoman/autograd/record.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/base/asserts.h"

namespace dragoman {
namespace {

// y = factor x.
Tensor times(const Tensor& x, double factor) {
  Backend& on = x.backend();
  Array y = on.empty_like(x.array());
  on.scaled(x.array(), factor, Sink::overwrite(y));
  return record(y, {x}, [&on, factor](const Array& dy, Sinks& d) { on.scaled(dy, factor, d.into(0)); });
}

Tensor plus(const Tensor& a, const Tensor& b) {
  Backend& on = a.backend();
  Array y = on.empty_like(a.array());
  on.add(a.array(), b.array(), y);
  return record(y, {a, b}, [&on](const Array& dy, Sinks& d) {
    on.scaled(dy, 1, d.into(0));
    on.scaled(dy, 1, d.into(1));
  });
}

// (s, y) = (2 x, 3 x). Backward sets `outputs_reached` to the number of outputs that have a gradient.
std::array<Tensor, 2> two_and_three_times(const Tensor& x, int& outputs_reached) {
  Backend& on = x.backend();
  Array s = on.empty_like(x.array()), y = on.empty_like(x.array());
  on.scaled(x.array(), 2, Sink::overwrite(s));
  on.scaled(x.array(), 3, Sink::overwrite(y));
  return record(s, y, {x}, [&on, &outputs_reached](const Array& ds, const Array& dy, Sinks& d) {
    outputs_reached = (ds ? 1 : 0) + (dy ? 1 : 0);
    if (ds) on.scaled(ds, 2, d.into(0));
    if (dy) on.scaled(dy, 3, d.into(0));
  });
}

// The Variable of a parameter whose gradient is summed in `buffer`.
Variable persistent(const Tensor& buffer) {
  Variable variable;
  variable.shape = buffer.shape();
  variable.dtype = DType::kFloat64;
  variable.gradient = buffer.array();
  variable.persistent = true;
  return variable;
}

class RecordTest : public ::testing::Test {
 protected:
  Tensor leaf_of(const Shape& shape, const Doubles& values) { return leaf(on, bench.tensor(shape, values).array()); }
  void run_backward(const Tensor& y, const Doubles& dy) { backward(y, bench.tensor(y.shape(), dy).array()); }
  Doubles gradient(const Tensor& x) { return bench.values(finished_gradient(on, *x.variable())); }

  Workbench bench;
  Backend& on = *bench.on;
};

using Record = RecordTest;

TEST_F(Record, NothingIsRecordedWithoutARecording) {
  const Tensor x = bench.tensor({2}, {1, 2});
  Variable variable = persistent(bench.tensor({2}, {0, 0}));
  const Tensor parameter(on, x.array(), &variable);
  EXPECT_FALSE(will_be_recorded({parameter}));
  EXPECT_EQ(times(parameter, 2).variable(), nullptr);
  EXPECT_EQ(columns(parameter, 0, 1).variable(), nullptr);
  EXPECT_EQ(on.host_arena().used(), 0u);
  EXPECT_THROW(leaf(on, x.array()), Error);
}

TEST_F(Record, AFunctionOfTensorsWithoutGradientsIsNotRecorded) {
  const Recording recording(on);
  EXPECT_EQ(times(bench.tensor({1}, {1}), 2).variable(), nullptr);
  EXPECT_EQ(on.host_arena().used(), 0u);
}

TEST_F(Record, NoGradientHidesTheRecording) {
  const Recording recording(on);
  const Tensor x = leaf_of({1}, {3});
  {
    const NoGradient no_gradient;
    EXPECT_EQ(Recording::current(), nullptr);
    EXPECT_EQ(times(x, 2).variable(), nullptr);
  }
  EXPECT_EQ(Recording::current(), &recording);
  EXPECT_NE(times(x, 2).variable(), nullptr);
}

TEST_F(Record, GradientsRunThroughAChainToTheLeaf) {
  const Recording recording(on);
  const Tensor x = leaf_of({2}, {1, 2}), y = times(times(x, 2), -3);
  EXPECT_EQ(bench.values(y), (Doubles{-6, -12}));
  run_backward(y, {1, 10});
  EXPECT_EQ(gradient(x), (Doubles{-6, -60}));
}

TEST_F(Record, TheGradientOfASingleNumberDefaultsToOne) {
  const Recording recording(on);
  const Tensor x = leaf_of({1}, {5});
  backward(times(x, 4));
  EXPECT_EQ(gradient(x), Doubles{4});
}

TEST_F(Record, BranchesOfADiamondAddUp) {
  const Recording recording(on);
  const Tensor x = leaf_of({2}, {1, 2}), a = times(x, 2);
  run_backward(plus(plus(times(a, 3), times(a, 5)), plus(x, x)), {1, 10});
  EXPECT_EQ(gradient(x), (Doubles{18, 180}));
}

TEST_F(Record, AFunctionThatDoesNotLeadToTheRootIsNotRun) {
  const Recording recording(on);
  const Tensor x = leaf_of({1}, {1}), other = leaf_of({1}, {1});
  const Tensor y = times(x, 2);
  times(plus(x, other), 100);
  run_backward(y, {1});
  EXPECT_EQ(gradient(x), Doubles{2});
  EXPECT_TRUE(finished_gradient(on, *other.variable()).absent());
}

TEST_F(Record, GradientsOfBothOutputsReachTheInput) {
  for (const int which : {0, 1, 2}) {
    const Recording recording(on);
    const Tensor x = leaf_of({1}, {1});
    int outputs_reached = 0;
    const auto [s, y] = two_and_three_times(x, outputs_reached);
    run_backward(which == 0 ? times(s, 1) : which == 1 ? times(y, 1) : plus(s, y), {1});
    EXPECT_EQ(gradient(x), Doubles{which == 0 ? 2.0 : which == 1 ? 3.0 : 5.0});
    EXPECT_EQ(outputs_reached, which == 2 ? 2 : 1);
  }
}

TEST_F(Record, SinksOverwriteThenAccumulate) {
  Variable variable;
  variable.shape = {2};
  variable.dtype = DType::kFloat64;
  EXPECT_FALSE(sink_of(on, nullptr).wanted());
  EXPECT_EQ(sink_of(on, &variable).write, Sink::Write::kOverwrite);
  EXPECT_EQ(sink_of(on, &variable).write, Sink::Write::kAccumulate);
  release_gradient(on, variable);
  EXPECT_EQ(sink_of(on, &variable).write, Sink::Write::kOverwrite);
}

TEST_F(Record, AParametersBufferIsOverwrittenFirstAndThenAddedTo) {
  const Tensor x = bench.tensor({2}, {1, 2}), buffer = bench.tensor({2}, {700, 800});
  Variable variable = persistent(buffer);
  const Tensor parameter(on, x.array(), &variable);
  for (const Doubles& expected : {Doubles{2, 2}, Doubles{4, 4}}) {  // two micro-batches
    const Recording recording(on);
    run_backward(times(parameter, 2), {1, 1});
    EXPECT_EQ(bench.values(buffer), expected);
  }
}

TEST_F(Record, ViewsShareTheGradientOfTheirTensor) {
  const Recording recording(on);
  const Tensor x = leaf_of({2, 3}, {1, 2, 3, 4, 5, 6}), whole = times(x, 1);
  const Tensor a = columns(whole, 0, 1), b = columns(whole, 2, 1);
  EXPECT_EQ(bench.values(b), (Doubles{3, 6}));
  run_backward(plus(times(a, 10), times(b, 100)), {1, 2});
  EXPECT_EQ(gradient(x), (Doubles{10, 0, 100, 20, 0, 200}));
}

TEST_F(Record, AnUnusedViewHasAZeroGradient) {
  const Recording recording(on);
  const Tensor x = leaf_of({1, 4}, {1, 2, 3, 4});
  const Tensor used = columns(x, 1, 2);
  columns(x, 0, 1);
  run_backward(times(used, 3), {1, 1});
  EXPECT_EQ(gradient(x), (Doubles{0, 3, 3, 0}));
}

TEST_F(Record, GradientsOfATensorAndItsViewAddUpInEitherOrder) {
  for (const bool whole_first : {true, false}) {
    const Recording recording(on);
    const Tensor x = leaf_of({1, 2}, {1, 2}), y = times(x, 1), view = columns(y, 1, 1);
    // Backward runs the last function first.
    const Tensor early = whole_first ? columns(times(y, 5), 0, 1) : times(view, 7);
    const Tensor late = whole_first ? times(view, 7) : columns(times(y, 5), 0, 1);
    run_backward(plus(early, late), {1});
    EXPECT_EQ(gradient(x), (Doubles{5, 7}));
  }
}

TEST_F(Record, ViewsOfOneTensorMustNotOverlap) {
  const Recording recording(on);
  const Tensor x = leaf_of({1, 4}, {1, 2, 3, 4}), view = columns(x, 1, 2);
  expect_shape_error([&] { columns(x, 2, 2); }, {"columns 2 to 4", "overlap"});
  columns(view, 0, 1);
  expect_shape_error([&] { columns(view, 0, 2); }, {"columns 0 to 2", "overlap"});
}

TEST_F(Record, OverlapsAreFoundInWhateverOrderTheViewsAreTaken) {
  const Recording recording(on);
  const Tensor x = leaf_of({6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const int first : {4, 0, 2}) columns(row_range(x, first, 1), 0, 1);
  for (const int first : {0, 2, 4}) expect_shape_error([&] { row_range(x, first, 1); }, {"overlap"});
  expect_shape_error([&] { row_range(x, 1, 2); }, {"rows 1 to 3", "overlap"});
  expect_shape_error([&] { row_range(x, 0, 6); }, {"rows 0 to 6", "overlap"});
  for (const int first : {5, 1, 3}) row_range(x, first, 1);  // what is left
}

TEST_F(Record, RowsThatNoViewWroteHaveAGradientOfZeroInWhateverOrderTheViewsAreTaken) {
  const Recording recording(on);
  const Tensor x = leaf_of({5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Tensor middle = row_range(x, 2, 1), last = row_range(x, 4, 1), first = row_range(x, 0, 1);
  run_backward(plus(plus(times(last, 3), times(first, 2)), times(middle, 5)), {1, 10});
  EXPECT_EQ(gradient(x), (Doubles{2, 20, 0, 0, 5, 50, 0, 0, 3, 30}));
}

TEST_F(Record, ViewsOfRowsAndOfColumnsShareOneGradient) {
  const Recording recording(on);
  const Tensor x = leaf_of({3, 2}, {1, 2, 3, 4, 5, 6}), y = times(x, 1);
  const Tensor lower = row_range(y, 1, 2), corner = columns(row_range(lower, 1, 1), 0, 1);
  EXPECT_EQ(bench.values(corner), (Doubles{5}));
  run_backward(times(corner, 7), {1});
  EXPECT_EQ(gradient(x), (Doubles{0, 0, 0, 0, 7, 0}));
}

// The view is a part of another view, and gradients reach both of them and the whole.
TEST_F(Record, GradientsOfNestedViewsAddUpInEveryOrder) {
  for (const int first : {0, 1, 2}) {
    const Recording recording(on);
    const Tensor x = leaf_of({3, 1}, {1, 2, 3}), y = times(x, 1), upper = row_range(y, 0, 2),
                 top = row_range(upper, 0, 1);
    Tensor sum;
    for (int i = 0; i < 3; ++i) {
      const int which = (first + i) % 3;
      const Tensor term = which == 0   ? row_range(times(y, 100), 0, 1)
                          : which == 1 ? row_range(times(upper, 10), 0, 1)
                                       : times(top, 1);
      sum = sum ? plus(sum, term) : term;
    }
    run_backward(sum, {1});
    EXPECT_EQ(gradient(x), (Doubles{111, 0, 0})) << first;
  }
}

// A loop fills the rows of one tensor, and every step reads the row before it: y_t = 2 y_(t-1) + x_t.
TEST_F(Record, PartsOfATensorHaveTheirOwnHistory) {
  const Recording recording(on);
  const Tensor x = leaf_of({3, 1}, {1, 10, 100});
  Doubles reached;
  const Tensor y = record(bench.tensor({3, 1}, {1, 12, 124}).array(), {x},
                          [this, &reached](const Array& dy, Sinks&) { reached = bench.values(dy); });
  Tensor last;
  for (int t = 0; t < 3; ++t) {
    const Tensor part = row_range(y, t, 1), before = t > 0 ? row_range(last, 0, 1) : Tensor();
    record_part(part, {row_range(x, t, 1), before}, [this](const Array& d, Sinks& sinks) {
      on.scaled(d, 1.0, sinks.into(0));
      on.scaled(d, 2.0, sinks.into(1));
    });
    last = part;
  }
  run_backward(times(y, 1), {1, 1, 1});
  EXPECT_EQ(gradient(x), (Doubles{7, 3, 1}));
  EXPECT_EQ(reached, (Doubles{7, 3, 1}));
}

TEST_F(Record, AParameterCannotHaveViews) {
  const Recording recording(on);
  const Tensor x = bench.tensor({1, 2}, {1, 2}), buffer = bench.tensor({1, 2}, {0, 0});
  Variable variable = persistent(buffer);
  EXPECT_THROW(columns(Tensor(on, x.array(), &variable), 0, 1), Error);
}

TEST_F(Record, BackwardRefusesAVectorAWrongShapeAndATensorWithoutHistory) {
  const Recording recording(on);
  const Tensor x = leaf_of({2}, {1, 2});
  expect_shape_error([&] { backward(times(x, 2)); }, {"backward", "[2]"});
  expect_shape_error([&] { backward(times(x, 2), bench.tensor({3}, {1, 2, 3}).array()); }, {"backward", "[2]", "[3]"});
  EXPECT_THROW(backward(bench.tensor({1}, {1})), Error);
}

TEST_F(Record, TheEndOfARecordingFreesAllMemory) {
  const Tensor x = bench.random({64, 64}, 1);
  const std::size_t values = on.arena().mark(), host = on.host_arena().mark();
  for (int step = 0; step < 3; ++step) {
    const Recording recording(on);
    Tensor y = leaf(on, x.array());
    for (int i = 0; i < 5; ++i) y = plus(times(y, 2), y);
    EXPECT_GT(on.arena().used(), values);
    EXPECT_GT(on.host_arena().used(), host);
    backward(y, x.array());
  }
  EXPECT_EQ(on.arena().mark(), values);
  EXPECT_EQ(on.host_arena().mark(), host);
  EXPECT_EQ(on.gradients().used(), 0u);
}

TEST_F(Record, BackwardFreesValuesAndGradientsOnItsWay) {
  const Recording recording(on);
  const Tensor x = leaf(on, bench.random({64, 64}, 1).array());
  const std::size_t bytes = 64 * 64 * sizeof(double);
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = times(y, 2);
  const Array dy = bench.random({64, 64}, 2).array();
  backward(y, dy);
  EXPECT_EQ(on.gradients().used(), bytes) << "only the gradient of the leaf is left";
  EXPECT_LE(on.gradients().peak(), 2 * bytes)
      << "at most the gradients of one function's input and output exist at once";
  EXPECT_LE(on.arena().used(), 2 * bytes) << "only the leaf and the output of the first function are left";
}

TEST_F(Record, ReadingAnArrayThatWasGivenBackIsCaught) {
  if (!asserts_are_on()) GTEST_SKIP() << "this build has no asserts";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Array kept;
  {
    const Recording recording(on);
    kept = times(leaf_of({2}, {1, 2}), 2).array();
  }
  EXPECT_DEATH(kept.raw(), "given back");
}

TEST(Recording, ABackendHasOneAtATime) {
  const auto on = make_backend(Device{});
  const Recording outer(*on);
  EXPECT_THROW(Recording inner(*on), Error);
  const auto other = make_backend(Device{});
  EXPECT_NO_THROW(Recording elsewhere(*other));
}

TEST(Backward, NeedsTheRecordingOfItsTensor) {
  const auto on = make_backend(Device{});
  const Recording recording(*on);
  Array x = on->empty({1}, DType::kFloat64);
  on->fill(x, 1.0);
  const Tensor root = leaf(*on, x);
  const NoGradient hidden;
  EXPECT_THROW(backward(root), Error);
}

TEST_F(RecordTest, BackwardFromSeveralNumbersIsThatOfTheirSum) {
  const Recording recording(on);
  const Tensor x = leaf_of({1}, {5});
  const Tensor doubled = times(x, 2);
  const Tensor roots[] = {times(doubled, 10), times(doubled, 0.5), times(x, 100)};
  backward(roots);
  EXPECT_EQ(gradient(x), (Doubles{121}));
}

TEST_F(RecordTest, EveryRootMustBeOneNumber) {
  const Recording recording(on);
  const Tensor x = leaf_of({1}, {5}), wide = leaf_of({2}, {1, 2});
  const Tensor roots[] = {times(x, 2), times(wide, 2)};
  EXPECT_THROW(backward(roots), ShapeError);
  EXPECT_THROW(backward(std::span<const Tensor>()), Error);
}

}  // namespace
}  // namespace dragoman
