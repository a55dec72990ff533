#include "dragoman/array/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/machine.h"
#include "dragoman/base/strings.h"

namespace dragoman {

namespace {

std::atomic<std::int64_t> reservations_made{0};

// The address space that this process uses, in bytes; 0 if unknown.
std::size_t used_addresses() {
  std::ifstream system("/proc/self/statm");
  std::size_t pages = 0;
  return system >> pages ? pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

HostReservation::HostReservation(std::size_t bytes) : bytes_(bytes) {
  base_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require<MemoryError>(base_ != MAP_FAILED, "cannot reserve ", bytes >> 20, " MiB of address space (",
                       std::generic_category().message(errno),
                       "). Allow the process more of it (ulimit -v), or use fewer workers.");
  madvise(base_, bytes, MADV_HUGEPAGE);  // a hint: if the system refuses it, only speed changes
  ++reservations_made;
}

HostReservation::~HostReservation() { munmap(base_, bytes_); }

std::int64_t HostReservation::count_made() { return reservations_made; }

std::size_t default_reservation() {
  std::size_t bytes = 2 * system_memory().physical;
#if defined(__SANITIZE_THREAD__)
  bytes = std::size_t{1} << 30;  // on AArch64 the thread sanitizer leaves 64 GiB of addresses for all arenas
#endif
  // If addresses are limited (ulimit -v), an arena takes a quarter of those that are left, because other arenas follow
  // and weights, threads and files need some too.
  if (const std::optional<std::size_t> limit = address_limit()) {
    bytes = std::min(bytes, (*limit - std::min(used_addresses(), *limit)) / 4);
  }
  return bytes;
}

std::size_t available_memory() {
  std::size_t bytes = std::min(default_reservation(), system_memory().available);
  if (const std::optional<ContainerMemory> container = container_memory()) {
    bytes = std::min(bytes, container->limit > container->used ? container->limit - container->used : 0);
  }
  return bytes;
}

void throw_out_of_memory(std::string_view purpose, const MemoryShortage& shortage) {
  const auto text = [](std::size_t bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); };
  throw MemoryError(join("out of memory", purpose, ": ", text(shortage.used), " are in use, ", text(shortage.needed),
                         " more are needed, and the limit is ", text(shortage.limit),
                         "; use a smaller batch, beam or model, or allow more memory."));
}

Arena::Arena(Reservation& memory, std::size_t limit)
    : memory_(memory),
      base_(static_cast<char*>(memory.base())),
      limit_(limit == 0 ? memory.reserved() : std::min(limit, memory.reserved())) {}

void* Arena::push(std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  // Rounding up overflows for the largest sizes, hence the first comparison.
  if (rounded < bytes || rounded > limit_ - used_) throw_out_of_memory("", {used_, bytes, limit_});
  if (used_ + rounded > committed_) {
    memory_.commit(used_ + rounded);
    committed_ = used_ + rounded;
  }
  void* start = base_ + used_;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  return start;
}

void Arena::pop_to(std::size_t mark) {
  assert(mark <= used_ && "marks must be popped in the reverse of the order in which they were taken");
  used_ = mark;
  if (mark == 0) ++generation_;  // the arena is empty: Arrays made before this are stale, even when memory is reused
}

bool Arena::holds(const void* pointer, std::uint32_t generation) const {
  return generation == generation_ && static_cast<const char*>(pointer) < base_ + used_;
}

}  // namespace dragoman
