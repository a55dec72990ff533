#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/study/complexity/study.h"

namespace dragoman::study {
namespace {

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json operations_json(const Operations& operations, std::int64_t formula, bool executed) {
  Json json;
  json["counted"] = operations.counted;
  json["formula"] = formula;
  if (executed) json["in_tiles"] = operations.executed;
  return json;
}

Json sweep_json(const Sweep& sweep, const ComplexitySettings& settings) {
  const bool executed = settings.device == DeviceChoice::kCpu;
  Json json;
  json["over"] = sweep.over;
  json["measurements"] = Json::array();
  for (const Measurement& m : sweep.at) {
    Json one;
    one["n"] = m.n;
    one["d"] = m.d;
    if (m.r > 0) one["r"] = m.r;
    one["sentences"] = m.B;
    one["multiply_adds"] = operations_json(m.operations.forward, m.B * m.closed.forward(), executed);
    one["multiply_adds_with_backward"] =
        operations_json(m.operations.with_backward, m.B * m.closed.with_backward(), executed);
    if (settings.times) {
      one["seconds"] = m.seconds.forward;
      one["seconds_with_backward"] = m.seconds.with_backward;
    }
    json["measurements"].push_back(one);
  }
  const Sweep::Slopes slopes = sweep.slopes();
  json["slopes"]["multiply_adds"] = number_or_null(slopes.operations);
  if (settings.times) {
    json["slopes"]["seconds"] = number_or_null(slopes.forward);
    json["slopes"]["seconds_with_backward"] = number_or_null(slopes.with_backward);
  }
  return json;
}

Json path_json(const PathAt& path) {
  Json json;
  json["n"] = path.n;
  json["length"] = path.found;
  json["formula"] = path.expected;
  if (path.gradients) {
    json["gradient_one_short"] = path.gradients->one_short;
    json["gradient_at_length"] = path.gradients->at_length;
  }
  return json;
}

}  // namespace

std::string complexity_json(const ComplexityReport& report) {
  const ComplexitySettings& settings = report.settings;
  Json json;
  json["device"] = report.device;
  json["precision"] = settings.dtype == DType::kBFloat16 ? "bf16" : "fp32";
  json["d_k"] = settings.sizes.d_k;
  json["k"] = settings.sizes.k;
  json["causal"] = settings.sizes.causal;
  json["layers"] = Json::array();
  for (const LayerReport& layer : report.layers) {
    Json one;
    one["layer"] = to_string(layer.kind);
    one["formula"] = layer.formula;
    one["sweeps"] = Json::array();
    for (const Sweep& sweep : layer.sweeps) {
      if (!sweep.at.empty()) one["sweeps"].push_back(sweep_json(sweep, settings));
    }
    one["sequential"] = Json::array();
    for (const SequenceAt& s : layer.sequence) {
      Json at;
      at["n"] = s.n;
      at["operations"] = s.found.steps;
      at["formula"] = s.expected;
      at["recorded_chain"] = s.found.chain;
      one["sequential"].push_back(at);
    }
    one["paths"] = Json::array();
    for (const PathAt& path : layer.paths) one["paths"].push_back(path_json(path));
    json["layers"].push_back(one);
  }
  json["contradictions"] = report.contradictions();
  return json.dump(2) + "\n";
}

}  // namespace dragoman::study
