// Computes the coefficients of dragoman/backend/cpu/functions.h, compares them with those that stand there, and
// measures the errors of the functions over all floats, against the C library in double precision. It exits with status
// 1 if a coefficient or a bound differs.
//
//   fit_functions           all floats: a few minutes
//   fit_functions 1009      every 1009th float
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string_view>
#include <thread>
#include <vector>

#include "dragoman/backend/cpu/functions.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {
namespace {

using Real = long double;
using Reals = std::vector<Real>;

// Solves a system of linear equations, whose right side is the last column of m, by elimination.
Reals solve(std::vector<Reals> m) {
  const std::size_t n = m.size();
  Reals x;
  for (std::size_t c = 0; c < n; ++c) {
    std::swap(m[c], *std::max_element(m.begin() + static_cast<std::ptrdiff_t>(c), m.end(),
                                      [c](auto& a, auto& b) { return std::abs(a[c]) < std::abs(b[c]); }));
    for (std::size_t r = 0; r < n; ++r) {
      const Real factor = r == c ? 0 : m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= factor * m[c][k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) x.push_back(m[i][n] / m[i][i]);
  return x;
}

// A function to approximate: its values at many points, and the weight that its error has there.
struct Curve {
  Reals x, y, weight;

  Real error(const Reals& terms, std::size_t i) const {
    Real p = 0;
    for (std::size_t k = terms.size(); k-- > 0;) p = p * x[i] + terms[k];
    return (p - y[i]) * weight[i];
  }
  Real largest_error(const Reals& terms) const {
    Real largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(error(terms, i)));
    return largest;
  }
};

// y(x) with the weight 1 / relative_to(x), at points that are dense near both ends.
Curve curve(Real from, Real to, const std::function<Real(Real)>& y, const std::function<Real(Real)>& relative_to) {
  constexpr int kPoints = 4000;  // an even number: 0 is none of them
  Curve curve;
  for (int i = 0; i < kPoints; ++i) {
    const Real x = (from + to - (to - from) * std::cos(std::numbers::pi_v<Real> * (i + 0.5L) / kPoints)) / 2;
    curve.x.push_back(x);
    curve.y.push_back(y(x));
    curve.weight.push_back(1 / std::abs(relative_to(x)));
  }
  return curve;
}

// The polynomial of n terms whose largest error is smallest, by Remez' algorithm: it has the same error, with
// alternating signs, at n + 1 points. These move to the peaks of the error until they are peaks.
Reals minimax(const Curve& curve, std::size_t n) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i <= n; ++i) at.push_back(i * (curve.x.size() - 1) / n);
  Reals terms;
  for (int round = 0; round < 50; ++round) {
    std::vector<Reals> equations;
    for (std::size_t i = 0; i <= n; ++i) {
      Reals row;
      for (std::size_t k = 0; k < n; ++k) row.push_back(std::pow(curve.x[at[i]], static_cast<Real>(k)));
      row.push_back((i % 2 == 0 ? 1 : -1) / curve.weight[at[i]]);
      row.push_back(curve.y[at[i]]);
      equations.push_back(row);
    }
    terms = solve(equations);
    terms.pop_back();  // the error
    std::vector<std::size_t> peaks;
    const auto height = [&](std::size_t i) { return curve.error(terms, i); };
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (peaks.empty() || (height(i) > 0) != (height(peaks.back()) > 0)) peaks.push_back(i);
      if (std::abs(height(i)) > std::abs(height(peaks.back()))) peaks.back() = i;
    }
    if (peaks.size() < n + 1 || peaks == at) break;
    while (peaks.size() > n + 1) {
      peaks.erase(std::abs(height(peaks.front())) < std::abs(height(peaks.back())) ? peaks.begin() : peaks.end() - 1);
    }
    at = peaks;
  }
  return terms;
}

// Rounds the coefficients to float one after another, the highest power first. The lower ones are fitted again each
// time, so that they make up for its rounding.
template <std::size_t n>
bool fits(std::string_view name, const Curve& curve, const float (&present)[n]) {
  Curve rest = curve;
  Reals rounded(n);
  bool same = true;
  for (std::size_t k = n; k-- > 0;) {
    const auto term = static_cast<float>(minimax(rest, k + 1)[k]);
    for (std::size_t i = 0; i < rest.x.size(); ++i) rest.y[i] -= term * std::pow(rest.x[i], static_cast<Real>(k));
    rounded[k] = term;
    same = same && term == present[k];
  }
  fmt::print("{}: relative error {:.2g}, with coefficients in float {:.2g}{}\n", name,
             static_cast<double>(curve.largest_error(minimax(curve, n))),
             static_cast<double>(curve.largest_error(rounded)), same ? "" : ". DIFFERS from functions.h");
  for (const Real term : rounded) fmt::print("  {:.9g}f\n", static_cast<double>(term));
  return same;
}

