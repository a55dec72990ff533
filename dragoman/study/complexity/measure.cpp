#include "dragoman/study/complexity/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::study {
namespace {

Array random_array(Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  Array x = on.empty(shape, dtype);
  const ArenaScope scratch(on.arena());
  Array drawn = on.empty(shape, DType::kFloat32);
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  RandomStream random(seed);
  for (float& value : values) value = static_cast<float>(random.normal());
  on.copy_in(values.data(), drawn);
  on.scaled(drawn, 1.0, Sink::overwrite(x));
  on.wait();  // before the scratch memory is used again
  return x;
}

// A layer, its input and the gradient of its output.
class Call {
 public:
  Call(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths)
      : on_(on), layer_(layer), values_(on.arena()), host_(on.host_arena()), batch_(make_batch(on, lengths)) {
    x_ = random_array(on, {batch_.segments.R, layer.input_width()}, dtype, 1);
    dy_ = random_array(on, {batch_.segments.R, layer.sizes().d}, dtype, 2);
  }

  void forward() {
    const ArenaScope values(on_.arena()), host(on_.host_arena());
    layer_(Tensor(on_, x_), batch_);
  }
  void with_backward() {
    layer_.begin_update();
    const Recording recording(on_);
    backward(layer_(leaf(on_, x_), batch_), dy_);
  }

 private:
  Backend& on_;
  Layer& layer_;
  ArenaScope values_, host_;
  Batch batch_;
  Array x_, dy_;
};

Operations counted(Backend& on, const std::function<void()>& work) {
  OperationCounter counter;
  on.count_operations(&counter);
  work();
  on.wait();
  on.count_operations(nullptr);
  return {counter.operations(), counter.executed()};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Work on a GPU is only launched by a call, so a round ends when all its calls are done.
double median_seconds(Backend& on, const TimingOptions& options, const std::function<void()>& work) {
  const auto round = [&](std::int64_t calls) {
    on.wait();
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) work();
    on.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  round(1);  // the first call touches memory for the first time
  std::int64_t calls = 1;
  while (round(calls) < options.seconds_a_round && calls < 4096) calls *= 2;
  std::vector<double> times;
  double total = 0;
  while (std::ssize(times) < options.rounds || (total < options.seconds && times.size() < 99)) {
    const double seconds = round(calls);
    total += seconds;
    times.push_back(seconds / static_cast<double>(calls));
  }
  return median(times);
}

}  // namespace

LayerOperations count_operations(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths) {
  Call call(on, dtype, layer, lengths);
  return {counted(on, [&] { call.forward(); }), counted(on, [&] { call.with_backward(); })};
}

LayerTimes time_layer(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths,
                      const TimingOptions& options) {
  Call call(on, dtype, layer, lengths);
  return {median_seconds(on, options, [&] { call.forward(); }),
          median_seconds(on, options, [&] { call.with_backward(); })};
}

double log_slope(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    squares += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return squares > 0 ? products / squares : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace dragoman::study
