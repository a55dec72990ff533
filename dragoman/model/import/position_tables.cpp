#include "dragoman/model/import/position_tables.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "dragoman/nn/positions.h"

namespace dragoman::model {
namespace {

using Positions = foreign::Network::Positions;

// Programs compute the angle in float32, so that its error grows with the position. A table that was rounded to float16
// is none of ours: the network was used with these numbers.
bool are_sinusoids(const std::vector<float>& table, std::int64_t width, nn::Sinusoids layout, int first) {
  constexpr double kErrorOfAngle = 0x1p-22;
  const std::int64_t rows = std::ssize(table) / width;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t position = row + first;
    const double allowed = 1e-6 + kErrorOfAngle * static_cast<double>(position);
    for (std::int64_t channel = 0; channel < width; ++channel) {
      const double expected = nn::sinusoid(layout, position, channel, width);
      const double stored = table[static_cast<std::size_t>(row * width + channel)];
      if (!(std::abs(stored - expected) <= allowed)) return false;
    }
  }
  return true;
}

}  // namespace

void recognise_sinusoids(const foreign::Tensors& tensors, foreign::Network& network, std::string_view where) {
  if (network.positions != Positions::kTable || network.width % 2 != 0) return;
  constexpr int kMaxFirst = 2;
  constexpr std::array kKinds{std::pair{Positions::kHalf, nn::Sinusoids::kHalves},
                              std::pair{Positions::kT2T, nn::Sinusoids::kT2T},
                              std::pair{Positions::kPaper, nn::Sinusoids::kPaper}};
  for (const auto& [positions, layout] : kKinds) {
    for (int first = 0; first <= kMaxFirst; ++first) {
      bool are_all = true;
      for (const char* name : {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"}) {
        const std::vector<float> table = foreign::floats_of(foreign::tensor_named(tensors, name, where));
        are_all = are_all && are_sinusoids(table, network.width, layout, first);
      }
      if (!are_all) continue;
      network.positions = positions;
      network.first_position = first;
      network.table_rows = 0;
      return;
    }
  }
}

}  // namespace dragoman::model
