// Memory that is reserved once and handed out as a stack: nothing is freed one by one and nothing ever moves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman {

// Where an Arena's bytes come from: the host here, a GPU in its backend.
class Reservation {
 public:
  virtual ~Reservation() = default;
  virtual void* base() const = 0;
  virtual std::size_t reserved() const = 0;
  // Makes sure that the first `bytes` can be used; throws MemoryError if they cannot.
  virtual void commit(std::size_t) {}
};

// Host address space, reserved without being committed: the system commits a page when it is first written, in huge
// pages where it can.
class HostReservation : public Reservation {
 public:
  explicit HostReservation(std::size_t bytes);  // throws MemoryError
  ~HostReservation() override;
  HostReservation(const HostReservation&) = delete;
  HostReservation& operator=(const HostReservation&) = delete;

  void* base() const override { return base_; }
  std::size_t reserved() const override { return bytes_; }

  // How many this process has made: a training step in its stride makes none.
  static std::int64_t made();

 private:
  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

// Addresses that are counted but never touched: the memory of a dry run.
class ImaginaryReservation : public Reservation {
 public:
  void* base() const override { return reinterpret_cast<void*>(std::uintptr_t{1} << 20); }
  std::size_t reserved() const override { return std::size_t{1} << 45; }
};

// As much address space as an arena may be given on this machine: it costs nothing until it is used.
std::size_t default_reservation();

// What this process may still take: the memory that the system has available, or a container's limit if that is less.
std::size_t available_memory();

class Arena {
 public:
  // `limit` bytes may be in use at once; 0 means all that is reserved.
  explicit Arena(Reservation& memory, std::size_t limit = 0);

  // Aligned to kAlignment. Throws MemoryError when the limit is reached.
  void* push(std::size_t bytes);
  std::size_t mark() const { return used_; }
  // Gives back everything pushed since the mark was taken.
  void pop_to(std::size_t mark);

  std::size_t used() const { return used_; }
  // The most that was ever in use at once, which a dry run measures.
  std::size_t peak() const { return peak_; }
  void forget_peak() { peak_ = used_; }

  // What a debug build checks when an Array is read: that nothing it was made of has been given back since.
  std::uint32_t generation() const { return generation_; }
  bool holds(const void* pointer, std::uint32_t generation) const;

  static constexpr std::size_t kAlignment = 128;

 private:
  Reservation& memory_;
  char* base_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::size_t committed_ = 0;
  std::size_t peak_ = 0;
  std::uint32_t generation_ = 0;
};

// Gives back on leaving what was pushed since entering.
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
