// Learning rate schedules (Section 5.3 of the paper).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dragoman::optim {

// How the rate rises and falls. `step` counts from 1 and w is the number of warm-up steps.
//   paper:           constant * d_model^-0.5 * min(step^-0.5, step * w^-1.5), equation (3) with a constant that the
//                    paper sets to one
//   inverse-sqrt:    linear from `initial` to `peak` over the warm-up, then peak * sqrt(w / step)
//   constant:        the same warm-up, then `peak`
enum class RateShape : std::uint8_t { kPaper, kInverseSquareRoot, kConstant };
constexpr std::array<std::string_view, 3> names(RateShape) { return {"paper", "inverse-sqrt", "constant"}; }

// The paper has no cool-down. With one, the rate is multiplied by a factor that falls linearly over the last
// `cooldown_steps` of `steps`, and that would reach zero one step later.
struct Schedule {
  RateShape shape = RateShape::kPaper;
  double constant = 1.0;
  std::int64_t d_model = 512;
  double peak = 5e-4, initial = 0;
  std::int64_t warmup_steps = 4000;
  std::int64_t steps = 0, cooldown_steps = 0;

  double rate(std::int64_t step) const;

 private:
  double rate_before_cooldown(double t) const;
};

}  // namespace dragoman::optim
