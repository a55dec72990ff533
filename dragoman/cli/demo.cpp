// dragoman demo: trains a small Transformer on a toy task and shows what it learned.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "dragoman/base/fields.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/progress.h"
#include "dragoman/cli/settings.h"
#include "dragoman/train/toy.h"

namespace dragoman::cli {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Symbols as letters where there are enough: a to z, then A to Z; as numbers otherwise.
std::string spell(const data::Sentence& sentence, int symbols) {
  std::string text;
  for (const std::int32_t id : sentence) {
    const int symbol = id - train::first_symbol();
    if (symbol < 0) continue;
    if (symbols > 52) {
      text += (text.empty() ? "" : " ") + std::to_string(symbol);
    } else {
      text += static_cast<char>(symbol < 26 ? 'a' + symbol : 'A' + symbol - 26);
    }
  }
  return text;
}

void demo(Settings& settings) {
  settings.read_file();
  train::ToySettings toy;
  settings.apply(toy);
  toy.validate();
  train::ToyModel model(toy);
  fmt::print(stderr, "A Transformer of 2 + 2 layers learns to {} strings of 1 to {} symbols.\n", to_string(toy.task),
             toy.longest);
  const double start = now();
  ProgressLine progress({.done_between = toy.steps / 10});
  model.train([&](int step, const train::Losses& losses) {
    const std::string text = fmt::format("step {:>5}  loss {:.4f}", step, losses.loss);
    progress.show({.done = step, .total = toy.steps, .text = text});
  });
  progress.finish();
  const double trained = now() - start;

  constexpr int kFresh = 1000, kShown = 5;
  const auto fresh = train::toy_pairs(toy, kFresh, ~std::uint64_t{0});
  for (int i = 0; i < kShown; ++i) {
    print(fmt::format("{:>25} -> {}\n", spell(fresh[i].source, toy.symbols),
                      spell(model.answer(fresh[i].source), toy.symbols)));
  }
  print(fmt::format("trained in {:.0f} s; {:.1f} % of {} fresh strings answered without a mistake\n", trained,
                    100 * model.exact_match(fresh), kFresh));
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("demo", "train a small model on a toy task and show what it learned");
  auto settings = std::make_shared<Settings>(command);
  settings->add_flags(train::ToySettings{}, "Options");
  command.callback([settings] { demo(*settings); });
}

}  // namespace dragoman::cli
