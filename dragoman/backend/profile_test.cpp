#include <gtest/gtest.h>

#include <string>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/profile_table.h"

namespace dragoman {
namespace {

TEST(Profile, NamesTheLaunchesOfTheCpuAndCountsThem) {
  const auto on = make_backend(Device{}, {.threads = 2, .profile = true});
  Array A = on->empty({3, 5}, DType::kFloat32), B = on->empty({5, 4}, DType::kFloat32);
  Array C = on->empty({3, 4}, DType::kFloat32), sums = on->empty({4}, DType::kFloat32);
  on->fill(A, 1.0);
  on->fill(B, 1.0);
  on->matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C));
  on->sum_rows(C, Sink::overwrite(sums));
  const std::string table = on->profile();
  for (const char* line : {" 2 x fill\n", " 1 x packing for product [3, 4] over 5\n", " 1 x product [3, 4] over 5\n",
                           " 2 x sum_rows\n", " % busy ", " ms in total\n"}) {
    EXPECT_NE(table.find(line), std::string::npos) << line << "is not in\n" << table;
  }
  EXPECT_EQ(on->profile(), "     0.000 ms in total\n");
}

TEST(Profile, IsEmptyUnlessAskedFor) { EXPECT_EQ(make_backend(Device{}, {.threads = 1})->profile(), ""); }

TEST(Profile, ShowsTheLongestTimeFirst) {
  EXPECT_EQ(profile_table(
                {{"a", {.milliseconds = 1.5, .launches = 3}}, {"b", {.milliseconds = 20, .launches = 1, .busy = 0.5}}}),
            "    20.000 ms   50 % busy      1 x b\n"
            "     1.500 ms      3 x a\n"
            "    21.500 ms in total\n");
}

}  // namespace
}  // namespace dragoman
