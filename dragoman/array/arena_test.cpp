#include "dragoman/array/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

constexpr std::size_t kPage = 4096;

TEST(Arena, HandsOutAlignedMemoryThatDoesNotOverlap) {
  HostReservation memory(kPage);
  Arena arena(memory);
  auto* first = static_cast<char*>(arena.push(1));
  auto* second = static_cast<char*>(arena.push(Arena::kAlignment + 1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % Arena::kAlignment, 0u);
  EXPECT_EQ(second - first, static_cast<std::ptrdiff_t>(Arena::kAlignment));
  EXPECT_EQ(arena.used(), 3 * Arena::kAlignment);
}

TEST(Arena, ReusesMemoryAfterPoppingToAMark) {
  HostReservation memory(kPage);
  Arena arena(memory);
  arena.push(100);
  const std::size_t mark = arena.mark();
  void* before = arena.push(500);
  arena.pop_to(mark);
  EXPECT_EQ(arena.push(7), before);
}

TEST(Arena, AScopeFreesWhatWasPushedInside) {
  HostReservation memory(kPage);
  Arena arena(memory);
  arena.push(100);
  const std::size_t used = arena.used();
  {
    const ArenaScope scope(arena);
    arena.push(1000);
  }
  EXPECT_EQ(arena.used(), used);
}

TEST(Arena, KeepsItsPeakUntilReset) {
  HostReservation memory(kPage);
  Arena arena(memory);
  {
    const ArenaScope scope(arena);
    arena.push(1024);
  }
  arena.push(128);
  EXPECT_EQ(arena.peak(), 1024u);
  arena.reset_peak();
  EXPECT_EQ(arena.peak(), 128u);
}

TEST(Arena, HoldsOnlyMemoryThatWasNotPopped) {
  HostReservation memory(kPage);
  Arena arena(memory);
  const std::uint32_t generation = arena.generation();
  const void* first = arena.push(128);
  const std::size_t mark = arena.mark();
  const void* second = arena.push(128);
  EXPECT_TRUE(arena.holds(first, generation));
  EXPECT_TRUE(arena.holds(second, generation));
  arena.pop_to(mark);
  EXPECT_TRUE(arena.holds(first, generation));
  EXPECT_FALSE(arena.holds(second, generation));
  arena.pop_to(0);
  arena.push(128);  // at the same address, but in another generation
  EXPECT_FALSE(arena.holds(first, generation));
}

TEST(Arena, TheErrorOfAFullArenaSaysWhatIsInUseAndNeeded) {
  HostReservation memory(std::size_t{8} << 20);
  Arena arena(memory, std::size_t{4} << 20);
  arena.push(std::size_t{3} << 20);
  try {
    arena.push(std::size_t{2} << 20);
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_STREQ(
        error.what(),
        "out of memory: 3.00 MiB are in use, 2.00 MiB more are needed, and the limit is 4.00 MiB; use a smaller batch, "
        "beam or model, or allow more memory.");
  }
  EXPECT_NO_THROW(arena.push(std::size_t{1} << 20));
}

TEST(Arena, ASizeThatOverflowsIsRefused) {
  HostReservation memory(kPage);
  Arena arena(memory);
  EXPECT_THROW(arena.push(SIZE_MAX), MemoryError);
  EXPECT_THROW(arena.push(SIZE_MAX - 1000), MemoryError);
}

TEST(HostReservation, IsFilledWithZerosAndCountsHowManyWereMade) {
  const std::int64_t before = HostReservation::count_made();
  const HostReservation memory(kPage);
  EXPECT_EQ(HostReservation::count_made(), before + 1);
  for (std::size_t i = 0; i < kPage; ++i) ASSERT_EQ(static_cast<const char*>(memory.base())[i], 0);
}

TEST(ImaginaryReservation, IsCountedButNeverTouched) {
  ImaginaryReservation memory;
  Arena arena(memory);
  arena.push(std::size_t{1} << 40);
  EXPECT_EQ(arena.peak(), std::size_t{1} << 40);
}

}  // namespace
}  // namespace dragoman
