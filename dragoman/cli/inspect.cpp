// dragoman inspect: parameters, cost and memory of a model, before it is trained or afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/stored_model.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/dry_run.h"
#include "dragoman/train/settings.h"

namespace dragoman::cli {
namespace {

using model::ParameterInfo;
using model::Preset;

struct InspectOptions {
  std::string model;
  std::string arch;
  std::string preset;
  std::int64_t tokens = 25000;
  std::int64_t sentence = 25;
  bool all = false;
  bool list = false;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of a model to inspect, instead of a preset");
    field("arch", arch, arch_help());
    field("preset", preset, "settings to start from; --list shows them");
    field("tokens", tokens, "tokens of each side in one training step");
    field("sentence", sentence, "tokens in a sentence");
    field("all", all, "show every tensor instead of one line for similar ones");
    field("list", list, "list the presets");
    field("json", json, "print JSON");
  }

  void validate() const {
    constexpr std::int64_t kMaxTokens = 1'000'000;
    require<UsageError>(tokens > 0 && tokens <= kMaxTokens, "tokens is ", tokens, "; it must be from 1 to ", kMaxTokens,
                        ".");
    require<UsageError>(sentence > 0, "sentence is ", sentence, "; it must be above 0.");
    require<UsageError>(model.empty() || preset.empty(), "give either --model or --preset, not both.");
  }
};

// What is inspected.
struct Subject {
  std::string name, summary;
  model::ModelConfig model;
  std::optional<StoredModel> stored = std::nullopt;  // nothing for a model that does not exist yet
};

void require_architecture(const CommandSettings& settings, const model::ModelConfig& config, std::string_view what) {
  require<UsageError>(settings.architecture() == config.arch(), "arch is ", settings.architecture(), ", but the ", what,
                      " is of the architecture ", config.arch(), "; leave one of them out.");
}

// A preset with the changes of the command line.
Subject preset_subject(const CommandSettings& settings, const InspectOptions& options) {
  Preset preset =
      options.preset.empty() ? model::architecture(options.arch).presets.front() : model::preset(options.preset);
  require_architecture(settings, preset.model, "preset");
  settings.apply(preset.model);
  settings.apply(preset.training);
  settings.validate_as_given(
      [&] {
        preset.model.validate();
        preset.training.validate();
      },
      [&](const auto& rename) {
        rename(preset.model);
        rename(preset.training);
      });
  return {.name = preset.name, .summary = preset.summary, .model = preset.model};
}

// The model in the directory. Its sizes cannot be changed.
Subject stored_subject(const CommandSettings& settings, const InspectOptions& options) {
  StoredModel stored = read_stored_model(options.model);
  const model::ModelConfig& config = stored.info.config;
  require_architecture(settings, config, "model");
  model::ModelConfig changed = config;
  settings.apply(changed);
  const Json before = settings_to_json(config), after = settings_to_json(changed);
  settings.validate_as_given(
      [&] {
        for (const auto& [key, value] : after.items()) {
          require<UsageError>(before[key] == value, key, " is ", setting_text(before[key], key), " in the model '",
                              options.model, "', not ", setting_text(value, key), "; leave this setting out.");
        }
      },
      [&](const auto& rename) { rename(changed); });
  return {.name = options.model, .summary = config.describe(), .model = config, .stored = std::move(stored)};
}

// What can be computed about a model before it exists.
struct Report {
  std::vector<ParameterInfo> tensors;
  std::int64_t parameters = 0;
  double flops_per_token = 0;
  double flops_per_step = 0;
  std::int64_t activation_bytes = 0;
};

std::int64_t total(const std::vector<ParameterInfo>& tensors) {
  std::int64_t sum = 0;
  for (const ParameterInfo& tensor : tensors) sum += tensor.count;
  return sum;
}

Report examine(const model::ModelConfig& config, const InspectOptions& options) {
  Report report;
  report.tensors = model::parameter_table(config);
  report.parameters = total(report.tensors);
  const double pair = config.training_flops(options.sentence, options.sentence);
  report.flops_per_token = pair / static_cast<double>(options.sentence);
  report.flops_per_step = report.flops_per_token * static_cast<double>(options.tokens);
  report.activation_bytes = train::training_memory(config, options.tokens, options.sentence).total();
  return report;
}

// "enc.3.self.W_Q" -> "enc.*.self.W_Q".
std::string without_layer(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    const bool starts_part = pattern.empty() || pattern.back() == '.';
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && !pattern.empty() && pattern.back() == '*') continue;
    pattern += is_digit && starts_part ? '*' : c;
  }
  return pattern;
}

