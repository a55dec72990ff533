#include "dragoman/health/machine.h"

#include <gtest/gtest.h>

#include "dragoman/health/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::health {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

ProcessorState usual_processor() {
  return {.facts = {.name = "Fast", .features = {"sse2", "avx2", "fma"}, .cores = 4},
          .online = 8,
          .allowed = 8,
          .threads = 8,
          .kernels = {.vectors = "AVX2", .vector_bytes = 32, .int8 = "AVX2", .available = "AVX2"}};
}

TEST(ProcessorHealth, SaysWhatTheProcessorCanDo) {
  const Section section = processor_section(usual_processor());
  EXPECT_EQ(section.count(Level::kGood), std::ssize(section.findings));
  EXPECT_NE(finding(section, "processor").text.find("4 cores; has avx2, fma"), std::string::npos);
  ProcessorState with_amx = usual_processor();
  with_amx.facts.features = {"avx512f", "amx_bf16", "amx_tile", "amx_int8"};
  const std::string text = finding(processor_section(with_amx), "processor").text;
  EXPECT_TRUE(text.ends_with("; has avx512f, amx_int8, amx_bf16")) << text;
  EXPECT_EQ(finding(section, "float-kernels").text, "float kernels: AVX2, 8 numbers at once");
  EXPECT_EQ(finding(section, "threads").text, "8 threads are used on 8 processors");
}

TEST(ProcessorHealth, WarnsOfABuildForAnOlderProcessor) {
  ProcessorState state = usual_processor();
  state.kernels.available = "AVX-512";
  EXPECT_EQ(finding(processor_section(state), "float-kernels").level, Level::kWarning);
  EXPECT_NE(finding(processor_section(state), "float-kernels").text.find("--instructions"), std::string::npos);
  state.kernels.in_build = false;
  EXPECT_NE(finding(processor_section(state), "float-kernels").text.find("this build"), std::string::npos);
  state.kernels.int8 = "portable";
  EXPECT_EQ(finding(processor_section(state), "int8-kernel").level, Level::kWarning);
}

TEST(ProcessorHealth, WarnsOfTooManyThreadsAndOfTooLittleTime) {
  ProcessorState state = usual_processor();
  state.quota = 1.5;
  EXPECT_EQ(finding(processor_section(state), "threads").level, Level::kWarning);
  state.threads = 1;
  EXPECT_EQ(finding(processor_section(state), "threads").level, Level::kGood);
  state.quota = 0.5;
  EXPECT_EQ(finding(processor_section(state), "threads").level, Level::kWarning);
}

TEST(ProcessorHealth, KnowsThisMachine) {
  const ProcessorState state = this_processor(0);
  EXPECT_GE(state.threads, 1);
  EXPECT_EQ(this_processor(3).threads, 3);
  EXPECT_GE(state.kernels.vector_bytes, 16);
  EXPECT_EQ(finding(processor_section(state), "int8-kernel").text.find("int8 kernel: " + state.kernels.int8), 0u);
}

TEST(CudaHealth, IsAnErrorOnlyIfAGpuIsAskedFor) {
  const CudaState none{};
  EXPECT_EQ(finding(cuda_section(none, Asked::kNo), "cuda").level, Level::kGood);
  EXPECT_EQ(finding(cuda_section(none, Asked::kYes), "cuda").level, Level::kError);
  const CudaState without_gpu{.toolkit = "13.0"};
  EXPECT_EQ(finding(cuda_section(without_gpu, Asked::kNo), "cuda").level, Level::kGood);
  EXPECT_EQ(finding(cuda_section(without_gpu, Asked::kYes), "cuda").level, Level::kError);
}

TEST(CudaHealth, WarnsOfAGpuThatIsNotUsed) {
  const CudaState state{.has_driver = true};
  EXPECT_EQ(finding(cuda_section(state, Asked::kNo), "cuda").level, Level::kWarning);
  const CudaState old{
      .toolkit = "13.0", .driver = "12.0", .devices = {{.name = "Old", .major = 7}}, .problem = "too old."};
  EXPECT_EQ(finding(cuda_section(old, Asked::kNo), "cuda").text, "too old.");
  EXPECT_EQ(finding(cuda_section(old, Asked::kNo), "cuda").level, Level::kWarning);
}

TEST(CudaHealth, DescribesTheGpu) {
  const CudaState state{.toolkit = "13.0",
                        .driver = "13.1",
                        .has_driver = true,
                        .devices = {{.name = "H200", .major = 9, .minor = 0, .memory = 140 * kGiB}},
                        .free = 139 * kGiB};
  const Section section = cuda_section(state, Asked::kYes);
  EXPECT_EQ(section.count(Level::kGood), 2);
  EXPECT_EQ(finding(section, "gpu").text, "device 0: H200, compute capability 9.0, 140.00 GiB");
  EXPECT_NE(finding(section, "cuda").text.find("139.00 GiB of device 0 are free"), std::string::npos);
}

TEST(MemoryHealth, NamesTheLimits) {
  MemoryState state{.system = {.physical = 8 * kGiB, .available = 6 * kGiB}};
  EXPECT_EQ(memory_section(state).findings.size(), 1u);
  EXPECT_EQ(memory_section(state).findings[0].text, "the machine has 8.00 GiB, of which 6.00 GiB are available");
  state.container = {.limit = 2 * kGiB, .used = kGiB};
  state.addresses = 4 * kGiB;
  EXPECT_EQ(finding(memory_section(state), "container").text,
            "the container may use 2.00 GiB, of which 1.00 GiB are in use");
  EXPECT_EQ(finding(memory_section(state), "addresses").level, Level::kWarning);
}

TEST(MemoryHealth, SaysWhetherATrainingFits) {
  const auto training = [](std::int64_t allowed, Asked asked) {
    Section memory;
    add_need({.name = "base", .batch_tokens = 25'000, .whole = 4000, .least = 1000, .allowed = allowed}, asked, memory);
    return finding(memory, "training-memory");
  };
  EXPECT_EQ(training(4000, Asked::kYes).level, Level::kGood);
  EXPECT_EQ(training(3999, Asked::kYes).level, Level::kGood);
  EXPECT_NE(training(3999, Asked::kYes).text.find("in parts"), std::string::npos);
  EXPECT_EQ(training(999, Asked::kYes).level, Level::kError);
  EXPECT_EQ(training(999, Asked::kNo).level, Level::kWarning);
}

TEST(MemoryHealth, FindsTheNeedOfATraining) {
  train::TrainingSettings settings;
  settings.model = model::small_config();
  settings.training.batch_tokens = 5000;
  settings.machine.memory_mb = 100;
  const TrainingNeed need = need_of("small", settings);
  EXPECT_EQ(need.allowed, 100 << 20);
  EXPECT_GT(need.whole, need.least);
  EXPECT_EQ(need.whole, train::make_plan(settings, {}, need.whole).total());
}

}  // namespace
}  // namespace dragoman::health
