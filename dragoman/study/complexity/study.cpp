#include "dragoman/study/complexity/study.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "dragoman/base/fields.h"
#include "dragoman/base/strings.h"
#include "dragoman/study/complexity/path.h"

namespace dragoman::study {
namespace {

constexpr std::int64_t kWindows[] = {33, 65, 129, 257, 513};

// One batch of a sweep.
struct SweepPoint {
  std::int64_t n, d, r;
};

std::string describe(LayerKind kind, const SweepPoint& point) {
  return join(to_string(kind), ", n = ", point.n, ", d = ", point.d);
}

// The size in the middle of a list, the upper one of two; it stays fixed while another size varies.
std::int64_t middle(const std::vector<std::int64_t>& sizes) { return sizes[sizes.size() / 2]; }

struct PlannedSweep {
  std::string over;
  std::vector<SweepPoint> points;
};

std::vector<PlannedSweep> planned_sweeps(const ComplexitySettings& settings, LayerKind kind) {
  const std::int64_t r = kind == LayerKind::kRestricted ? settings.sizes.r : 0;
  std::vector<PlannedSweep> sweeps{{"n", {}}, {"d", {}}};
  for (const std::int64_t n : settings.n) sweeps[0].points.push_back({n, middle(settings.d), r});
  for (const std::int64_t d : settings.d) sweeps[1].points.push_back({middle(settings.n), d, r});
  if (kind != LayerKind::kRestricted) return sweeps;
  // Windows that are wider than the sentence are no windows.
  sweeps.push_back({"r", {}});
  for (const std::int64_t window : kWindows) {
    if (window < settings.n.back()) sweeps[2].points.push_back({settings.n.back(), middle(settings.d), window});
  }
  return sweeps;
}

// Counts at each point, and then times all points together. `announce` is called before each point.
Sweep measure(Backend& on, const ComplexitySettings& settings, LayerKind kind, const PlannedSweep& planned,
              const std::function<void(const SweepPoint&)>& announce) {
  Sweep sweep{planned.over, {}};
  std::deque<Layer> layers;  // their addresses stay
  std::vector<TimedLayer> timed;
  for (const SweepPoint& point : planned.points) {
    announce(point);
    LayerSizes sizes = settings.sizes;
    sizes.d = point.d;
    if (point.r > 0) sizes.r = point.r;
    const std::int64_t B = is_recurrent(kind) ? settings.sentences : std::max<std::int64_t>(1, settings.rows / point.n);
    Layer& layer = layers.emplace_back(on, settings.dtype, kind, sizes);
    timed.push_back({&layer, std::vector<std::int64_t>(static_cast<std::size_t>(B), point.n)});
    sweep.at.push_back({.n = point.n,
                        .d = point.d,
                        .r = point.r,
                        .B = B,
                        .operations = count_operations(on, settings.dtype, layer, timed.back().lengths),
                        .closed = closed_form(kind, sizes, point.n),
                        .seconds = {}});
  }
  if (!settings.times) return sweep;
  const std::vector<LayerTimes> times = time_layers(on, settings.dtype, timed, settings.timing);
  for (std::size_t i = 0; i < times.size(); ++i) sweep.at[i].seconds = times[i];
  return sweep;
}

std::vector<SequenceAt> measure_sequence(Backend& on, const ComplexitySettings& settings, LayerKind kind) {
  LayerSizes sizes = settings.sizes;
  sizes.d = settings.d.front();
  Layer layer(on, settings.dtype, kind, sizes);
  std::vector<SequenceAt> all;
  for (const std::int64_t n : settings.n) {
    all.push_back({n, expected_steps(kind, n), sequence_of(on, settings.dtype, layer, n)});
  }
  return all;
}

PathAt measure_path(const ComplexitySettings& settings, LayerKind kind, std::int64_t n) {
  PathAt path{n, path_length(kind, settings.sizes, n), expected_path(kind, settings.sizes, n), {}};
  if (n > kLongestGradient) return path;
  path.gradients = PathAt::Gradients{path_gradient(kind, settings.sizes, n, path.found - 1),
                                     path_gradient(kind, settings.sizes, n, path.found)};
  return path;
}

void require_sizes(std::string_view key, const std::vector<std::int64_t>& sizes, double least, double most) {
  require<UsageError>(!sizes.empty(), key, " is empty; give at least one number.");
  for (const std::int64_t size : sizes) require_between(key, static_cast<double>(size), least, most);
}

}  // namespace

void ComplexitySettings::validate() const {
  require<UsageError>(!layers.empty(), "layers is empty; give at least one layer.");
  require_sizes("n", n, 1, 65536);
  require_sizes("d", d, 1, 65536);
  require_sizes("path-n", path_n, 2, 65536);
  require_between("d-k", static_cast<double>(sizes.d_k), 1, 4096);
  for (const std::int64_t width : d) {
    require<UsageError>(width % sizes.d_k == 0, "d is ", width, ", which is not a multiple of the width of a head, ",
                        sizes.d_k, " (d-k).");
  }
  const auto require_odd = [](std::string_view key, std::int64_t value) {
    require_between(key, static_cast<double>(value), 3, 65535);
    require<UsageError>(value % 2 == 1, key, " is ", value,
                        "; it must be odd, so that a position sees as far ahead as back.");
  };
  require_odd("k", sizes.k);
  require_odd("r", sizes.r);
  require_between("rows", static_cast<double>(rows), 1, 1 << 24);
  require_between("sentences", static_cast<double>(sentences), 1, 65536);
  require_between("threads", threads, 0, 1024);
  require_between("rounds", timing.rounds, 1, 1000);
}

std::int64_t Sweep::x(std::size_t i) const { return over == "n" ? at[i].n : over == "d" ? at[i].d : at[i].r; }

Sweep::Slopes Sweep::slopes() const {
  std::vector<double> sizes, operations, forward, with_backward;
  for (std::size_t i = upper_half(); i < at.size(); ++i) {
    const auto B = static_cast<double>(at[i].B);
    sizes.push_back(static_cast<double>(x(i)));
    operations.push_back(static_cast<double>(at[i].operations.forward.counted) / B);
    forward.push_back(at[i].seconds.forward / B);
    with_backward.push_back(at[i].seconds.with_backward / B);
  }
  return {log_slope(sizes, operations), log_slope(sizes, forward), log_slope(sizes, with_backward)};
}

const Sweep* LayerReport::sweep(std::string_view over) const {
  const auto found = std::ranges::find(sweeps, over, &Sweep::over);
  return found == sweeps.end() ? nullptr : &*found;
}

bool time_follows_operations(LayerKind kind, const Sweep& sweep) {
  return sweep.over == "n" && (kind == LayerKind::kSelf || kind == LayerKind::kConvolution || is_recurrent(kind));
}

std::vector<std::string> ComplexityReport::contradictions() const {
  std::vector<std::string> all;
  for (const LayerReport& layer : layers) {
    for (const Sweep& sweep : layer.sweeps) {
      for (const Measurement& m : sweep.at) {
        if (m.counts_agree()) continue;
        all.push_back(join(to_string(layer.kind), " at n = ", m.n, ", d = ", m.d, ": ", m.operations.forward.counted,
                           " multiply-adds were counted and ", m.operations.with_backward.counted,
                           " with backward, but the formula gives ", m.B * m.closed.forward(), " and ",
                           m.B * m.closed.with_backward(), "."));
      }
    }
    for (const SequenceAt& s : layer.sequence) {
      if (s.found.steps == s.expected) continue;
      all.push_back(join(to_string(layer.kind), " at n = ", s.n, ": ", s.found.steps,
                         " sequential operations instead of ", s.expected, "."));
    }
    for (const PathAt& path : layer.paths) {
      if (path.agrees()) continue;
      all.push_back(join(to_string(layer.kind), " at n = ", path.n, ": the path found is ", path.found,
                         " long, by the formula ", path.expected, ", and the gradients do not show another."));
    }
  }
  return all;
}

ComplexityReport measure_complexity(const ComplexitySettings& settings, const ComplexityProgress& progress) {
  settings.validate();
  const Device device = device_of(settings.device);
  const std::unique_ptr<Backend> on = make_backend(device, {.threads = settings.threads});
  ComplexityReport report{settings, device_name(device), {}};
  if (device.kind == Device::Kind::kCpu) report.device += ", " + counted(on->threads(), "thread").text();
  std::int64_t done = 0, total = 0;
  for (const LayerKind kind : settings.layers) {
    for (const PlannedSweep& sweep : planned_sweeps(settings, kind)) total += std::ssize(sweep.points);
  }
  for (const LayerKind kind : settings.layers) {
    LayerReport layer{kind, formula(kind, settings.sizes), {}, measure_sequence(*on, settings, kind), {}};
    for (const PlannedSweep& planned : planned_sweeps(settings, kind)) {
      layer.sweeps.push_back(measure(*on, settings, kind, planned, [&](const SweepPoint& point) {
        if (progress) progress(done++, total, describe(kind, point));
      }));
    }
    for (const std::int64_t n : settings.path_n) layer.paths.push_back(measure_path(settings, kind, n));
    report.layers.push_back(std::move(layer));
  }
  if (progress) progress(total, total, "");
  return report;
}

}  // namespace dragoman::study
