// The tasks of `dragoman demo`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/base/fields.h"
#include "dragoman/demo/toy.h"

namespace dragoman::cli {

enum class DemoTask : std::uint8_t { kTranslate, kReverse, kCopy };
constexpr std::array<std::string_view, 3> names(DemoTask) { return {"translate", "reverse", "copy"}; }

struct DemoOptions {
  DemoTask task = DemoTask::kTranslate;
  std::string model = "dragoman-demo";
  std::string grammar;
  OptionalSize steps = 0;
  int threads = 0;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("task", task, "translate English into German, or reverse or copy strings of symbols");
    field("model", directory_name(model), "directory for the model that learns to translate");
    field("grammar", file_name(grammar),
          "grammar to make the sentences from, such as configs/demo/english-german.grammar");
    field("steps", steps, "updates to train for; by default enough to learn the task");
    field("threads", threads, "threads to use; 0 for all");
    field("seed", seed, "random seed");
  }
};

void demo_translation(const DemoOptions& options);
void demo_toy(const DemoOptions& options, demo::ToyTask task);

}  // namespace dragoman::cli
