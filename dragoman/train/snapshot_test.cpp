#include "dragoman/train/snapshot.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman::train {
namespace {

TEST(Snapshot, KeepsWhatTheArraysHeldWhenItWasTaken) {
  const auto on = make_backend({});
  Array matrix = make_array(*on, {2, 3}, DType::kFloat32, {1, 2, 3, 4, 5, 6});
  Array vector = make_array(*on, {2}, DType::kFloat32, {7, 8});
  Snapshot snapshot(*on, {matrix, vector});
  on->fill(vector, 9);
  snapshot.take();
  on->fill(matrix, 0);
  on->fill(vector, 0);
  EXPECT_EQ(values_of(snapshot.reader(), snapshot.copy_of(matrix.columns(1, 2))), (Doubles{2, 3, 5, 6}));
  EXPECT_EQ(values_of(snapshot.reader(), snapshot.copy_of(vector)), (Doubles{9, 9}));
  const Array other = make_array(*on, {2}, DType::kFloat32, {1, 2});
  EXPECT_THROW(snapshot.copy_of(other), ShapeError);
}

}  // namespace
}  // namespace dragoman::train
