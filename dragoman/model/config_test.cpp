#include "dragoman/model/config.h"

#include <gtest/gtest.h>

#include <utility>

namespace dragoman::model {
namespace {

// The message of validate() after these settings, given by key, are applied; empty if they are valid.
template <class Config>
std::string error_message(std::initializer_list<std::pair<const char*, const char*>> settings) {
  try {
    Config config;
    for (const auto& [key, value] : settings) set(config, key, value);
    config.validate();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

constexpr auto training_error = error_message<TrainingConfig>;

TEST(TrainingConfig, DefaultsAreValid) { EXPECT_EQ(training_error({}), ""); }

TEST(TrainingConfig, InvalidSettingsAreRefused) {
  EXPECT_EQ(training_error({{"label-smoothing", "1.5"}}), "label-smoothing is 1.5; it must be at least 0 and below 1.");
  for (const char* key : {"momentum", "beta1", "beta2"}) EXPECT_NE(training_error({{key, "1"}}), "") << key;
  for (const char* key : {"warmup", "steps", "batch-tokens", "accumulate", "rate-constant"}) {
    EXPECT_NE(training_error({{key, "0"}}), "") << key;
  }
  for (const char* key : {"clip", "weight-decay"}) EXPECT_NE(training_error({{key, "-1"}}), "") << key;
}

}  // namespace
}  // namespace dragoman::model
