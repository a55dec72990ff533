#include "dragoman/nn/positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "dragoman/backend/testing.h"

namespace dragoman::nn {
namespace {

double paper(std::int64_t position, std::int64_t channel, std::int64_t d_model) {
  return sinusoid(Sinusoids::kPaper, position, channel, d_model);
}
double t2t(std::int64_t position, std::int64_t channel, std::int64_t d_model) {
  return sinusoid(Sinusoids::kT2T, position, channel, d_model);
}

constexpr double kSixDigits = 5.1e-7;

TEST(Sinusoids, PaperLayoutHasTheValuesOfItsFormulaFor512Channels) {
  const std::int64_t channels[] = {0, 1, 2, 3, 254, 255, 256, 257, 510, 511};
  const struct {
    std::int64_t position;
    double values[10];
  } rows[] = {
      {0, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
      {1, {.841471, .540302, .821856, .569695, .010366, .999946, .010000, .999950, .000104, 1.000000}},
      {2, {.909297, -.416147, .936415, -.350895, .020731, .999785, .019999, .999800, .000207, 1.000000}},
      {10, {-.544021, -.839072, -.220023, -.975495, .103478, .994632, .099833, .995004, .001037, .999999}},
      {100, {-.506366, .862319, .797542, -.603263, .860695, .509121, .841471, .540302, .010366, .999946}},
      {1000, {.826880, .562379, -.191485, -.981495, -.808472, -.588535, -.544021, -.839072, .103478, .994632}},
  };
  for (const auto& row : rows) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_NEAR(paper(row.position, channels[i], 512), row.values[i], kSixDigits)
          << "position " << row.position << ", channel " << channels[i];
    }
  }
}

TEST(Sinusoids, PaperLayoutHasTheValuesOfItsFormulaForAFewChannels) {
  const double four[] = {.141120, -.989992, .029996, .999550};
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(paper(3, c, 4), four[c], kSixDigits);
  const double eight[] = {.841471, .540302, .099833, .995004, .010000, .999950, .001000, 1.000000};
  for (int c = 0; c < 8; ++c) EXPECT_NEAR(paper(1, c, 8), eight[c], kSixDigits);
}

TEST(Sinusoids, Tensor2TensorLayoutHasSinesFirst) {
  const double eight[] = {.841471, .046399, .002154, .000100, .540302, .998923, .999998, 1.000000};
  for (int c = 0; c < 8; ++c) EXPECT_NEAR(t2t(1, c, 8), eight[c], kSixDigits);
  const std::pair<int, double> wide[] = {{0, .841471},   {1, .821779},   {2, .801805},   {254, .000104},
                                         {255, .000100}, {256, .540302}, {257, .569807}, {511, 1.000000}};
  for (const auto& [c, value] : wide) EXPECT_NEAR(t2t(1, c, 512), value, kSixDigits) << c;
}

TEST(Sinusoids, Tensor2TensorLayoutLeavesAnOddLastChannelZero) {
  EXPECT_EQ(t2t(5, 6, 7), 0);
  EXPECT_EQ(t2t(5, 2, 3), 0);
  EXPECT_NE(t2t(5, 1, 3), 0);
}

// The values of Transformers' MarianSinusoidalPositionalEmbedding.
TEST(Sinusoids, HalvesAreThePaperLayoutWithItsSinesFirst) {
  const double eight[] = {.841471, .099833, .010000, .001000, .540302, .995004, .999950, 1.000000};
  for (int c = 0; c < 8; ++c) EXPECT_NEAR(sinusoid(Sinusoids::kHalves, 1, c, 8), eight[c], kSixDigits);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(sinusoid(Sinusoids::kHalves, 77, i, 512), paper(77, 2 * i, 512));
    EXPECT_EQ(sinusoid(Sinusoids::kHalves, 77, 256 + i, 512), paper(77, 2 * i + 1, 512));
  }
}

TEST(Sinusoids, LongestWavelengthsAreThoseOfTheFormulas) {
  const double turn = 2 * std::acos(-1.0);
  EXPECT_NEAR(turn / std::asin(paper(1, 510, 512)), 60611.48, 0.01);
  EXPECT_NEAR(turn / std::asin(t2t(1, 255, 512)), 62831.85, 0.01);
}

