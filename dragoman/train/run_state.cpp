#include "dragoman/train/run_state.h"

#include "dragoman/base/fields_json.h"
#include "dragoman/version.h"

namespace dragoman::train {
namespace {

constexpr int kStateFormat = 1;

Json to_json(const std::optional<Best>& best) {
  if (!best) return nullptr;
  return {{"step", best->step}, {"nll", best->nll}, {"bleu", best->bleu ? Json(*best->bleu) : Json(nullptr)}};
}

std::optional<Best> best_from_json(const Json& object, std::string_view where) {
  if (object.is_null()) return std::nullopt;
  Best best{.step = json_entry<std::int64_t>(object, "step", where),
            .nll = json_entry<double>(object, "nll", where),
            .bleu = std::nullopt};
  if (!json_entry<Json>(object, "bleu", where).is_null()) best.bleu = json_entry<double>(object, "bleu", where);
  return best;
}

Json to_json(const Window& window) {
  return {
      {"loss", window.loss}, {"nll", window.nll}, {"seconds", window.seconds}, {"target_tokens", window.target_tokens}};
}

Window window_from_json(const Json& object, std::string_view where) {
  return {.loss = json_entry<double>(object, "loss", where),
          .nll = json_entry<double>(object, "nll", where),
          .seconds = json_entry<double>(object, "seconds", where),
          .target_tokens = json_entry<std::int64_t>(object, "target_tokens", where)};
}

}  // namespace

Json to_json(const RunState& state) {
  Json object;
  object["format"] = kStateFormat;
  object["program"] = join("dragoman ", kVersion, " (", kCommit, ")");
  object["step"] = state.step;
  object["epoch"] = state.position.epoch;
  object["batch"] = state.position.batch;
  object["seconds"] = state.seconds;
  object["target_tokens"] = state.target_tokens;
  object["flops"] = state.flops;
  object["nominal_flops"] = state.nominal_flops;
  object["window"] = to_json(state.window);
  object["best"] = to_json(state.best);
  object["validations_since_best"] = state.validations_since_best;
  object["scheduled"] = state.scheduled;
  object["text_key"] = state.text_key;
  object["arithmetic"] = state.arithmetic;
  object["plan"] = settings_to_json(state.plan);
  object["settings"] = to_json(state.settings);
  return object;
}

RunState run_state_from_json(const Json& object, std::string_view where) {
  const auto format = json_entry<std::int64_t>(object, "format", where);
  require<Error>(format == kStateFormat, where, " is of format ", format, ", but this program reads format ",
                 kStateFormat, ".");
  RunState state;
  state.step = json_entry<std::int64_t>(object, "step", where);
  state.position.epoch = json_entry<std::int64_t>(object, "epoch", where);
  state.position.batch = json_entry<std::int64_t>(object, "batch", where);
  state.seconds = json_entry<double>(object, "seconds", where);
  state.target_tokens = json_entry<std::int64_t>(object, "target_tokens", where);
  state.flops = json_entry<double>(object, "flops", where);
  state.nominal_flops = json_entry<double>(object, "nominal_flops", where);
  state.window = window_from_json(json_entry<Json>(object, "window", where), where);
  state.best = best_from_json(json_entry<Json>(object, "best", where), where);
  state.validations_since_best = json_entry<std::int64_t>(object, "validations_since_best", where);
  state.scheduled = json_entry<bool>(object, "scheduled", where);
  state.text_key = json_entry<std::string>(object, "text_key", where);
  if (object.contains("arithmetic")) state.arithmetic = json_entry<std::string>(object, "arithmetic", where);
  dragoman::settings_from_json(json_entry<Json>(object, "plan", where), state.plan, where);
  state.settings = settings_from_json(json_entry<Json>(object, "settings", where), where);
  return state;
}

}  // namespace dragoman::train
