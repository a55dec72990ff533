#include "dragoman/base/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "dragoman/base/strings.h"

namespace dragoman {
namespace {

// AArch64 processors tell who designed them and a number in place of a name.
struct Part {
  std::string_view implementer, part, name;
};
constexpr Part kParts[] = {
    {"0x41", "0xd03", "Cortex-A53"},  {"0x41", "0xd07", "Cortex-A57"},  {"0x41", "0xd08", "Cortex-A72"},
    {"0x41", "0xd0b", "Cortex-A76"},  {"0x41", "0xd0c", "Neoverse-N1"}, {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd49", "Neoverse-N2"}, {"0x41", "0xd4f", "Neoverse-V2"}, {"0x41", "0xd84", "Neoverse-V3"},
    {"0x41", "0xd8e", "Neoverse-N3"}, {"0x46", "0x001", "A64FX"},       {"0x48", "0xd01", "Kunpeng 920"},
    {"0xc0", "0xac3", "Ampere-1"},    {"0xc0", "0xac4", "Ampere-1A"},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string part_name(const std::string& implementer, const std::string& part) {
  for (const Part& known : kParts) {
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  }
  return part.empty() ? "" : "processor of maker " + implementer + ", part " + part;
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

// The file has a block of "key : value" lines for each processor. All processors are taken to be of the same kind.
ProcessorFacts parse_cpuinfo(std::string_view text) {
  std::map<std::string, std::string> first;             // the first value of each key
  std::set<std::pair<std::string, std::string>> cores;  // package and core
  std::string package;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key(trimmed(std::string_view(line).substr(0, colon)));
    const std::string value(trimmed(std::string_view(line).substr(colon + 1)));
    first.try_emplace(key, value);
    if (key == "physical id") package = value;
    if (key == "core id") cores.emplace(package, value);
  }
  ProcessorFacts facts;
  facts.name =
      first.contains("model name") ? first["model name"] : part_name(first["CPU implementer"], first["CPU part"]);
  facts.features = words_of(first.contains("flags") ? first["flags"] : first["Features"]);
  facts.cores = static_cast<int>(cores.size());
  return facts;
}

ProcessorFacts processor_facts() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_cpuinfo(text.str());
}

int online_processors() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

int allowed_processors() {
  cpu_set_t set;
  const bool known = sched_getaffinity(0, sizeof(set), &set) == 0;
  return std::max(1, known ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency()));
}

std::optional<double> cpu_quota(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");
  std::string limit;  // "max" without a quota
  double period = 0;
  if (!(file >> limit >> period) || period <= 0) return std::nullopt;
  const std::optional<double> share = parse_number<double>(limit);
  if (!share) return std::nullopt;
  return *share / period;
}

std::optional<ContainerMemory> container_memory(const std::filesystem::path& group) {
  ContainerMemory memory;  // without a limit the file says "max", which fails to parse as a number
  std::ifstream limit(group / "memory.max"), used(group / "memory.current");
  if (limit >> memory.limit && used >> memory.used) return memory;
  return std::nullopt;
}

SystemMemory system_memory() {
  SystemMemory memory{.physical = physical_memory(), .available = physical_memory()};
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) memory.available = kibibytes << 10;
  }
  return memory;
}

std::optional<std::size_t> address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace dragoman
