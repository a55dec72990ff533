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
  state.window = {.losses = {{"loss", 1.0 / 3}, {"nll", 2.0 / 3}}, .seconds = 5, .target_tokens = 7};
  state.best = Best{.step = 100, .scores = {{"nll", 1.5}, {"bleu", 30.25}}};
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
  without.step = 1;
  without.best = Best{.step = 1, .scores = {{"nll", 2}}};
  EXPECT_FALSE(run_state_from_json(to_json(without), "x").best->scores.has("bleu"));
}

TEST(RunState, RefusesImpossibleNumbers) {
  const Json whole = to_json(some_state());
  const auto error_message = [&](const char* path, const Json& value) {
    Json object = whole;
    object[Json::json_pointer(path)] = value;
    return data::error_message_of([&] { run_state_from_json(object, "x"); });
  };
  for (const char* path : {"/step", "/epoch", "/batch", "/target_tokens", "/flops", "/validations_since_best",
                           "/window/target_tokens", "/best/step"}) {
    EXPECT_NE(error_message(path, -1).find("below 0"), std::string::npos) << path;
  }
  for (const Json& size : {Json(-1), Json(std::int64_t{1} << 60)}) {
    EXPECT_NE(error_message("/plan/micro-tokens", size).find("which is not a valid size"), std::string::npos);
  }
  EXPECT_NE(error_message("/best/step", 121), "");
}

// Older programs wrote such times if the clock did not advance or was set back.
TEST(RunState, ReadsTimesThatAreNullOrNegativeAsZero) {
  Json object = to_json(some_state());
  object["nominal_flops"] = nullptr;
  object["seconds"] = -3.5;
  object["window"]["seconds"] = -1;
  const RunState state = run_state_from_json(object, "x");
  EXPECT_EQ(state.nominal_flops, 0);
  EXPECT_EQ(state.seconds, 0);
  EXPECT_EQ(state.window.seconds, 0);
}

// Older programs added the batches of an update one after another, and their runs go on like that.
TEST(RunState, APlanWithoutATreeKeepsItsOrderOfSums) {
  RunState state = some_state();
  state.settings.training.accumulate = 4;
  state.plan.tree_levels = 2;
  Json object = to_json(state);
  EXPECT_EQ(run_state_from_json(object, "x").plan.tree_levels, 2);
  object["plan"]["tree-levels"] = 3;
  EXPECT_THROW(run_state_from_json(object, "x"), Error);
  object["plan"].erase("tree-levels");
  EXPECT_EQ(run_state_from_json(object, "x").plan.tree_levels, 0);
}

TEST(RunState, OfAnotherVersionIsNotCalledDamaged) {
  Json object = to_json(some_state());
  object["format"] = 2;
  EXPECT_THROW(run_state_from_json(object, "x"), OtherVersion);
  object = to_json(some_state());
  object["settings"]["of-tomorrow"] = 1;
  EXPECT_THROW(run_state_from_json(object, "x"), OtherVersion);
}

TEST(RunState, AnotherPartOfTheSameNameComputesOtherwise) {
  const std::string gpu = "NVIDIA H200, 132 multiprocessors, cuBLASLt 13.1.0";
  EXPECT_TRUE(is_same_arithmetic(gpu, gpu));
  EXPECT_FALSE(is_same_arithmetic("NVIDIA H200, 114 multiprocessors, cuBLASLt 13.1.0", gpu));
  EXPECT_FALSE(is_same_arithmetic("NVIDIA H200, 132 multiprocessors, cuBLASLt 13.0.2", gpu));
  EXPECT_FALSE(is_same_arithmetic("CPU, AVX2", "CPU, AVX-512"));
}

TEST(RunState, WhatOlderProgramsDidNotRecordMayBeTheSame) {
  const std::string gpu = "NVIDIA H200, 132 multiprocessors, cuBLASLt 13.1.0";
  EXPECT_TRUE(is_same_arithmetic("", gpu));
  EXPECT_TRUE(is_same_arithmetic("NVIDIA H200, cuBLASLt 13.1.0", gpu));
  EXPECT_FALSE(is_same_arithmetic("NVIDIA H200, cuBLASLt 13.0.2", gpu));
  EXPECT_FALSE(is_same_arithmetic("NVIDIA A100, cuBLASLt 13.1.0", gpu));
  EXPECT_FALSE(is_same_arithmetic("CPU", gpu));
}

TEST(RunState, OlderProgramsHadOtherFunctionsOnTheCpu) {
  for (const char* const older : {"", "CPU", "CPU, AVX2"}) {
    EXPECT_FALSE(is_same_arithmetic(older, "CPU, AVX2, functions 2")) << older;
  }
}

TEST(RunState, NamesEntriesThatAreMissingOrOfTheWrongType) {
  const Json whole = to_json(some_state());
  for (const auto& [key, value] : whole.items()) {
    if (key == "program") continue;  // only informs the reader
    Json object = whole;
    object.erase(key);
    const bool newer = key == "arithmetic";  // older programs did not write it
    EXPECT_EQ(data::error_message_of([&] { run_state_from_json(object, "x"); }),
              newer ? "" : "x has no entry '" + key + "'.");
    object[key] = Json::array({1});
    EXPECT_TRUE(data::error_message_of([&] { run_state_from_json(object, "x"); }).starts_with("x")) << key;
  }
}

}  // namespace
}  // namespace dragoman::train
