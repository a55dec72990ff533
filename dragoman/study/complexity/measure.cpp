#include "dragoman/study/complexity/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
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

// A layer, its input and the gradient of its output, which live in the backend's arenas.
class Call {
 public:
  Call(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths)
      : on_(on), layer_(layer), batch_(make_batch(on, lengths)) {
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
  Batch batch_;
  Array x_, dy_;
};

Operations operations_of(Backend& on, const std::function<void()>& work) {
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

// Seconds of so many calls. Work on a GPU is only launched by a call, so the time ends when it is done.
double seconds_of(const Backend& on, std::int64_t calls, const std::function<void()>& work) {
  on.wait();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) work();
  on.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The median of the seconds of each piece of work; they take turns.
std::vector<double> median_seconds(const Backend& on, const std::vector<std::function<void()>>& pieces,
                                   const TimingOptions& options) {
  constexpr std::int64_t kMaxCalls = 4096;
  std::vector<std::int64_t> calls(pieces.size(), 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    seconds_of(on, 1, pieces[i]);  // the first call touches memory for the first time
    while (seconds_of(on, calls[i], pieces[i]) < options.seconds_a_round && calls[i] < kMaxCalls) calls[i] *= 2;
  }
  std::vector<std::vector<double>> times(pieces.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      times[i].push_back(seconds_of(on, calls[i], pieces[i]) / static_cast<double>(calls[i]));
    }
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_piece : times) medians.push_back(median(of_piece));
  return medians;
}

}  // namespace

LayerOperations count_operations(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths) {
  const ArenaScope values(on.arena()), host(on.host_arena());
  Call call(on, dtype, layer, lengths);
  return {operations_of(on, [&] { call.forward(); }), operations_of(on, [&] { call.with_backward(); })};
}

std::vector<LayerTimes> time_layers(Backend& on, DType dtype, std::span<const TimedLayer> cases,
                                    const TimingOptions& options) {
  const ArenaScope values(on.arena()), host(on.host_arena());
  std::deque<Call> calls;  // their addresses stay
  std::vector<std::function<void()>> forward, with_backward;
  for (const TimedLayer& one : cases) {
    Call& call = calls.emplace_back(on, dtype, *one.layer, one.lengths);
    forward.emplace_back([&call] { call.forward(); });
    with_backward.emplace_back([&call] { call.with_backward(); });
  }
  const std::vector<double> alone = median_seconds(on, forward, options),
                            both = median_seconds(on, with_backward, options);
  std::vector<LayerTimes> times;
  for (std::size_t i = 0; i < cases.size(); ++i) times.push_back({alone[i], both[i]});
  return times;
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