// Tensors with the same shape whose names differ only in the number of the layer.
struct TensorGroup {
  std::string name;
  std::string shape;
  std::int64_t tensors = 0;
  std::int64_t parameters = 0;
};

std::vector<TensorGroup> grouped(const std::vector<ParameterInfo>& tensors, bool all) {
  std::vector<TensorGroup> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const ParameterInfo& tensor : tensors) {
    const std::string name = all ? tensor.name : without_layer(tensor.name);
    const std::string shape = fmt::format("[{}]", fmt::join(tensor.shape, ", "));
    const auto [at, is_new] = place.try_emplace({name, shape}, groups.size());
    if (is_new) groups.push_back({.name = name, .shape = shape});
    groups[at->second].tensors += 1;
    groups[at->second].parameters += tensor.count;
  }
  return groups;
}

void print_report(const Subject& subject, const InspectOptions& options, const Report& report) {
  print(fmt::format("{}: {}\n\n", subject.name, subject.summary));
  if (subject.stored) print(stored_model_text(*subject.stored) + "\n");
  const std::vector<TensorGroup> groups = grouped(report.tensors, options.all);
  std::size_t widest = 0;
  for (const TensorGroup& group : groups) widest = std::max(widest, group.name.size());
  const auto print_line = [widest](std::string_view name, std::string_view shape, std::int64_t tensors,
                                   std::int64_t parameters) {
    const std::string times = tensors == 1 ? "" : fmt::format("x{}", tensors);
    print(fmt::format("{:{}}  {:>14} {:>4}  {:>15}\n", name, widest, shape, times, with_thousands(parameters)));
  };
  for (const TensorGroup& group : groups) print_line(group.name, group.shape, group.tensors, group.parameters);
  print_line("parameters", "", 1, report.parameters);
  print("\n");
  print(fmt::format("training FLOPs per target token   {:.4g}\n", report.flops_per_token));
  print(fmt::format("training FLOPs per step           {:.4g}   ({} + {} tokens, {} to a sentence)\n",
                    report.flops_per_step, options.tokens, options.tokens, options.sentence));
  print(fmt::format("activations of a step             {}\n", bytes_text(report.activation_bytes)));
}

void print_json(const Subject& subject, const Report& report) {
  Json result = subject.stored ? stored_model_json(*subject.stored) : Json{{"preset", subject.name}};
  result["arch"] = subject.model.arch();
  result["parameters"] = report.parameters;
  result["tensors"] = Json::array();
  for (const ParameterInfo& tensor : report.tensors) {
    result["tensors"].push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  }
  result["flops_per_token"] = report.flops_per_token;
  result["flops_per_step"] = report.flops_per_step;
  result["activation_bytes"] = report.activation_bytes;
  result["config"] = settings_to_json(subject.model);
  print(json_text(result, 2) + "\n");
}

void print_presets(bool as_json) {
  Json list = Json::array();
  for (const std::string& name : model::preset_names()) {
    const Preset& preset = model::preset(name);
    const std::int64_t parameters = total(model::parameter_table(preset.model));
    list.push_back(
        {{"preset", name}, {"arch", preset.model.arch()}, {"summary", preset.summary}, {"parameters", parameters}});
    if (!as_json) print(fmt::format("{:13}  {:>11}  {}\n", name, with_thousands(parameters), preset.summary));
  }
  if (as_json) print(list.dump(2) + "\n");
}

void inspect(CommandSettings& settings) {
  settings.read_file();
  InspectOptions options;
  settings.apply(options);
  options.validate();
  options.sentence = std::min(options.sentence, options.tokens);  // a step has at least one sentence
  for (const char* key : {"model", "preset"}) {
    settings.require_effect(key, !options.list, "with --list, which shows all presets.");
  }
  if (options.list) return print_presets(options.json);

  const Subject subject = options.model.empty() ? preset_subject(settings, options) : stored_subject(settings, options);
  const Report report = examine(subject.model, options);
  if (options.json) return print_json(subject, report);
  print_report(subject, options, report);
}

}  // namespace

void add_inspect(CLI::App& program, const RequestedArchitecture& requested) {
  CommandSettings& settings = add_command(program, "inspect", "show a model's parameters, cost and memory", inspect);
  settings.add_flags(InspectOptions{}, "Options");
  add_model_flags(settings, requested);
  // A file for `train` can be used here too, so its other keys are allowed.
  train::TrainingSettings run;
  train::TrainingSettings::each(run, [&](auto& part) { settings.allow_in_file(part); });
  settings.add_examples({{"the paper's base model", "dragoman inspect --preset base"},
                         {"a trained model", "dragoman inspect --model dragoman-demo"},
                         {"all presets", "dragoman inspect --list"}});
}

}  // namespace dragoman::cli
