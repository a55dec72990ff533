// The tasks of `dragoman demo`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/base/fields.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/demo/toy.h"

namespace dragoman::cli {

enum class DemoTask : std::uint8_t { kTranslate, kReverse, kCopy, kChase };
constexpr std::array<std::string_view, 4> names(DemoTask) { return {"translate", "reverse", "copy", "chase"}; }

struct DemoOptions {
  DemoTask task = DemoTask::kTranslate;
  std::string model = "dragoman-demo";
  std::string grammar;
  std::string arch;
  std::string preset;
  OptionalSize longest = 0;
  OptionalSize steps = 0;
  int threads = 0;
  DeviceChoice device = DeviceChoice::kCpu;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("task", task,
          "translate English into German, reverse or copy strings of symbols, or chase pointers: a start and a number "
          "of hops along a list of pairs");
    field("model", directory_name(model), "directory for the model that learns to translate");
    field("grammar", file_name(grammar),
          "grammar to make the sentences from, such as configs/demo/english-german.grammar");
    field("arch", arch, arch_help());
    field("preset", preset,
          "settings of the model that reverses or copies strings; by default one that is made for it");
    field("longest", longest, "the largest number of symbols in a string; by default 25");
    field("steps", steps, "updates to train for; by default enough to learn the task");
    field("threads", threads, "threads to use; 0 for all");
    field("device", device, "device for strings and pointers: cpu, or cuda for an NVIDIA GPU");
    field("seed", seed, "random seed");
  }
};

void demo_translation(const DemoOptions& options);
void demo_toy(const demo::ToySettings& settings);

}  // namespace dragoman::cli
