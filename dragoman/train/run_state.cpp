#include "dragoman/train/run_state.h"

#include <algorithm>
#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/train/gradient_tree.h"
#include "dragoman/version.h"

namespace dragoman::train {
namespace {

constexpr int kStateFormat = 1;
constexpr std::int64_t kMaxBuckets = 1 << 16;                // more than 2 TB of gradients
constexpr std::int64_t kMaxPlanned = std::int64_t{1} << 56;  // bytes; the sum of a few such sizes does not overflow

// Reads a number that must not be negative.
std::int64_t count_in(const Json& object, const char* key, std::string_view where) {
  const auto count = json_entry<std::int64_t>(object, key, where);
  require<Error>(count >= 0, where, ": '", key, "' is ", count, ", which is below 0.");
  return count;
}

// Reads seconds, or an amount that is computed from seconds. Older programs wrote null or a negative number if the
// clock did not advance or was set back; both read as 0.
double time_in(const Json& object, const char* key, std::string_view where) {
  const auto time = json_entry<Json>(object, key, where);
  return time.is_null() ? 0 : std::max(0.0, json_entry<double>(object, key, where));
}

double amount_in(const Json& object, const char* key, std::string_view where) {
  const auto amount = json_entry<double>(object, key, where);
  require<Error>(std::isfinite(amount) && amount >= 0, where, ": '", key, "' is ", amount,
                 ", which is below 0 or not finite.");
  return amount;
}

// All numbers of an object except the entries named in `others`. Entries that are null are left out.
Figures figures_in(const Json& object, std::initializer_list<std::string_view> others, std::string_view where) {
  require<Error>(object.is_object(), where, ": expected an object of numbers.");
  Figures figures;
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(others, name) != others.end() || value.is_null()) continue;
    figures.set(name, json_entry<double>(object, name, where));
  }
  return figures;
}

void add_figures(Json& object, const Figures& figures) {
  for (const auto& [name, value] : figures) object[name] = value;
}

Json to_json(const std::optional<Best>& best) {
  if (!best) return nullptr;
  Json object{{"step", best->step}};
  add_figures(object, best->scores);
  return object;
}

std::optional<Best> best_from_json(const Json& object, std::string_view where) {
  if (object.is_null()) return std::nullopt;
  return Best{.step = count_in(object, "step", where), .scores = figures_in(object, {"step"}, where)};
}

Json to_json(const Window& window) {
  Json object = Json::object();
  add_figures(object, window.losses);
  object["seconds"] = window.seconds;
  object["target_tokens"] = window.target_tokens;
  return object;
}

Window window_from_json(const Json& object, std::string_view where) {
  return {.losses = figures_in(object, {"seconds", "target_tokens"}, where),
          .seconds = time_in(object, "seconds", where),
          .target_tokens = count_in(object, "target_tokens", where)};
}

std::string without_multiprocessors(std::string arithmetic) {
  constexpr std::string_view kUnit = " multiprocessors";
  const std::size_t unit = arithmetic.find(kUnit);
  if (unit == std::string::npos) return arithmetic;
  const std::size_t first = arithmetic.rfind(", ", unit);
  return first == std::string::npos ? arithmetic : arithmetic.erase(first, unit + kUnit.size() - first);
}

}  // namespace

bool is_same_arithmetic(const std::string& before, const std::string& now) {
  return before == now || (before.empty() && !now.starts_with("CPU, ")) || before == without_multiprocessors(now);
}

std::string program_name() { return join("dragoman ", kVersion, " (", kCommit, ")"); }

Json to_json(const RunState& state) {
  Json object;
  object["format"] = kStateFormat;
  object["program"] = program_name();
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
  require<OtherVersion>(format == kStateFormat, where, " is of format ", format, ", but this program reads format ",
                        kStateFormat, ". Continue with the version of dragoman that wrote it.");
  RunState state;
  state.step = count_in(object, "step", where);
  state.position.epoch = count_in(object, "epoch", where);
  state.position.batch = count_in(object, "batch", where);
  state.seconds = time_in(object, "seconds", where);
  state.target_tokens = count_in(object, "target_tokens", where);
  state.flops = amount_in(object, "flops", where);
  state.nominal_flops = time_in(object, "nominal_flops", where);
  state.window = window_from_json(json_entry<Json>(object, "window", where), where);
  state.best = best_from_json(json_entry<Json>(object, "best", where), where);
  require<Error>(!state.best || state.best->step <= state.step, where, ": the best step is later than the last.");
  state.validations_since_best = count_in(object, "validations_since_best", where);
  state.scheduled = json_entry<bool>(object, "scheduled", where);
  state.text_key = json_entry<std::string>(object, "text_key", where);
  if (object.contains("arithmetic")) state.arithmetic = json_entry<std::string>(object, "arithmetic", where);
  dragoman::settings_from_json(json_entry<Json>(object, "plan", where), state.plan, where);
  state.plan.fields([&](std::string_view key, std::int64_t number, std::string_view) {
    require<Error>(number >= 0 && number <= kMaxPlanned, where, ": '", key, "' of the plan is ", number,
                   ", which is not a valid size.");
  });
  state.settings = settings_from_json(json_entry<Json>(object, "settings", where), where);
  require<Error>(
      state.plan.tree_levels == 0 || state.plan.tree_levels == tree_levels(state.settings.training.accumulate), where,
      ": 'tree-levels' of the plan is ", state.plan.tree_levels, ", which does not fit an update of ",
      counted(state.settings.training.accumulate, "batch", "batches"), ".");
  require<Error>(state.plan.buckets <= kMaxBuckets, where, ": 'buckets' of the plan is ", state.plan.buckets,
                 ", which is too many.");
  return state;
}

RunState read_run_state(const Checkpoint& checkpoint) {
  const std::string where = "'" + checkpoint.path.string() + "'";
  const Json object = read_state(checkpoint);
  try {
    RunState state = run_state_from_json(object, where);
    require<Error>(state.step == checkpoint.step, where, " holds the state of step ", state.step, ".");
    return state;
  } catch (const OtherVersion&) {
    throw;
  } catch (const Error& error) {
    throw DamagedFile(error.what());
  }
}

}  // namespace dragoman::train
