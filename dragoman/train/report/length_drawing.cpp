#include "dragoman/train/report/length_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/html.h"

namespace dragoman::train {
namespace {

using Systems = std::span<const eval::LengthReport>;
using Frame = LengthFrame;

// The horizontal axis has a slot of equal width for each bucket from the first to the last, also for empty ones. The
// points of several systems lie beside each other in their slot: within 0.2 of its width from the middle, so that those
// of one bucket are nearer to each other than to those of the next.
struct Slots {
  std::int64_t first = 0, last = 0;  // numbers of buckets
  int bucket_width = 1;
  std::size_t systems = 1;

  double width() const { return (Frame::kRight - Frame::kLeft) / static_cast<double>(last - first + 1); }
  std::int64_t number(const eval::LengthBucket& bucket) const { return (bucket.first - 1) / bucket_width; }
  double middle(std::int64_t number) const {
    return Frame::kLeft + (static_cast<double>(number - first) + 0.5) * width();
  }
  // From -0.5 to 0.5: the place of a system among the others.
  double place(std::size_t system) const {
    return (static_cast<double>(system) + 0.5) / static_cast<double>(systems) - 0.5;
  }
  double x(const eval::LengthBucket& bucket, std::size_t system) const {
    return middle(number(bucket)) + 0.4 * width() * place(system);
  }
};

Slots slots_of(Systems systems) {
  Slots slots{.bucket_width = systems.front().scores.width, .systems = systems.size()};
  slots.first = slots.number(systems.front().scores.buckets.front());
  for (const eval::LengthReport& system : systems) {
    slots.first = std::min(slots.first, slots.number(system.scores.buckets.front()));
    slots.last = std::max(slots.last, slots.number(system.scores.buckets.back()));
  }
  return slots;
}

Axis score_axis(Systems systems) {
  ValueRange range;
  range.include(0);
  for (const eval::LengthReport& system : systems) {
    for (const eval::LengthBucket& bucket : system.scores.buckets) {
      range.include(bucket.bleu);
      range.include(bucket.interval.upper);
    }
  }
  const double high = range.high > 0 ? 1.05 * range.high : 1;
  return {.low = 0, .high = high, .from = Frame::kBottom, .to = Frame::kTop};
}

Axis count_axis(Systems systems) {
  std::int64_t most = 1;
  for (const eval::LengthReport& system : systems) {
    for (const eval::LengthBucket& bucket : system.scores.buckets) most = std::max(most, bucket.sentences);
  }
  return {.low = 0, .high = static_cast<double>(most), .from = Frame::kCountsBottom, .to = Frame::kCountsTop};
}

std::string level_line(double y, const std::string& label, std::string_view kind) {
  return fmt::format(R"(<path class="{}" d="M{} {:.1f}H{}"/><text class="y" x="{}" y="{:.1f}">{}</text>)", kind,
                     Frame::kLeft, y, Frame::kRight, Frame::kLeft - 7, y + 4, label);
}

// Labels only every second, third, ... bucket if they would overlap. A label is centred under its bucket, unless it
// would extend beyond the drawing.
std::string slot_labels(const Slots& slots) {
  constexpr double kCharacter = 6.6;
  const auto label = [&](std::int64_t number) {
    const std::int64_t width = slots.bucket_width;
    return eval::words_text({.first = number * width + 1, .last = (number + 1) * width});
  };
  const double widest = kCharacter * static_cast<double>(label(slots.last).size());
  const auto every = static_cast<std::int64_t>(std::ceil(1.5 * widest / slots.width()));
  std::string svg;
  for (std::int64_t number = slots.first; number <= slots.last; number += every) {
    const double x = slots.middle(number);
    svg += fmt::format(R"(<path class="axis" d="M{:.1f} {}v4"/><text class="x" x="{:.1f}" y="{}">{}</text>)", x,
                       Frame::kCountsBottom, std::min(x, Frame::kWidth - widest / 2), Frame::kCountsBottom + 18,
                       label(number));
  }
  return svg + fmt::format(R"(<text class="x" x="{}" y="{}">source words</text>)", (Frame::kLeft + Frame::kRight) / 2,
                           Frame::kCountsBottom + 36);
}

std::string length_axes(const Slots& slots, const Axis& score, const Axis& count) {
  std::string svg;
  for (const double tick : score.ticks(5)) {
    svg += level_line(score.at(tick), number_text(tick, 4), tick == 0 ? "axis" : "grid");
  }
  svg += fmt::format(R"(<text class="note" x="{}" y="{}">sentences</text>)", Frame::kLeft, Frame::kCountsTop - 8);
  for (const double tick : count.ticks(2)) {
    if (tick != std::floor(tick)) continue;  // sentences are whole
    svg += level_line(count.at(tick), with_thousands(std::llround(tick)), tick == 0 ? "axis" : "grid");
  }
  return svg + slot_labels(slots);
}

bool have_same_counts(Systems systems) {
  const auto counts = [](const eval::LengthReport& system) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const eval::LengthBucket& bucket : system.scores.buckets) all.emplace_back(bucket.first, bucket.sentences);
    return all;
  };
  return std::ranges::all_of(
      systems, [&](const eval::LengthReport& system) { return counts(system) == counts(systems.front()); });
}