// Section 3.5: "for any fixed offset k, PE(pos + k) can be represented as a linear function of PE(pos)".
TEST(Sinusoids, AShiftIsARotationThatDoesNotDependOnThePosition) {
  const int d_model = 16;
  for (const int k : {1, 5, 50}) {
    for (int c = 0; c < d_model; c += 2) {
      const double sine = paper(k, c, d_model), cosine = paper(k, c + 1, d_model);
      for (const int pos : {0, 3, 77, 1000}) {
        const double s = paper(pos, c, d_model), co = paper(pos, c + 1, d_model);
        EXPECT_NEAR(paper(pos + k, c, d_model), cosine * s + sine * co, 1e-12);
        EXPECT_NEAR(paper(pos + k, c + 1, d_model), -sine * s + cosine * co, 1e-12);
      }
    }
  }
  EXPECT_NEAR(paper(8, 0, 4), .989358, kSixDigits);
  EXPECT_NEAR(paper(8, 1, 4), -.145500, kSixDigits);
  EXPECT_NEAR(paper(8, 2, 4), .079915, kSixDigits);
  EXPECT_NEAR(paper(8, 3, 4), .996802, kSixDigits);
}

TEST(Sinusoids, DotProductsDependOnTheDistanceAlone) {
  const std::pair<int, double> by_distance[] = {{0, 256},        {1, 249.102098},  {2, 231.733620},
                                                {5, 189.596668}, {10, 173.789725}, {50, 131.090761}};
  for (const auto& [k, expected] : by_distance) {
    for (const int pos : {0, 7, 1234}) {
      double dot = 0;
      for (int c = 0; c < 512; ++c) dot += paper(pos, c, 512) * paper(pos + k, c, 512);
      EXPECT_NEAR(dot, expected, kSixDigits) << "distance " << k << " from " << pos;
    }
  }
}

class SinusoidTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  SinusoidTable table{Sinusoids::kPaper, 8};
};

TEST_F(SinusoidTableTest, RowPosHoldsTheEncodingOfPositionPos) {
  const Array rows = table.rows(*on, 3, DType::kFloat64).array();
  for (const int pos : {0, 1, 2}) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(rows.data<double>()[pos * 8 + c], paper(pos, c, 8));
  }
}

TEST_F(SinusoidTableTest, MayBeginAtAnotherPosition) {
  SinusoidTable from_two(Sinusoids::kT2T, 8, 2);
  const Array rows = from_two.rows(*on, 300, DType::kFloat64).array();  // more than are computed at once
  for (const int r : {0, 1, 299}) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(rows.data<double>()[r * 8 + c], t2t(r + 2, c, 8));
  }
  EXPECT_EQ(sinusoids(Sinusoids::kT2T, 1, 8, 2)[1], static_cast<float>(t2t(2, 1, 8)));
}

TEST_F(SinusoidTableTest, GrowsOnDemandAndOlderTablesStayValid) {
  const Array first = table.rows(*on, 10, DType::kFloat32).array();
  const Doubles before = values_of(*on, first);
  const Array grown = table.rows(*on, first.rows() + 1, DType::kFloat32).array();
  EXPECT_GT(grown.rows(), first.rows());
  EXPECT_EQ(values_of(*on, first), before);
  EXPECT_EQ(values_of(*on, grown.row_range(0, first.rows())), before);
  EXPECT_EQ(table.rows(*on, 100000, DType::kFloat32).rows(), 100000);
}

TEST_F(SinusoidTableTest, IsMadeOnce) {
  const std::int64_t made = HostReservation::count_made();
  const void* first = table.rows(*on, 100, DType::kFloat32).array().raw();
  EXPECT_EQ(table.rows(*on, 50, DType::kFloat32).array().raw(), first);
  EXPECT_EQ(HostReservation::count_made(), made + 1);
}

TEST_F(SinusoidTableTest, LeavesTheArenaAsItWas) {
  const std::size_t used = on->arena().used();
  table.rows(*on, 1000, DType::kFloat32);
  EXPECT_EQ(on->arena().used(), used);
}

}  // namespace
}  // namespace dragoman::nn
