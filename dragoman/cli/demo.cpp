// dragoman demo: trains a small Transformer on a toy task and shows what it learned.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "dragoman/base/fields.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/settings.h"
#include "dragoman/train/toy.h"

namespace dragoman::cli {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A line on standard error that a terminal keeps up to date; elsewhere a plain line now and then.
class Progress {
 public:
  explicit Progress(int steps) : steps_(steps), start_(now()), terminal_(isatty(STDERR_FILENO) == 1) {}

  void show(int step, const train::Losses& losses) {
    const bool last = step == steps_;
    if (!last && step % (terminal_ ? 10 : std::max(1, steps_ / 10)) != 0) return;
    const double spent = now() - start_, left = spent / step * (steps_ - step);
    const std::string line =
        fmt::format("step {:>5} of {}  loss {:.4f}  {:.0f} s left", step, steps_, losses.loss, left);
    if (terminal_) {
      fmt::print(stderr, "\r{:<60}{}", line, last ? "\n" : "");
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }

 private:
  int steps_;
  double start_;
  bool terminal_;
};

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
  Progress progress(toy.steps);
  model.train([&](int step, const train::Losses& losses) { progress.show(step, losses); });
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
