#include "dragoman/backend/cpu/common/amx_tiles.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::cpu::amx {
namespace {

// What the instructions do, as Intel's manual describes them. A tile that was not configured, or whose sizes do not fit
// an instruction, is an error, as on the processor.
class ModelTiles {
 public:
  void configure(const TileConfig& config) {
    EXPECT_EQ(config.palette, 1);
    for (int tile = 0; tile < 8; ++tile) {
      EXPECT_LE(config.rows[tile], 16);
      EXPECT_LE(config.row_bytes[tile], 64);
      EXPECT_EQ(config.rows[tile] == 0, config.row_bytes[tile] == 0) << "tile " << tile;
    }
    config_ = config;
    std::memset(tiles_, 0, sizeof tiles_);
  }
  template <int Tile>
  void clear() {
    EXPECT_GT(config_.rows[Tile], 0);
    std::memset(tiles_[Tile], 0, sizeof tiles_[Tile]);
  }
  template <int Tile>
  void load(const void* from, std::int64_t stride) {
    clear<Tile>();
    for (int r = 0; r < config_.rows[Tile]; ++r) {
      std::memcpy(tiles_[Tile][r], static_cast<const char*>(from) + r * stride, config_.row_bytes[Tile]);
    }
  }
  template <int Tile>
  void store(void* to, std::int64_t stride) {
    EXPECT_GT(config_.rows[Tile], 0);
    for (int r = 0; r < config_.rows[Tile]; ++r) {
      std::memcpy(static_cast<char*>(to) + r * stride, tiles_[Tile][r], config_.row_bytes[Tile]);
    }
  }
  // TDPBSSD: C[m][n] += the sum over k of A[m][4 k + j] * B[k][4 n + j] for j = 0 to 3, all signed.
  template <int C, int A, int B>
  void multiply() {
    EXPECT_EQ(config_.rows[C], config_.rows[A]);
    EXPECT_EQ(config_.row_bytes[C], config_.row_bytes[B]);
    EXPECT_EQ(config_.row_bytes[A], config_.rows[B] * 4);
    for (int m = 0; m < config_.rows[C]; ++m) {
      for (int n = 0; n < config_.row_bytes[C] / 4; ++n) {
        std::int32_t sum;
        std::memcpy(&sum, tiles_[C][m] + n * 4, 4);
        for (int k = 0; k < config_.rows[B]; ++k) {
          for (int j = 0; j < 4; ++j) sum += tiles_[A][m][4 * k + j] * tiles_[B][k][4 * n + j];
        }
        std::memcpy(tiles_[C][m] + n * 4, &sum, 4);
      }
    }
  }

 private:
  TileConfig config_{.palette = 0};
  std::int8_t tiles_[8][16][64] = {};
};

// Plain matrices X [height, K] and W [K, 32], packed as the product packs them, with zeros after K.
struct Operands {
  Operands(std::int64_t height_, std::int64_t K_)
      : height(height_),
        K(K_),
        rows(static_cast<std::size_t>(height_ * kInt8OnX86.depth(K_))),
        columns(static_cast<std::size_t>(kInt8OnX86.cols * kInt8OnX86.depth(K_))) {
    RandomStream random(3);
    const auto byte = [&] { return static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127); };
    for (std::int64_t k = 0; k < K; ++k) {
      for (std::int64_t i = 0; i < height; ++i) rows[place_of_row(i, k)] = byte();
      for (std::int64_t c = 0; c < kInt8OnX86.cols; ++c) columns[place_of_column(k, c)] = byte();
    }
  }
  std::size_t place_of_row(std::int64_t i, std::int64_t k) const {
    return static_cast<std::size_t>(kInt8OnX86.in_rows(kInt8OnX86.depth(K), height, i, k));
  }
  static std::size_t place_of_column(std::int64_t k, std::int64_t c) {
    return static_cast<std::size_t>(kInt8OnX86.in_columns(k, c));
  }
  std::vector<std::int32_t> product() const {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t c = 0; c < kInt8OnX86.cols; ++c) {
        std::int32_t sum = 0;
        for (std::int64_t k = 0; k < K; ++k) sum += rows[place_of_row(i, k)] * columns[place_of_column(k, c)];
        all.push_back(sum);
      }
    }
    return all;
  }

  std::int64_t height, K;
  std::vector<std::int8_t> rows, columns;
};

TEST(AmxTiles, GiveTheExactProductOfPackedPanels) {
  for (const std::int64_t K : {0, 1, 63, 64, 65, 512, 513, 1100}) {
    for (const std::int64_t height : {1, 5, 15, 16, 17, 31, 32, 33, 48, 49, 64}) {
      const Operands operands(height, K);
      std::vector<std::int32_t> products(static_cast<std::size_t>(height * kInt8OnX86.cols), -1);
      ModelTiles tiles;
      multiply(tiles, kInt8OnX86.depth(K), height, operands.rows.data(), operands.columns.data(), products.data());
      EXPECT_EQ(products, operands.product()) << height << " rows, K = " << K;
    }
  }
}

TEST(AmxTiles, NeverTouchRowsThatAreNotThere) {
  const Operands operands(19, 64);
  std::vector<std::int32_t> products(static_cast<std::size_t>(32 * kInt8OnX86.cols), -1);
  ModelTiles tiles;
  multiply(tiles, 64, 19, operands.rows.data(), operands.columns.data(), products.data());
  for (std::size_t i = 19 * 32; i < products.size(); ++i) EXPECT_EQ(products[i], -1);
}

}  // namespace
}  // namespace dragoman::cpu::amx
