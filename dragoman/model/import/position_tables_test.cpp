#include "dragoman/model/import/position_tables.h"

#include <gtest/gtest.h>

#include <utility>

#include "dragoman/model/foreign/writers_testing.h"
#include "dragoman/nn/positions.h"

namespace dragoman::model {
namespace {

using Positions = foreign::Network::Positions;

constexpr int kWidth = 8, kRows = 50;

foreign::Network network_with_tables() {
  return {.width = kWidth, .positions = Positions::kTable, .table_rows = kRows};
}

foreign::Tensors tables_of(const std::vector<float>& encoder, const std::vector<float>& decoder) {
  const auto table = [](const std::vector<float>& values) {
    return foreign::dense_tensor(foreign::Element::kF32, {kRows, kWidth},
                                 foreign::memory_bytes(foreign::bytes_of(values), "x"), 0, "x");
  };
  return {{"encoder/position_encodings/encodings", table(encoder)},
          {"decoder/position_encodings/encodings", table(decoder)}};
}

TEST(PositionTables, OfSinusoidsAreRecognised) {
  for (const auto& [positions, layout] :
       {std::pair{Positions::kHalf, nn::Sinusoids::kHalves}, std::pair{Positions::kT2T, nn::Sinusoids::kT2T},
        std::pair{Positions::kPaper, nn::Sinusoids::kPaper}}) {
    for (int first = 0; first <= 2; ++first) {
      const auto table = nn::sinusoids(layout, kRows, kWidth, first);
      foreign::Network network = network_with_tables();
      recognise_sinusoids(tables_of(table, table), network, "x");
      EXPECT_EQ(network.positions, positions);
      EXPECT_EQ(network.first_position, first);
    }
  }
}

TEST(PositionTables, OfOtherNumbersStayTables) {
  const auto table = nn::sinusoids(nn::Sinusoids::kHalves, kRows, kWidth);
  std::vector<float> changed = table;
  changed.back() += 1e-3f;
  foreign::Network network = network_with_tables();
  recognise_sinusoids(tables_of(table, changed), network, "x");
  EXPECT_EQ(network.positions, Positions::kTable);
  EXPECT_EQ(network.table_rows, kRows);
}

}  // namespace
}  // namespace dragoman::model
