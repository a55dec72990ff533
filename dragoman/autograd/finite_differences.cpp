#include "dragoman/autograd/finite_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dragoman/autograd/record.h"
#include "dragoman/base/random.h"

namespace dragoman {

namespace {

// The error of the formula in difference() is of the order of step^4, and the rounding error of the order of
// 1e-16 / step. With the first step both are far below the gradients of interest. If the function has a kink nearby, as
// a ReLU has, a smaller step may stay on one side of it.
constexpr double kSteps[] = {5e-5, 5e-6, 5e-7};
// If a difference is this close to the gradient, no smaller step is tried.
constexpr double kClose = 1e-8;
// Differences smaller than this are mostly rounding error.
constexpr double kAboutZero = 1e-6;

// "root": makes the random numbers of draw_d_root() differ from those that callers draw with the same seed.
constexpr std::uint32_t kRootPurpose = 0x726F6F74;

double read(const Backend& on, const Array& place) {
  double value = 0;
  on.copy_out(place, &value);
  return value;
}

void write(const Backend& on, double value, Array& place) { on.copy_in(&value, place); }

// The derivative of the objective f with respect to the element x at `place`, from four values:
// (8 (f(x + step) - f(x - step)) - (f(x + 2 step) - f(x - 2 step))) / (12 step).
double difference(const Backend& on, Array& place, double step, const std::function<double()>& objective) {
  const double here = read(on, place);
  const auto rise = [&](double by) {
    write(on, here + by, place);
    const double above = objective();
    write(on, here - by, place);
    return above - objective();
  };
  const double near = rise(step), far = rise(2 * step);
  write(on, here, place);
  return (8 * near - far) / (12 * step);
}

// The difference, among those of all steps, that is nearest to `gradient`. A correct gradient agrees with some step, a
// wrong one with none.
double nearest_difference(const Backend& on, Array& place, double gradient, const std::function<double()>& objective) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const double step : kSteps) {
    const double now = difference(on, place, step, objective);
    if (std::abs(now - gradient) < std::abs(nearest - gradient)) nearest = now;
    if (std::abs(nearest - gradient) < kClose) break;
  }
  return nearest;
}

std::vector<double> host_values(Backend& on, const Array& x) {
  Array contiguous = on.empty_like(x);
  on.scaled(x, 1.0, Sink::overwrite(contiguous));
  std::vector<double> values(contiguous.count());
  on.copy_out(contiguous, values.data());
  return values;
}

// The gradient of the root from which backward starts: 1 if it is a single number, otherwise random numbers.
std::vector<double> draw_d_root(std::int64_t count) {
  if (count == 1) return {1.0};
  RandomStream random(1, kRootPurpose);
  std::vector<double> d_root(count);
  for (double& d : d_root) d = random.normal();
  return d_root;
}

void run_backward(Backend& on, const Tensor& root, const std::vector<double>& d_root) {
  if (d_root.size() == 1) return backward(root);
  Array staged = on.empty_like(root.array());
  on.copy_in(d_root.data(), staged);
  backward(root, staged);
}

// The gradient that backward left in the leaf, or zeros if none reached it.
Array gradient_of(Backend& on, const Tensor& leaf) {
  Array gradient = finished_gradient(on, *leaf.variable());
  if (gradient) return gradient;
  gradient = on.empty_like(leaf.array());
  on.fill(gradient, 0.0);
  return gradient;
}

}  // namespace

double finite_difference_error(Backend& on, const Array& values, const Array& gradient,
                               const std::function<double()>& objective) {
  require<ShapeError>(values.rows() == gradient.rows() && values.cols() == gradient.cols(),
                      "finite_difference_error: the values are ", values.shape(), ", their gradient ",
                      gradient.shape());
  double deviation = 0, largest = 0;
  for (std::int64_t row = 0; row < values.rows(); ++row) {
    for (std::int64_t column = 0; column < values.cols(); ++column) {
      Array place = values.row_range(row, 1).columns(column, 1);
      const double analytic = read(on, gradient.row_range(row, 1).columns(column, 1));
      const double numeric = nearest_difference(on, place, analytic, objective),
                   element_deviation = std::abs(analytic - numeric);
      if (!std::isfinite(element_deviation)) return std::numeric_limits<double>::infinity();
      deviation = std::max(deviation, element_deviation);
      largest = std::max(largest, std::abs(numeric));
    }
  }
  return largest > kAboutZero ? deviation / largest : deviation;
}

double gradient_error(Backend& on, std::span<const Array> inputs, const DifferentiableFunction& f) {
  const Recording recording(on);
  std::vector<Tensor> leaves, plain;
  for (const Array& input : inputs) {
    leaves.push_back(leaf(on, input));
    plain.emplace_back(on, input);
  }
  const Tensor y = f(leaves);
  const std::vector<double> dy = draw_d_root(y.array().count());
  run_backward(on, y, dy);

  const NoGradient no_gradient;
  const auto objective = [&] {
    const ArenaScope values(on.arena()), host(on.host_arena());
    const std::vector<double> now = host_values(on, f(plain).array());
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) sum += dy[i] * now[i];
    return sum;
  };
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    worst = std::max(worst, finite_difference_error(on, inputs[i], gradient_of(on, leaves[i]), objective));
  }
  return worst;
}

}  // namespace dragoman
