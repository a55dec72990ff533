#include "dragoman/data/time_rows.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman::data {
namespace {

Doubles list(Backend& on, const Array& ids) { return values_of(on, ids.reshaped({1, ids.count()})); }

// Sentences of 2, 4, 1 and 2 tokens. Sorted: the second (rows 2 to 5), the first (0, 1), the fourth (7, 8), the third
// (6).
TEST(TimeRows, SortByFallingLengthAndKeepTheOrderOfEqualOnes) {
  const auto on = make_backend(Device{}, {.threads = 1});
  const Segments segments = make_segments(*on, {2, 4, 1, 2}), memory = make_segments(*on, {1, 2, 3, 4});
  const TimeRows rows = time_rows(*on, segments, memory);
  EXPECT_EQ(rows.counts, (std::vector<std::int64_t>{4, 3, 1, 1}));
  EXPECT_EQ(list(*on, rows.device_counts), (Doubles{4, 3, 1, 1}));
  EXPECT_EQ(rows.starts, (std::vector<std::int64_t>{0, 4, 7, 8}));
  EXPECT_EQ(list(*on, rows.sorted.taken), (Doubles{1, 0, 3, 2}));
  EXPECT_EQ(list(*on, rows.forwards.taken), (Doubles{2, 0, 7, 6, 3, 1, 8, 4, 5}));
  EXPECT_EQ(list(*on, rows.backwards.taken), (Doubles{5, 1, 8, 6, 4, 0, 7, 3, 2}));
  EXPECT_EQ(list(*on, rows.sentence.taken), (Doubles{1, 0, 3, 2, 1, 0, 3, 1, 1}));
  EXPECT_EQ(list(*on, rows.last.taken), (Doubles{5, 8, 3, 6}));
  // Four initial states lie above the rows of the steps.
  EXPECT_EQ(list(*on, rows.before.taken), (Doubles{0, 1, 2, 3, 4, 5, 6, 8, 11}));
  EXPECT_EQ(list(*on, rows.segments.position), (Doubles{0, 0, 0, 0, 1, 1, 1, 2, 3}));
  EXPECT_EQ(list(*on, rows.memory.first), (Doubles{1, 0, 6, 3}));
  EXPECT_EQ(list(*on, rows.memory.count), (Doubles{2, 1, 4, 3}));
  EXPECT_EQ(rows.batch_row(1, 2), 8);
}

TEST(TimeRows, NumbersSentencesAsTheUpdateDoes) {
  const auto on = make_backend(Device{}, {.threads = 1});
  Segments segments = make_segments(*on, {1, 2}, 7);
  segments.first_sentence = 7;
  EXPECT_EQ(list(*on, time_rows(*on, segments, segments).segments.sentence), (Doubles{8, 7, 8}));
}

TEST(TimeRows, UsesOffsetsInHostMemory) {
  const auto on = make_backend(Device{}, {.threads = 1});
  Segments segments = make_segments(*on, {1, 2});
  const std::int32_t offsets[] = {0, 1, 3};
  segments.host_offsets = offsets;
  segments.offsets = {};
  EXPECT_EQ(time_rows(*on, segments, segments).counts, (std::vector<std::int64_t>{2, 1}));
}

}  // namespace
}  // namespace dragoman::data
