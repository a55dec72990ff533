#include "dragoman/backend/cpu/common/context.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace dragoman::cpu {

namespace {

constexpr std::size_t kHostArenaBytes = std::size_t{1} << 30;  // only reserved: a tape uses a few hundred KiB of it
constexpr std::size_t kMinArenaBytes = std::size_t{8} << 20;   // less would not hold a step of the smallest model

// Reserves `bytes` of address space, or less if the system refuses: it may count reserved memory as used
// (vm.overcommit_memory = 2). In that case we take half of what it would give and leave the rest to others. Throws
// MemoryError if even kMinArenaBytes are refused.
std::unique_ptr<HostReservation> reserve_up_to(std::size_t bytes) {
  for (std::size_t part = bytes;; part /= 2) {
    try {
      auto memory = std::make_unique<HostReservation>(part);
      if (part == bytes) return memory;
      memory.reset();
      return std::make_unique<HostReservation>(part / 2);
    } catch (const MemoryError&) {
      if (part / 2 < kMinArenaBytes) throw;
    }
  }
}

// The size of the host arena: kHostArenaBytes, or less if the system refuses that. Reserves the memory to find out, and
// releases it again.
std::size_t host_arena_bytes() {
  return reserve_up_to(std::min(kHostArenaBytes, default_reservation() / 4))->reserved();
}

// The memory limit of a step, in bytes: the one that the caller gave or, if that is 0, a share of the available memory.
// Without a limit the system might kill the process for taking too much. A dry run takes no memory, so for it 0 (no
// limit) stays 0.
std::size_t memory_limit(std::size_t given, bool dry, double share) {
  if (given > 0 || dry) return given;
  return static_cast<std::size_t>(share * static_cast<double>(available_memory()));
}

// On the CPU launched work is done when the launch returns, so the copy is complete at once.
struct FinishedCopy final : HostCopy {
  FinishedCopy(const Backend& on, const Array& from) : bytes(from.count() * size_of(from.dtype())) {
    on.copy_out(from, bytes.data());
  }
  void wait(void* host) override { std::memcpy(host, bytes.data(), bytes.size()); }
  std::vector<char> bytes;
};

// On the CPU a launch costs almost nothing, so a replay simply calls `work` again.
struct Repeat final : Replay {
  explicit Repeat(std::function<void()> work_) : work(std::move(work_)) {}
  void run() override { work(); }
  std::function<void()> work;
};

const Bf16Kernel& required_bf16_kernel() {
  const Bf16Kernel* kernel = bf16_kernel();
  require<UsageError>(kernel != nullptr, "precision is bf16, but ", kernel == nullptr ? why_no_bf16_kernel() : "",
                      "; choose fp32, or add --device cuda.");
  return *kernel;
}

}  // namespace

Context::Context(const BackendOptions& options, const Int8Kernel& int8_kernel)
    : int8_kernel_(int8_kernel),
      bf16_products_(options.bf16_products ? &required_bf16_kernel() : nullptr),
      dry_(options.dry),
      team_(options.dry ? 1 : threads_for(options.threads)),
      profile_(options.profile ? std::make_unique<Profile>() : nullptr),
      arena_memory_(reserve(default_reservation())),
      gradient_memory_(reserve(default_reservation() / 2)),
      host_arena_memory_(host_arena_bytes()),
      arena_(*arena_memory_, memory_limit(options.memory, options.dry, 0.75)),
      host_arena_(host_arena_memory_),
      gradients_(*gradient_memory_, memory_limit(options.gradient_memory, options.dry, 0.25)) {}

std::unique_ptr<Reservation> Context::reserve(std::size_t bytes) const {
  if (dry_) return std::make_unique<ImaginaryReservation>();
  return std::make_unique<HostReservation>(bytes);
}

void Context::copy_in(const void* host, Array& to) const {
  require<ShapeError>(to.contiguous(), "copy_in: an array of shape ", to.shape(), " is not contiguous");
  if (to.count() == 0) return;
  launch(1, [&](std::int64_t) { std::memcpy(to.raw(), host, to.count() * size_of(to.dtype())); });
}

void Context::copy_out(const Array& from, void* host) const {
  require<ShapeError>(from.contiguous(), "copy_out: an array of shape ", from.shape(), " is not contiguous");
  const std::size_t bytes = from.count() * size_of(from.dtype());
  if (bytes == 0) return;  // either pointer may be null then
  if (dry_) {
    std::memset(host, 0, bytes);
  } else {
    std::memcpy(host, from.raw(), bytes);
  }
}

std::unique_ptr<HostCopy> Context::copy_out_later(const Array& from) const {
  return std::make_unique<FinishedCopy>(*this, from);
}

std::unique_ptr<Replay> Context::record_launches(const std::function<void()>& work) const {
  return std::make_unique<Repeat>(work);
}

}  // namespace dragoman::cpu