// The numbers of sentences as bars: one for each bucket, or one for each system where they differ.
std::string count_bars(Systems systems, const std::vector<Series>& series, const Slots& slots, const Axis& count) {
  constexpr double kShare = 0.6;  // of the slot
  const bool is_shared = have_same_counts(systems);
  const std::size_t drawn = is_shared ? 1 : systems.size();
  const double width = std::max(kShare * slots.width() / static_cast<double>(drawn), 0.5);
  std::string svg;
  for (std::size_t i = 0; i < drawn; ++i) {
    svg += is_shared ? std::string("<g>") : fmt::format(R"(<g class="{}">)", series[i].colour(i));
    const double shift = is_shared ? 0 : kShare * slots.width() * slots.place(i);
    for (const eval::LengthBucket& bucket : systems[i].scores.buckets) {
      const double x = slots.middle(slots.number(bucket)) + shift - width / 2;
      const double y = count.at(static_cast<double>(bucket.sentences));
      svg += fmt::format(R"(<rect class="count" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", x, y, width,
                         Frame::kCountsBottom - y);
    }
    svg += "</g>";
  }
  return svg;
}

std::string error_bar(double x, double cap, const eval::Bounds& interval, const Axis& score) {
  return fmt::format("M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}H{1:.1f}M{4:.1f} {2:.1f}V{3:.1f}", x - cap, x + cap,
                     score.at(interval.lower), score.at(interval.upper), x);
}

// The values are in an attribute, where the page's script reads them; parts of a value are separated by no-break
// spaces.
std::string system_curve(const eval::LengthReport& system, const Series& series, std::size_t number, const Slots& slots,
                         const Axis& score) {
  const double room = slots.width() / static_cast<double>(slots.systems);
  const double cap = std::clamp(0.1 * room, 0.5, 5.0), radius = std::clamp(0.3 * room, 1.0, 3.0);
  std::string bars, path, values, dots;
  for (const eval::LengthBucket& bucket : system.scores.buckets) {
    const double x = slots.x(bucket, number), y = score.at(bucket.bleu);
    bars += error_bar(x, cap, bucket.interval, score);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    values +=
        fmt::format("{}{} {:.1f}\u00a0({:.1f}\u00a0to\u00a0{:.1f}),\u00a0{}", values.empty() ? "" : ";",
                    eval::words_text(bucket), bucket.bleu, bucket.interval.lower, bucket.interval.upper,
                    with_thousands(bucket.sentences) + (bucket.sentences == 1 ? "\u00a0sentence" : "\u00a0sentences"));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>)", x, y, radius);
  }
  return fmt::format(
      R"(<g class="{}"><path class="error" d="{}"/><path class="curve" data-name="{}" data-values="{}" d="{}"/>{}</g>)",
      series.colour(number), bars, escaped(series.name), values, path, dots);
}

}  // namespace

std::vector<Series> length_series(Systems systems) {
  constexpr std::size_t kMaxName = 40;
  std::vector<Series> all;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    Series& series = all.emplace_back(Series{.name = shortened(systems[i].name, kMaxName), .points = {}});
    if (systems.size() > 1) series.run = i;
    for (const eval::LengthBucket& bucket : systems[i].scores.buckets) {
      series.points.push_back({static_cast<double>(bucket.first), bucket.bleu});
    }
  }
  return all;
}

std::string length_drawing(Systems systems) {
  const Slots slots = slots_of(systems);
  const Axis score = score_axis(systems), count = count_axis(systems);
  const std::vector<Series> series = length_series(systems);
  std::string svg = length_axes(slots, score, count) + count_bars(systems, series, slots, count);
  for (std::size_t i = 0; i < systems.size(); ++i) svg += system_curve(systems[i], series[i], i, slots, score);
  return svg;
}

std::string length_unit(Systems systems) {
  const int width = systems.front().scores.width;
  return "BLEU with 95 % intervals, by number of source words" +
         (width == 1 ? std::string() : fmt::format(" in steps of {}", with_thousands(width)));
}

std::string length_summary(Systems systems) {
  std::string text = length_unit(systems) + ".";
  for (const eval::LengthReport& system : systems) {
    const eval::LengthBucket &first = system.scores.buckets.front(), &last = system.scores.buckets.back();
    text += fmt::format(" {}: from {:.1f} for {} words to {:.1f} for {} words.", system.name, first.bleu,
                        eval::words_text(first), last.bleu, eval::words_text(last));
  }
  return text;
}

}  // namespace dragoman::train
