// Helpers that kernel tests share: the list of devices and element types that every kernel is tested on, conversion
// between arrays and plain vectors of doubles, and gradients by central differences.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/random.h"

namespace dragoman {

struct KernelCase {
  Device device;
  DType dtype;
  double tolerance;               // relative to the larger of 1 and the expected value
  std::string instructions = {};  // of the CPU; empty for those that are used by default

  std::unique_ptr<Backend> backend(int threads) const {
    return make_backend(device, {.threads = threads, .instructions = instructions});
  }
};

// The instructions of the CPU that tests can use, the default first, as empty text. Of sets with the same `kernels`
// (such as &InstructionSet::vectors) there is one.
inline std::vector<std::string> instructions_to_test(std::string InstructionSet::*kernels) {
  std::vector<std::string> names{""}, seen{used_instructions().*kernels};
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.usable() || std::ranges::count(seen, set.*kernels) > 0) continue;
    seen.push_back(set.*kernels);
    names.push_back(set.name);
  }
  return names;
}

inline std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  for (const std::string& instructions : instructions_to_test(&InstructionSet::vectors)) {
    cases.push_back({Device{}, DType::kFloat32, 2e-5, instructions});
    cases.push_back({Device{}, DType::kFloat64, 1e-12, instructions});
  }
  // bfloat16 is missing here: the tests in backend/cuda compare it with the CPU.
  if (cuda_devices() > 0) cases.push_back({{Device::Kind::kCuda, 0}, DType::kFloat32, 2e-5});
  return cases;
}

// The cases in double precision, which finite differences need.
inline std::vector<KernelCase> double_cases() {
  std::vector<KernelCase> cases = kernel_cases();
  std::erase_if(cases, [](const KernelCase& one) { return one.dtype != DType::kFloat64; });
  return cases;
}

// Without this, a failing test would print its case as the bytes of the struct.
inline void PrintTo(const KernelCase& one, std::ostream* out) {
  *out << one.device << " " << one.instructions << " " << one.dtype;
}

inline std::string kernel_case_name(const ::testing::TestParamInfo<KernelCase>& info) {
  const std::string& instructions = info.param.instructions;
  std::string name = join(info.param.device, "_", instructions, instructions.empty() ? "" : "_", info.param.dtype);
  for (char& c : name) {
    if (c == ':' || c == '-') c = '_';
  }
  return name;
}

using Doubles = std::vector<double>;

// Standard normal values. They are not rounded, so none lies halfway between two 8-bit integers.
inline Doubles unrounded_values(std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  Doubles values(static_cast<std::size_t>(count));
  for (double& value : values) value = random.normal();
  return values;
}

// Standard normal values, rounded so that they are the same numbers in every element type.
inline Doubles random_values(std::int64_t count, std::uint64_t seed) {
  Doubles values = unrounded_values(count, seed);
  for (double& value : values) value = static_cast<double>(BFloat16(value));
  return values;
}

inline Array make_array(const Backend& on, const Shape& shape, DType dtype, const Doubles& values) {
  EXPECT_EQ(shape.count(), static_cast<std::int64_t>(values.size()));
  Array x = on.empty(shape, dtype);
  const auto copy = [&]<class T>(T) {
    const std::vector<T> elements(values.begin(), values.end());
    if (!elements.empty()) on.copy_in(elements.data(), x);
  };
  if (dtype == DType::kFloat32) copy(float{});
  if (dtype == DType::kFloat64) copy(double{});
  if (dtype == DType::kBFloat16) copy(BFloat16());
  if (dtype == DType::kInt32) copy(std::int32_t{});
  return x;
}

// The elements row by row, for any stride.
inline Doubles values_of(const Backend& on, const Array& x) {
  Doubles values;
  if (x.count() == 0) return values;
  const auto copy = [&]<class T>(T) {
    std::vector<T> row(static_cast<std::size_t>(x.cols()));
    for (std::int64_t r = 0; r < x.rows(); ++r) {
      on.copy_out(x.row_range(r, 1), row.data());
      for (const T value : row) values.push_back(static_cast<double>(value));
    }
  };
  if (x.dtype() == DType::kFloat32) copy(float{});
  if (x.dtype() == DType::kFloat64) copy(double{});
  if (x.dtype() == DType::kBFloat16) copy(BFloat16());
  if (x.dtype() == DType::kInt32) copy(std::int32_t{});
  return values;
}

inline void expect_near(const Doubles& actual, const Doubles& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;  // equal infinities too: their difference is NaN
    ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "element " << i;
  }
}

