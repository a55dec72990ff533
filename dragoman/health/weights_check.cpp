#include "dragoman/health/weights_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace dragoman::health {
namespace {

using model::StoredType;
using model::TensorLabel;

constexpr std::int64_t kAtOnce = 1 << 20;  // numbers that are read at a time

struct TensorReport {
  std::int64_t not_finite = 0;
  bool all_zero = true;
};

template <class Number>
TensorReport examine(const model::SafetensorsFile& file, const TensorLabel& label) {
  TensorReport report;
  std::vector<Number> numbers;
  for (std::int64_t first = 0; first < label.count(); first += kAtOnce) {
    numbers.resize(static_cast<std::size_t>(std::min(kAtOnce, label.count() - first)));
    file.read(label.name, first, std::span(numbers));
    report.all_zero = report.all_zero && std::ranges::all_of(numbers, [](Number x) { return x == 0; });
    if constexpr (std::is_floating_point_v<Number>) {
      report.not_finite += std::ranges::count_if(numbers, [](Number x) { return !std::isfinite(x); });
    }
  }
  return report;
}

std::string_view name_of(StoredType type) {
  switch (type) {
    case StoredType::kF32: return "float32";
    case StoredType::kF16: return "float16";
    case StoredType::kBF16: return "bfloat16";
    case StoredType::kI8: return "int8";
  }
  return "";
}

}  // namespace

WeightsReport examine_weights(const model::SafetensorsFile& file) {
  WeightsReport report;
  std::set<std::string_view> types;
  for (const TensorLabel& label : file.labels()) {
    const TensorReport tensor =
        label.type == StoredType::kI8 ? examine<std::int8_t>(file, label) : examine<float>(file, label);
    report.tensors += 1;
    report.numbers += label.count();
    report.not_finite += tensor.not_finite;
    if (tensor.not_finite > 0) report.damaged.push_back(label.name);
    if (tensor.all_zero && label.shape.size() > 1 && label.count() > 0) report.zero.push_back(label.name);
    types.insert(name_of(label.type));
  }
  for (const std::string_view type : types) report.types.append(report.types.empty() ? "" : " and ").append(type);
  return report;
}

}  // namespace dragoman::health
