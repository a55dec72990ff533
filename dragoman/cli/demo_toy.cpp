// demo --task reverse|copy: a small model learns to reverse or to copy strings of symbols.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>

#include "dragoman/cli/demo.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"

namespace dragoman::cli {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Writes symbols as a to z, then A to Z.
std::string spell(const data::Sentence& sentence) {
  std::string text;
  for (const std::int32_t id : sentence) {
    const int symbol = id - demo::first_symbol();
    if (symbol >= 0) text += static_cast<char>(symbol < 26 ? 'a' + symbol : 'A' + symbol - 26);
  }
  return text;
}

}  // namespace

void demo_toy(const demo::ToySettings& toy) {
  demo::ToyModel model(toy);
  note(fmt::format("A model of the kind {} ({}) learns to {} strings of 1 to {} symbols.", model.config.arch(),
                   model.config.describe(), to_string(toy.task), toy.longest));
  const double start = now();
  ProgressLine progress({.done_between = toy.steps / 10});
  model.train([&](int step, const train::Losses& losses) {
    const std::string text = fmt::format("step {:>5}  loss {:.4f}", step, losses.loss());
    progress.show({.done = step, .total = toy.steps, .text = text});
  });
  progress.finish();
  const double trained = now() - start;

  constexpr int kFresh = 1000, kShown = 5;
  const auto fresh = demo::toy_pairs(toy, kFresh, ~std::uint64_t{0});  // training uses its step numbers as streams
  for (int i = 0; i < kShown; ++i) {
    print(fmt::format("{:>25} -> {}\n", spell(fresh[i].source), spell(model.answer(fresh[i].source))));
  }
  print(fmt::format("trained in {:.0f} s; {:.1f} % of {} fresh strings answered without a mistake\n", trained,
                    100 * model.exact_match(fresh), kFresh));
  if (const std::optional<double> right = model.right_attention(fresh)) {
    print(fmt::format("attention is largest at the symbol to write in {:.1f} % of the steps\n", 100 * *right));
  }
}

}  // namespace dragoman::cli