// Sentences of the given lengths. Their numbers within the update start at first_sentence.
inline Segments make_segments(const Backend& on, const std::vector<int>& lengths, int first_sentence = 0) {
  Segments segments;
  segments.first_sentence = first_sentence;
  Doubles offsets{0}, position, sentence;
  for (const int n : lengths) {
    for (int i = 0; i < n; ++i) {
      position.push_back(i);
      sentence.push_back(first_sentence + static_cast<int>(segments.B));
    }
    offsets.push_back(static_cast<double>(position.size()));
    segments.longest = std::max<std::int64_t>(segments.longest, n);
    ++segments.B;
  }
  segments.R = static_cast<std::int64_t>(position.size());
  segments.offsets = make_array(on, {segments.B + 1}, DType::kInt32, offsets);
  segments.position = make_array(on, {segments.R}, DType::kInt32, position);
  segments.sentence = make_array(on, {segments.R}, DType::kInt32, sentence);
  return segments;
}

// The dropout factor of one element, by the definition in backend/dropout.h.
inline double dropout_factor(const Dropout& dropout, int sentence, int position, std::int64_t channel) {
  if (!dropout.on()) return 1;
  const Philox4 words = philox({static_cast<std::uint32_t>(channel / 8), static_cast<std::uint32_t>(position),
                                static_cast<std::uint32_t>(sentence), dropout.update},
                               dropout.key);
  const std::uint32_t word = words[static_cast<std::size_t>(channel % 8 / 2)];
  const std::uint32_t bits = channel % 2 == 0 ? word & 0xffff : word >> 16;
  return bits < dropout.threshold ? 0 : dropout.scale();
}

// The gradient of f at x by central differences.
inline Doubles central_differences(const std::function<double(const Doubles&)>& f, Doubles x, double step = 1e-5) {
  Doubles gradient;
  for (double& coordinate : x) {
    const double at = coordinate;
    coordinate = at + step;
    const double above = f(x);
    coordinate = at - step;
    const double below = f(x);
    coordinate = at;
    gradient.push_back((above - below) / (2 * step));
  }
  return gradient;
}

// f of every element of a, or of every pair of elements of a and b at the same index.
template <class F>
Doubles map(Doubles a, const Doubles& b, const F& f) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
  return a;
}
template <class F>
Doubles map(const Doubles& a, const F& f) {
  return map(a, a, [&](double x, double) { return f(x); });
}

inline double dot(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The fixture of a kernel test: a backend for the case's device, and arrays of its element type.
class KernelTest : public ::testing::TestWithParam<KernelCase> {
 protected:
  Array array(const Shape& shape, const Doubles& values) const { return make_array(*on, shape, dtype(), values); }
  Array random(const Shape& shape, std::uint64_t seed) const {
    return array(shape, random_values(shape.count(), seed));
  }
  // The middle columns of a wider array, so that the rows are not contiguous.
  Array random_view(const Shape& shape, std::uint64_t seed) const {
    return random({shape.rows(), shape.cols() + 5}, seed).columns(2, shape.cols());
  }
  Array zeros(const Shape& shape) const { return array(shape, Doubles(static_cast<std::size_t>(shape.count()), 0.0)); }
  Array integers(const std::vector<int>& values) const {
    return make_array(*on, {static_cast<std::int64_t>(values.size())}, DType::kInt32, {values.begin(), values.end()});
  }
  Doubles values(const Array& x) const { return values_of(*on, x); }
  // The tolerance is `slack` times that of the case.
  void expect_values(const Array& x, const Doubles& expected, double slack = 1) const {
    expect_near(values(x), expected, slack * tolerance());
  }

  // Runs a kernel with a sink that is unwanted, one that overwrites and one that accumulates, and checks the contents
  // of each. The sinks are ranges of columns; the neighbouring columns must not change.
  void expect_in_every_sink(const Shape& shape, const Doubles& expected, const std::function<void(Sink)>& kernel,
                            double slack = 1) const {
    for (const auto write : {Sink::Write::kNone, Sink::Write::kOverwrite, Sink::Write::kAccumulate}) {
      const Array wide = random({shape.rows(), shape.cols() + 5}, 99), sink = wide.columns(2, shape.cols());
      const Array left = wide.columns(0, 2), right = wide.columns(shape.cols() + 2, 3);
      const Doubles old = values(sink), old_left = values(left), old_right = values(right);
      kernel({sink, write});
      Doubles now = write == Sink::Write::kNone ? old : expected;
      for (std::size_t i = 0; i < now.size() && write == Sink::Write::kAccumulate; ++i) now[i] += old[i];
      expect_values(sink, now, write == Sink::Write::kNone ? 0 : slack);
      EXPECT_EQ(values(left), old_left);
      EXPECT_EQ(values(right), old_right);
    }
  }

  bool on_cuda() const { return GetParam().device.kind == Device::Kind::kCuda; }
  DType dtype() const { return GetParam().dtype; }
  double tolerance() const { return GetParam().tolerance; }

  std::unique_ptr<Backend> on = GetParam().backend(2);
};

class KernelTestInDouble : public KernelTest {};

// Checks that `run` gives the same bits with one thread and with three.
inline void expect_same_bits_with_any_threads(const KernelCase& on_case,
                                              const std::function<Doubles(const Backend&)>& run) {
  const auto one = on_case.backend(1), three = on_case.backend(3);
  EXPECT_EQ(run(*one), run(*three));
}

}  // namespace dragoman
