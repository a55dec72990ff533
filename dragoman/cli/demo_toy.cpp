// demo --task reverse|copy|chase: a small model learns to reverse or to copy strings of symbols, or to chase pointers.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "dragoman/base/clock.h"
#include "dragoman/cli/demo.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"

namespace dragoman::cli {
namespace {

// Writes symbols as a to z, then A to Z.
std::string spell(const data::Sentence& sentence) {
  std::string text;
  for (const std::int32_t id : sentence) {
    const int symbol = id - demo::first_symbol();
    if (symbol >= 0) text += static_cast<char>(symbol < 26 ? 'a' + symbol : 'A' + symbol - 26);
  }
  return text;
}

std::string task_text(const demo::ToySettings& toy) {
  if (toy.task != demo::ToyTask::kChase) {
    return fmt::format("{} strings of 1 to {} symbols", to_string(toy.task), toy.longest);
  }
  return fmt::format("follow 1 to {} of {} pointers", demo::kChaseHops, demo::kChasePairs);
}

std::string lesson_text(const demo::ChaseLesson& lesson) {
  return fmt::format("up to {} of {} pointers", counted(lesson.hops, "hop").text(), lesson.pairs);
}

// Two blocks for each step.
std::string bar(double steps) {
  std::string text;
  for (long block = 0; block < std::lround(2 * steps); ++block) text += "█";
  return text;
}

// A table of the hops: how many answers are right and, if the model halts, the steps that it took, with a bar for those
// of the answer.
void print_chase(const demo::ToyModel::Chase& chase) {
  const bool halts = chase.hops.front().answer_steps.has_value();
  print(halts ? "hops  strings   right  steps of the answer  steps of the source\n" : "hops  strings   right\n");
  for (const demo::ToyModel::Hops& row : chase.hops) {
    const double share = row.pairs > 0 ? static_cast<double>(row.right) / static_cast<double>(row.pairs) : 0;
    std::string text = fmt::format("{:>4}  {:>7}  {:>5.1f}%", row.k, row.pairs, 100 * share);
    if (row.answer_steps) {
      text += fmt::format("  {:>19.2f}  {:>19.2f}  {}", *row.answer_steps, *row.source_steps, bar(*row.answer_steps));
    }
    print(text + "\n");
  }
  const auto show = [](const char* of, const std::optional<double>& r) {
    if (r) print(fmt::format("correlation of the hops with the steps of the {}: {:.2f}\n", of, *r));
  };
  show("answer", chase.answer_correlation);
  show("source", chase.source_correlation);
}

}  // namespace

void demo_toy(const demo::ToySettings& toy) {
  demo::ToyModel model(toy);
  note(fmt::format("A model of the kind {} ({}) learns to {}.", model.config.arch(), model.config.describe(),
                   task_text(toy)));
  const double start = clock_seconds();
  ProgressLine progress({.done_between = toy.steps / 10});
  model.train([&](int step, const train::Losses& losses) {
    std::string text = fmt::format("step {:>5}  loss {:.4f}", step, losses.loss());
    if (toy.task == demo::ToyTask::kChase) text += "  " + lesson_text(model.course.lesson());
    progress.show({.done = step, .total = toy.steps, .text = text});
  });
  progress.finish();
  const double trained = clock_seconds() - start;

  constexpr int kFresh = 1000, kShown = 5;
  const auto fresh = demo::toy_pairs(toy, kFresh, ~std::uint64_t{0});  // training uses its step numbers as streams
  for (int i = 0; i < kShown; ++i) {
    print(fmt::format("{:>25} -> {}\n", spell(fresh[i].source), spell(model.answer(fresh[i].source))));
  }
  print(fmt::format("trained in {:.0f} s; {:.1f} % of {} fresh strings answered without a mistake\n", trained,
                    100 * model.exact_match(fresh), kFresh));
  if (toy.task == demo::ToyTask::kChase) print_chase(model.chase(fresh));
  if (const std::optional<double> right = model.right_attention(fresh)) {
    print(fmt::format("attention is largest at the symbol to write in {:.1f} % of the steps\n", 100 * *right));
  }
}

}  // namespace dragoman::cli
