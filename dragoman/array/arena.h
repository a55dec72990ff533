// An Arena hands out memory as a stack: push() takes bytes from the top, pop_to() frees everything above a mark.
// Nothing is freed one by one and nothing ever moves. A Reservation supplies the bytes; it is made once and owns them.
//
//   |<------------------------- reserved ------------------------>|
//   |<--------------------- limit --------------------->|         |
//   |<---------- committed ----------->|                |         |
//   |<------ used ------->|            |                |         |
//   +----------+----------+------------+----------------+---------+
//   |  pushed  |  pushed  |   popped   | not used so far|  never  |
//   +----------+----------+------------+----------------+---------+
//   ^          ^          ^
//   base       a mark     start of the next push
//
// `used` is the top of the stack and may grow up to `limit`; what is reserved beyond that is never used. `committed` is
// the part with memory behind it; it only grows. The peak is the largest value of `used` so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman {

// A range of addresses that an Arena (or a Pool) takes its bytes from. This file has the one for host memory; the CUDA
// backend has one for a GPU.
class Reservation {
 public:
  virtual ~Reservation() = default;
  virtual void* base() const = 0;
  virtual std::size_t reserved() const = 0;
  // Makes sure that there is memory behind the first `bytes` bytes of the range. Must be called before they are used.
  // Throws MemoryError if there is not enough. Does nothing for host memory.
  virtual void commit(std::size_t /*bytes*/) {}
};

// Host address space. Reserving it takes no memory: the system supplies a page (a huge one if it can) when it is first
// written. Pages start as zeros.
class HostReservation : public Reservation {
 public:
  explicit HostReservation(std::size_t bytes);  // throws MemoryError
  ~HostReservation() override;
  HostReservation(const HostReservation&) = delete;
  HostReservation& operator=(const HostReservation&) = delete;

  void* base() const override { return base_; }
  std::size_t reserved() const override { return bytes_; }

  // How many reservations this process has made. Tests use it to show that a training step, once warm, makes none.
  static std::int64_t count_made();

 private:
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

// Addresses without memory, for a dry run: it counts what would be used and never reads or writes it.
class ImaginaryReservation : public Reservation {
 public:
  void* base() const override { return reinterpret_cast<void*>(std::uintptr_t{1} << 20); }
  std::size_t reserved() const override { return std::size_t{1} << 45; }
};

// The address space that an arena gets by default: twice the physical memory, or less if addresses are limited. It
// costs nothing until it is used.
std::size_t default_reservation();

// The memory in bytes that this process may still use: what the system has available, or less if a container or a limit
// on addresses allows less.
std::size_t available_memory();

// Bytes in use, bytes that were asked for, and the limit.
struct MemoryShortage {
  std::size_t used, needed, limit;
};
// Throws a MemoryError: "out of memory for gradients: ...", where the purpose is " for gradients" or empty.
[[noreturn]] void throw_out_of_memory(std::string_view purpose, const MemoryShortage& shortage);

class Arena {
 public:
  // At most `limit` bytes may be in use at once; 0 means all that is reserved. `memory` must outlive the arena.
  explicit Arena(Reservation& memory, std::size_t limit = 0);

  // Takes bytes from the top of the stack, aligned to kAlignment. Throws MemoryError if they would exceed the limit.
  void* push(std::size_t bytes);
  std::size_t mark() const { return used_; }
  // Frees everything pushed since mark() returned this value. Marks must be popped in the reverse of their order.
  void pop_to(std::size_t mark);

  std::size_t used() const { return used_; }
  // The most bytes that were in use at once, which a dry run measures. reset_peak() starts the measurement again.
  std::size_t peak() const { return peak_; }
  void reset_peak() { peak_ = used_; }

  // For the check that a debug build makes when an Array is read: is its memory still in use? The generation counts how
  // often the arena was emptied. holds() is true if the pointer is below the top of the stack and the arena was not
  // emptied since `generation`. It does not notice memory that was popped and pushed again in between.
  std::uint32_t generation() const { return generation_; }
  bool holds(const void* pointer, std::uint32_t generation) const;

  static constexpr std::size_t kAlignment = 128;

 private:
  Reservation& memory_;
  char* base_;
  std::size_t limit_;
  std::size_t used_ = 0;       // the top of the stack, as an offset from base_
  std::size_t committed_ = 0;  // the bytes that commit() was called for; pop_to() keeps them
  std::size_t peak_ = 0;
  std::uint32_t generation_ = 0;
};

// Frees, at the end of a scope, everything pushed inside it.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.pop_to(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  std::size_t mark_;
};

}  // namespace dragoman
