#include "dragoman/train/run_state.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"

namespace dragoman::train {
namespace {

RunState some_state() {
  RunState state;
  state.step = 120;
  state.position = {.epoch = 3, .batch = 4};
  state.seconds = 0.1;
  state.target_tokens = 5'000'000'000;
  state.flops = 1e18 / 3;
  state.window = {.loss = 1.0 / 3, .nll = 2.0 / 3, .seconds = 5, .target_tokens = 7};
  state.best = Best{.step = 100, .nll = 1.5, .bleu = 30.25};
  state.validations_since_best = 2;
  state.scheduled = false;
  state.text_key = "0123";
  state.plan.micro_tokens = 640;
  state.settings.training.steps = 7;
  return state;
}

TEST(RunState, ReadsBackAsItWas) {
  const Json object = to_json(some_state());
  EXPECT_EQ(to_json(run_state_from_json(parse_json(object.dump(), "x"), "x")), object);
  RunState without;
  EXPECT_FALSE(run_state_from_json(to_json(without), "x").best);
  without.best = Best{.step = 1, .nll = 2, .bleu = std::nullopt};
  EXPECT_FALSE(run_state_from_json(to_json(without), "x").best->bleu);
}

TEST(RunState, NamesWhatIsMissingOrOfAnotherKind) {
  const Json whole = to_json(some_state());
  for (const auto& [key, value] : whole.items()) {
    if (key == "program") continue;  // for people
    Json object = whole;
    object.erase(key);
    const bool newer = key == "arithmetic";  // older programs did not write it
    EXPECT_EQ(data::complaint_of([&] { run_state_from_json(object, "x"); }),
              newer ? "" : "x has no entry '" + key + "'.");
    object[key] = Json::array({1});
    EXPECT_TRUE(data::complaint_of([&] { run_state_from_json(object, "x"); }).starts_with("x")) << key;
  }
}

}  // namespace
}  // namespace dragoman::train