bool all_fit() {
  constexpr Real kLn2 = std::numbers::ln2_v<Real>;
  const auto exp = [](Real x) { return std::exp(x); };
  bool same = fits("kExpTerms",
                   curve(
                       -kLn2 / 2, kLn2 / 2, [](Real r) { return (std::expm1(r) - r) / (r * r); },
                       [&](Real r) { return exp(r) / (r * r); }),
                   kExpTerms);
  same &= fits(
      "kPowerTerms",
      curve(
          -0.5L, 0.5L, [&](Real f) { return std::expm1(f * kLn2) / f; }, [&](Real f) { return exp(f * kLn2) / f; }),
      kPowerTerms);
  // Near 0 the difference of tanh x and x has few digits left; its series has all.
  const auto rest_of_tanh = [](Real z) {
    const Real x = std::sqrt(z);
    return z < 1e-4L ? -1 / 3.0L + z * (2 / 15.0L - z * (17 / 315.0L - z * (62 / 2835.0L)))
                     : (std::tanh(x) - x) / (x * z);
  };
  same &= fits("kTanhTerms",
               curve(0, kTanhNear * kTanhNear, rest_of_tanh,
                     [](Real z) { return std::tanh(std::sqrt(z)) / (std::sqrt(z) * z); }),
               kTanhTerms);
  const auto tail = [](Real t) {
    const Real x = (1 / t - 1) / kTailScale;
    return std::erfc(x / std::numbers::sqrt2_v<Real>) / 2 * std::exp(x * x / 2) / t;
  };
  return fits("kTailTerms", curve(1 / (1 + kTailScale * 13.2L), 1, tail, tail), kTailTerms) && same;
}

// How many units in the last place a function may be off where |x| <= size.
struct Limit {
  double size = 0, units = 0;
};
constexpr double kAll = std::numeric_limits<double>::infinity();

// A function, what it should be, and how exact it is between two numbers. Without fused multiply-adds the last limit of
// exp_up_to_zero is the one that is needed; with them it would be 20.
struct Claim {
  const char* name;
  Vec<float> (*function)(Vec<float>);
  double (*exact)(double);
  double from, to;
  std::array<Limit, 3> limits;
};
constexpr Claim kClaims[] = {
    {"exp", exp, [](double x) { return std::exp(x); }, -87, 88, {{{kAll, 1.02}}}},
    {"exp_up_to_zero", exp_up_to_zero, [](double x) { return std::exp(x); }, -87, 0, {{{1, 3}, {10, 10}, {kAll, 70}}}},
    {"sigmoid",
     sigmoid,
     [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); },
     -87,
     kAll,
     {{{kAll, 2.5}}}},
    {"tanh", tanh, [](double x) { return std::tanh(x); }, -kAll, kAll, {{{kAll, 1.5}}}},
    {"normal_distribution",
     normal_distribution,
     [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; },
     -13,
     kAll,
     {{{1, 7}, {5, 12}, {kAll, 75}}}}};

// The largest error found, and where.
struct Worst {
  double units = 0;
  float at = 0;
};
struct Found {
  std::array<Worst, 3> worst;  // for each limit
  bool loses_nan = false;
};

// Tries floats by their bits: every step-th of them, beginning with the number `first` of these, and of these the n-th.
Found measure(const Claim& claim, std::uint64_t step, unsigned first, unsigned n) {
  constexpr std::int64_t kCount = kLanes<float>;
  Found found;
  for (std::uint64_t bits = first * step; bits < std::uint64_t{1} << 32; bits += n * step * kCount) {
    Vec<float> x;
    for (std::int64_t i = 0; i < kCount; ++i) {
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + static_cast<std::uint64_t>(i) * n * step));
    }
    const Vec<float> y = claim.function(x);
    for (std::int64_t i = 0; i < kCount; ++i) {
      const bool has_low_bits = (std::bit_cast<std::uint32_t>(static_cast<float>(x[i])) & 0x1FF) != 0;
      if (std::isnan(x[i]) && !has_low_bits && !std::isnan(y[i])) found.loses_nan = true;
      if (!(x[i] >= claim.from && x[i] <= claim.to)) continue;
      const double exact = claim.exact(x[i]);
      int exponent = 0;
      std::frexp(exact, &exponent);
      const double units = std::abs(y[i] - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
      for (std::size_t k = 0; k < claim.limits.size(); ++k) {
        Worst& worst = found.worst[k];
        if (std::abs(x[i]) <= claim.limits[k].size && !(units <= worst.units)) worst = {units, x[i]};
      }
    }
  }
  return found;
}

bool holds(const Claim& claim, std::uint64_t step) {
  const unsigned n = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Found> parts(n);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < n; ++i) threads.emplace_back([&, i] { parts[i] = measure(claim, step, i, n); });
  }
  bool good = std::ranges::none_of(parts, &Found::loses_nan);
  fmt::print("{} from {} to {}{}\n", claim.name, claim.from, claim.to, good ? "" : " LOSES a NaN");
  for (std::size_t k = 0; k < claim.limits.size() && claim.limits[k].size > 0; ++k) {
    const auto units = [k](const Found& part) { return part.worst[k].units; };
    const Worst worst = std::ranges::max_element(parts, {}, units)->worst[k];
    const bool is_within = worst.units <= claim.limits[k].units;
    fmt::print("  |x| <= {}: at most {:.3f} units in the last place, at {:.9g}{}\n", claim.limits[k].size, worst.units,
               worst.at, is_within ? "" : fmt::format(": MORE than {}", claim.limits[k].units));
    good = good && is_within;
  }
  return good;
}

}  // namespace
}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY

int main(int count, char** arguments) {
  using namespace dragoman::cpu::DRAGOMAN_CPU_BODY;
  std::uint64_t step = 1;
  const std::string_view text = count == 2 ? arguments[1] : "1";
  const auto [end, problem] = std::from_chars(text.begin(), text.end(), step);
  if (count > 2 || problem != std::errc() || end != text.end() || step == 0) {
    fmt::print(stderr, "fit_functions: takes one number, the step between the floats that are tried.\n");
    return 2;
  }
  bool good = all_fit();
  for (const Claim& claim : kClaims) good = holds(claim, step) && good;
  return good ? 0 : 1;
}
