// dragoman demo: makes a corpus, trains a small model on it, and shows what it learned. There are also toy tasks, which
// need no text.
#include "dragoman/cli/demo.h"

#include <fmt/format.h>

#include <string>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"

namespace dragoman::cli {
namespace {

void demo(CommandSettings& settings) {
  settings.read_file();
  DemoOptions options;
  settings.apply(options);
  const bool translates = options.task == DemoTask::kTranslate;
  for (const char* key : {"grammar", "model"}) {
    settings.require_effect(key, translates, "with --task reverse or copy, which need no text and keep no model.");
  }
  switch (options.task) {
    case DemoTask::kTranslate: return demo_translation(options);
    case DemoTask::kReverse: return demo_toy(options, demo::ToyTask::kReverse);
    case DemoTask::kCopy: return demo_toy(options, demo::ToyTask::kCopy);
  }
}

}  // namespace

void add_demo(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "demo", "make a small corpus, learn to translate it, and show what was learned", demo);
  settings.add_flags(DemoOptions{}, "Options");
  settings.add_examples({{"learn to translate English into German, in a few minutes", "dragoman demo"},
                         {"learn to write strings of letters backwards", "dragoman demo --task reverse"}});
}

}  // namespace dragoman::cli
