// dragoman demo: makes a corpus, trains a small model on it, and shows what it learned. There are also toy tasks, which
// need no text.
#include "dragoman/cli/demo.h"

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::cli {
namespace {

// Pointers take longer to learn than strings.
constexpr int kChaseSteps = 12000, kChaseBatch = 512;

// The task that a small model learns from strings of symbols, with the settings of its model.
demo::ToySettings toy_settings(CommandSettings& settings, const DemoOptions& options) {
  demo::ToySettings toy{.task = options.task == DemoTask::kReverse ? demo::ToyTask::kReverse
                                : options.task == DemoTask::kCopy  ? demo::ToyTask::kCopy
                                                                   : demo::ToyTask::kChase};
  toy.preset =
      options.preset.empty() ? demo::toy_preset(settings.architecture(), toy.task) : model::preset(options.preset);
  const std::string_view arch = toy.preset->model.arch();
  require<UsageError>(arch == settings.architecture(), "arch is ", settings.architecture(),
                      ", but the preset is of the ", "architecture ", arch, "; leave one of them out.");
  settings.apply(toy.preset->model);
  settings.validate_as_given([&] { toy.preset->model.validate(); },
                             [&](const auto& rename) { rename(toy.preset->model); });
  toy.steps = toy.preset->training.steps;
  if (toy.task == demo::ToyTask::kChase) {
    toy.steps = kChaseSteps;
    toy.batch = kChaseBatch;
  }
  if (options.steps > 0) toy.steps = options.steps;
  if (options.longest > 0) toy.longest = options.longest;
  toy.threads = options.threads;
  toy.device = options.device;
  toy.seed = options.seed;
  toy.validate();
  return toy;
}

void demo(CommandSettings& settings) {
  settings.read_file();
  DemoOptions options;
  settings.apply(options);
  if (options.task != DemoTask::kTranslate) {
    for (const char* key : {"grammar", "model"}) {
      settings.require_effect(key, false, "with --task reverse, copy or chase, which need no text and keep no model.");
    }
    settings.require_effect("longest", options.task != DemoTask::kChase,
                            "with --task chase, whose strings are all alike.");
    return demo_toy(toy_settings(settings, options));
  }
  model::ModelConfig model = model::architecture(settings.architecture()).presets.front().model;
  std::vector<std::string> keys = keys_of(model);
  keys.insert(keys.end(), {"arch", "preset", "longest", "device"});
  for (const std::string& key : keys) {
    settings.require_effect(
        key, false, "with --task translate; 'dragoman train' trains any model on the text that the demo makes.");
  }
  demo_translation(options);
}

}  // namespace

void add_demo(CLI::App& program, const RequestedArchitecture& requested) {
  CommandSettings& settings =
      add_command(program, "demo", "make a small corpus, learn to translate it, and show what was learned", demo);
  settings.add_flags(DemoOptions{}, "Options");
  add_model_flags(settings, requested);
  settings.add_examples({{"learn to translate English into German, in a few minutes", "dragoman demo"},
                         {"learn to write strings of letters backwards", "dragoman demo --task reverse"},
                         {"the same with a recurrent network whose attention chooses one letter at a time",
                          "dragoman demo --task reverse --arch rnn --attention-mode hard --longest 12"}});
}

}  // namespace dragoman::cli
