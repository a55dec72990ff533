// Facts about the machine, and about the limits that the system and a container set for this process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct ProcessorFacts {
  std::string name;                   // such as "Neoverse-V1"; empty if the system does not say
  std::vector<std::string> features;  // instruction sets by the names of the system, such as "avx2" or "i8mm"
  int cores = 0;                      // without the second threads of a core; 0 if the system does not say
};

// Reads the text of /proc/cpuinfo.
ProcessorFacts parse_cpuinfo(std::string_view text);
ProcessorFacts processor_facts();

// The processors of this machine that are switched on, and how many of them this process may run on.
int online_processors();
int allowed_processors();

// The directory in which the system shows a container its limits (cgroup v2).
inline const std::filesystem::path kControlGroup = "/sys/fs/cgroup";

// The number of processors whose time a container's quota allows, such as 1.5; nothing without a quota.
std::optional<double> cpu_quota(const std::filesystem::path& group = kControlGroup);

// All sizes are in bytes.
struct ContainerMemory {
  std::size_t limit = 0, used = 0;
};
// Nothing without a limit.
std::optional<ContainerMemory> container_memory(const std::filesystem::path& group = kControlGroup);

struct SystemMemory {
  std::size_t physical = 0;
  std::size_t available = 0;  // without swapping; physical memory if the system does not say
};
SystemMemory system_memory();

// The most address space that this process may have (ulimit -v); nothing without a limit.
std::optional<std::size_t> address_limit();

}  // namespace dragoman
