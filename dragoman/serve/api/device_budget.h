// The memory of a GPU that a server may take (--gpu-memory-mb), and how its models share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/model_config.h"

namespace dragoman::serve {

// Counts what is promised to the models of the process. Any thread may use it.
class DeviceBudget {
 public:
  // Bytes that are counted until the last copy of this is destroyed.
  using Part = std::shared_ptr<const void>;

  // 0 bytes for no limit.
  explicit DeviceBudget(std::int64_t bytes);

  // Throws a MemoryError that begins with `what` ("the model 'demo'") if that is more than is left.
  Part take(const std::string& what, std::int64_t bytes);
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Counter {
    std::mutex mutex;
    std::int64_t used = 0;
  };

  std::int64_t bytes_;
  std::shared_ptr<Counter> counter_ = std::make_shared<Counter>();
};

// The options with which a model is served, and the memory that it takes with them.
struct ModelShare {
  decode::TranslatorOptions options;
  std::int64_t bytes = 0;
};

struct WantedModel {
  model::ModelConfig config;
  decode::TranslatorOptions options;
};

struct DevicePlan {
  std::vector<ModelShare> models;
  std::int64_t total = 0;    // of everything, during a reload too if `can_reload`
  std::int64_t program = 0;  // part of it
  std::int64_t largest = 0;  // the bytes of the largest model, which a checkpoint of it also takes
  bool can_reload = true;    // there is room for the models that are replaced and for those that replace them
};

// Chooses the largest batches, up to those of the options, with which all models fit: twice, because a reload holds the
// old and the new models for a moment, and if that is impossible, once. `checkpoints` is the number of them that may be
// loaded besides. Throws a MemoryError that says what is needed if even batches of one sentence do not fit.
DevicePlan plan_models(std::span<const WantedModel> wanted, std::size_t checkpoints, std::int64_t budget);

// "5,812 of 6,000 MiB ...", for the log.
std::string describe(const DevicePlan& plan, std::int64_t budget);

}  // namespace dragoman::serve
