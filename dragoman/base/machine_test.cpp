#include "dragoman/base/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace dragoman {
namespace {

TEST(Cpuinfo, NamesAProcessorOfX86AndCountsItsCores) {
  const ProcessorFacts facts = parse_cpuinfo(
      "processor\t: 0\nmodel name\t: Some(R) CPU @ 2.0GHz\nphysical id\t: 0\ncore id\t\t: 0\nflags\t\t: sse2 avx2\n\n"
      "processor\t: 1\nmodel name\t: Some(R) CPU @ 2.0GHz\nphysical id\t: 0\ncore id\t\t: 0\nflags\t\t: sse2 avx2\n\n"
      "processor\t: 2\nmodel name\t: Some(R) CPU @ 2.0GHz\nphysical id\t: 1\ncore id\t\t: 0\nflags\t\t: sse2 avx2\n");
  EXPECT_EQ(facts.name, "Some(R) CPU @ 2.0GHz");
  EXPECT_EQ(facts.features, (std::vector<std::string>{"sse2", "avx2"}));
  EXPECT_EQ(facts.cores, 2);  // processors 0 and 1 are threads of one core
}

TEST(Cpuinfo, NamesAProcessorOfAArch64ByItsNumbers) {
  const std::string text = "processor : 0\nFeatures : fp asimd i8mm\nCPU implementer : 0x41\nCPU part : 0xd40\n";
  EXPECT_EQ(parse_cpuinfo(text).name, "Neoverse-V1");
  EXPECT_EQ(parse_cpuinfo(text).features, (std::vector<std::string>{"fp", "asimd", "i8mm"}));
  EXPECT_EQ(parse_cpuinfo("CPU implementer : 0x99\nCPU part : 0x1\n").name, "processor of maker 0x99, part 0x1");
}

TEST(Cpuinfo, OfAnotherFormIsNotAnError) {
  for (const char* text : {"", "nothing here", ":", "flags"}) {
    EXPECT_EQ(parse_cpuinfo(text).name, "") << text;
    EXPECT_EQ(parse_cpuinfo(text).cores, 0) << text;
  }
}

class ControlGroup : public ::testing::Test {
 protected:
  ControlGroup() { std::filesystem::create_directories(directory); }
  ~ControlGroup() override { std::filesystem::remove_all(directory); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(directory / name) << text; }

  std::filesystem::path directory = ::testing::TempDir() + "dragoman_group_" + std::to_string(::getpid());
};

TEST_F(ControlGroup, SetsAQuotaOrNone) {
  EXPECT_EQ(cpu_quota(directory), std::nullopt);
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(directory), std::nullopt);
  write("cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(directory), 1.5);
  write("cpu.max", "150000 0\n");
  EXPECT_EQ(cpu_quota(directory), std::nullopt);
}

TEST_F(ControlGroup, LimitsMemoryOrDoesNot) {
  EXPECT_FALSE(container_memory(directory));
  write("memory.current", "1000\n");
  write("memory.max", "max\n");
  EXPECT_FALSE(container_memory(directory));
  write("memory.max", "4096\n");
  ASSERT_TRUE(container_memory(directory));
  EXPECT_EQ(container_memory(directory)->limit, 4096u);
  EXPECT_EQ(container_memory(directory)->used, 1000u);
}

TEST(Machine, HasMemoryAndProcessors) {
  const SystemMemory memory = system_memory();
  EXPECT_GT(memory.available, 0u);
  EXPECT_LE(memory.available, memory.physical);
  EXPECT_GE(allowed_processors(), 1);
  EXPECT_LE(allowed_processors(), online_processors());
}

}  // namespace
}  // namespace dragoman
