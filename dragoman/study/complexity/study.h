// `dragoman complexity`: Table 1 of the paper as a measurement. For each layer it counts multiply-adds and compares
// them with the closed form, measures time over n, d and r and fits slopes, counts sequential operations, and finds
// path lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/choice.h"
#include "dragoman/study/complexity/measure.h"
#include "dragoman/study/complexity/sequence.h"

namespace dragoman::study {

struct ComplexitySettings {
  std::vector<LayerKind> layers;     // at least one
  std::vector<std::int64_t> n, d;    // ascending, at least one each
  std::vector<std::int64_t> path_n;  // ascending
  LayerSizes sizes;                  // d is not read
  std::int64_t rows = 8192;          // positions of a batch: there are rows / n sentences, but at least one
  std::int64_t sentences = 4;        // of a batch for recurrent layers: their work for a fixed number of rows does not
                                     // depend on n
  DeviceChoice device = DeviceChoice::kCpu;
  DType dtype = DType::kFloat32;
  int threads = 0;
  bool times = true;  // if false, nothing is timed
  TimingOptions timing;

  // Throws a UsageError that names the setting.
  void validate() const;
};

// A layer at one size.
struct Measurement {
  std::int64_t n = 0, d = 0, r = 0, B = 0;  // r of restricted self-attention, else 0; B sentences of n positions
  LayerOperations operations;               // of the batch
  ClosedForm closed;                        // of one sentence
  LayerTimes seconds;                       // of the batch; 0 if nothing is timed

  bool counts_agree() const {
    return operations.forward.counted == B * closed.forward() &&
           operations.with_backward.counted == B * closed.with_backward();
  }
};

// The measurements over one size, the others being fixed, and the slopes of the upper half of the range on log scales.
// Operations and seconds are those of one sentence.
struct Sweep {
  std::string over;  // "n", "d" or "r"
  std::vector<Measurement> at;

  std::int64_t x(std::size_t i) const;
  // The first measurement of the upper half, which has at least two if there are two.
  std::size_t upper_half() const { return at.size() == 2 ? 0 : at.size() / 2; }
  struct Slopes {
    double operations = 0, forward = 0, with_backward = 0;  // NaN if there are fewer than two sizes
  };
  Slopes slopes() const;
};

struct SequenceAt {
  std::int64_t n = 0, expected = 0;
  Sequence found;
};

struct PathAt {
  std::int64_t n = 0, found = 0, expected = 0;
  struct Gradients {
    double one_short = 0, at_length = 0;
  };
  std::optional<Gradients> gradients;  // for n of at most kLongestGradient

  bool agrees() const {
    return found == expected && (!gradients || (gradients->one_short == 0 && gradients->at_length > 0));
  }
};

struct LayerReport {
  LayerKind kind = LayerKind::kSelf;
  std::string formula;
  std::vector<Sweep> sweeps;
  std::vector<SequenceAt> sequence;
  std::vector<PathAt> paths;

  const Sweep* sweep(std::string_view over) const;  // null if there is none
};

struct ComplexityReport {
  ComplexitySettings settings;
  std::string device;  // its name, and the number of threads on the CPU
  std::vector<LayerReport> layers;

  // Sentences that say where a count, a number of steps or a path differs from its formula. Empty if all agree.
  std::vector<std::string> contradictions() const;
};

// Whether the slope of the time is expected to follow that of the operations to within kSlopeTolerance: for the core of
// self-attention and convolution over n, and for recurrent layers, whose steps also grow as their operations do.
inline constexpr double kSlopeTolerance = 0.15;
bool time_follows_operations(LayerKind kind, const Sweep& sweep);

// How far the work is: `done` of `total` measurements, and what is measured next.
using ComplexityProgress = std::function<void(std::int64_t done, std::int64_t total, const std::string& next)>;
ComplexityReport measure_complexity(const ComplexitySettings& settings, const ComplexityProgress& progress = {});

// The report as text for a terminal, as JSON, and as a self-contained page with log-log charts.
std::string complexity_text(const ComplexityReport& report);
std::string complexity_json(const ComplexityReport& report);
std::string complexity_page(const ComplexityReport& report);

}  // namespace dragoman::study
