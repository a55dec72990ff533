// The execution context of the CPU's kernels: a thread team and host memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/cpu/common/bf16_kernels.h"
#include "dragoman/backend/cpu/common/int8_kernels.h"
#include "dragoman/backend/cpu/common/profile.h"
#include "dragoman/base/threads.h"

namespace dragoman::cpu {

// Each family of kernels derives from it virtually, so a backend that combines the families has one context.
class Context : public Backend {
 public:
  Context(const BackendOptions& options, const Int8Kernel& int8_kernel);

  Device device() const override { return {}; }
  int threads() const override { return team_.size(); }
  bool dry() const override { return dry_; }
  std::unique_ptr<Reservation> reserve(std::size_t bytes) const override;
  Arena& arena() const override { return arena_; }
  Arena& host_arena() const override { return host_arena_; }
  Pool& gradients() const override { return gradients_; }
  void copy_in(const void* host, Array& to) const override;
  void copy_out(const Array& from, void* host) const override;
  std::unique_ptr<HostCopy> copy_out_later(const Array& from) const override;
  void wait() const override {}
  std::unique_ptr<Replay> record_launches(const std::function<void()>& work) const override;
  std::string profile() const override { return profile_ ? profile_->table(threads()) : ""; }

  const Int8Kernel& int8_kernel() const { return int8_kernel_; }
  // The kernel that products of float32 matrices use instead of those in float32; null if they use those.
  const Bf16Kernel* bf16_products() const { return bf16_products_; }

  // Runs work(piece) on the team for every piece in [0, pieces); all kernels go through here. What a piece computes may
  // depend only on shapes and on its number, so that results do not depend on the number of threads. `name` is a
  // function that returns the name in the profile, and is called only if there is one.
  template <class Work, std::invocable Name>
  void launch(std::int64_t pieces, const Work& work, const Name& name) const {
    if (dry_) return;
    profile_ ? profile_->run(team_, pieces, work, name()) : team_.run(pieces, work);
  }
  // The same, named after the function that calls it.
  template <class Work>
  void launch(std::int64_t pieces, const Work& work,
              const std::source_location& where = std::source_location::current()) const {
    launch(pieces, work, [&] { return Profile::name_of(where); });
  }

 private:
  const Int8Kernel& int8_kernel_;
  const Bf16Kernel* bf16_products_;
  bool dry_;
  mutable ThreadTeam team_;
  std::unique_ptr<Profile> profile_;  // null unless BackendOptions::profile is set
  std::unique_ptr<Reservation> arena_memory_, gradient_memory_;
  HostReservation host_arena_memory_;
  mutable Arena arena_, host_arena_;
  mutable Pool gradients_;
};

}  // namespace dragoman::cpu
