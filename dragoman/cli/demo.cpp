// dragoman demo: makes a corpus, trains a small model on it, and shows what it learned. The toy tasks, which need no
// text, are here too.
#include "dragoman/cli/demo.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/settings.h"

namespace dragoman::cli {
namespace {

void demo(Settings& settings) {
  settings.read_file();
  DemoOptions options;
  settings.apply(options);
  switch (options.task) {
    case DemoTask::kTranslate: return demo_translation(options);
    case DemoTask::kReverse: return demo_toy(options, train::ToyTask::kReverse);
    case DemoTask::kCopy: return demo_toy(options, train::ToyTask::kCopy);
  }
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("demo", "make a small corpus, learn to translate it, and show what was learned");
  auto settings = std::make_shared<Settings>(command);
  settings->add_flags(DemoOptions{}, "Options");
  command.callback([settings] { demo(*settings); });
}

}  // namespace dragoman::cli
