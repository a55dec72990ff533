#include "dragoman/decode/lines/device_memory.h"

#include <gtest/gtest.h>

#include "dragoman/decode/testing.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::decode {
namespace {

class DeviceMemoryTest : public ModelDirectoryTest {
 protected:
  model::ModelConfig config() const { return model::read_info(directory).config; }
  static std::vector<std::string> lines() {
    std::vector<std::string> lines;
    for (int i = 0; i < 120; ++i) lines.push_back(data::words(1 + i % 60));
    return lines;
  }
};

TEST_F(DeviceMemoryTest, IsEnoughForFullBatchesAndHalfOfItIsNot) {
  for (const bool fair : {false, true}) {
    TranslatorOptions options{.search = {.beam = 8}, .threads = 2, .workers = 2, .batch_size = 100, .fair = fair};
    options.worker_memory = device_memory(config(), options).worker;
    EXPECT_EQ(Translator(directory, options).translate(lines()).size(), 120u);
    options.worker_memory /= 2;
    EXPECT_THROW(Translator(directory, options).translate(lines()), MemoryError);
  }
}

TEST_F(DeviceMemoryTest, GrowsWithBatchesBeamsAndWorkers) {
  const TranslatorOptions options{.search = {.beam = 8}, .threads = 1};
  const DeviceMemory memory = device_memory(config(), options);
  TranslatorOptions more = options;
  more.batch_size *= 2;
  EXPECT_GT(device_memory(config(), more).worker, memory.worker);
  more = options;
  more.search.beam = 12;
  EXPECT_GT(device_memory(config(), more).worker, memory.worker);
  more = options;
  more.fair = true;
  EXPECT_GT(device_memory(config(), more).worker, memory.worker);
  EXPECT_EQ(memory.total(3), memory.weights + 3 * (memory.worker + memory.products));
}

// Whether the weights are about `bytes_each` for each parameter.
void expect_weights(const DeviceMemory& memory, const model::ModelConfig& config, int bytes_each) {
  const auto elements = static_cast<double>(params::ParameterBlock::elements(*config.make_model()));
  EXPECT_NEAR(static_cast<double>(memory.weights), bytes_each * elements, 0.5 * elements);
}

TEST_F(DeviceMemoryTest, CountsTheWeights) {
  const model::ModelConfig base = model::preset("base").model;
  expect_weights(device_memory(base, {.threads = 1, .batch_size = 1, .batch_tokens = 1, .longest = 1}), base, 4);
}

// A dry backend for CUDA needs no GPU, but it needs a build with CUDA.
TEST_F(DeviceMemoryTest, ABaseModelWithLargeBatchesTakesSomeGigabytesOfAGpu) {
  if (cuda_version().empty()) GTEST_SKIP() << "this build has no CUDA backend";
  const model::ModelConfig base = model::preset("base").model;
  const DeviceMemory memory = device_memory(
      base, {.device = {Device::Kind::kCuda, 0}, .batch_size = 512, .batch_tokens = 32'768, .fair = true});
  expect_weights(memory, base, 2);
  EXPECT_GT(memory.worker, std::int64_t{4} << 30);
  EXPECT_LT(memory.worker, std::int64_t{12} << 30);
}

TEST_F(DeviceMemoryTest, HoldsOnCuda) {
  if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  model::TransformerConfig small = model::small_config();
  small.d_model = 64;
  write_model(small);
  const Device device{Device::Kind::kCuda, 0};
  const std::unique_ptr<Backend> first = make_backend(device, {.memory = 1 << 20, .gradient_memory = 1 << 20});
  const auto free_before = static_cast<std::int64_t>(available_memory(device));
  TranslatorOptions options{.device = device, .workers = 2, .batch_size = 512, .batch_tokens = 32'768, .fair = true};
  const DeviceMemory memory = device_memory(config(), options);
  options.worker_memory = memory.worker;
  Translator translator(directory, options);
  EXPECT_EQ(translator.translate(lines()).size(), 120u);
  const std::int64_t used = free_before - static_cast<std::int64_t>(available_memory(device));
  EXPECT_LE(used, memory.total(options.workers) + program_memory(device));
  EXPECT_GT(used, memory.weights);
}

}  // namespace
}  // namespace dragoman::decode
