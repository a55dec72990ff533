#include "dragoman/backend/cpu/common/amx_tiles.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "dragoman/backend/cpu/common/bf16_kernels.h"
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

 protected:
  // Calls add(m, n, k) for each element C[m][n] and each k, where A[m] and B[k] have four bytes for each k and n.
  template <int C, int A, int B, class Add>
  void for_elements(const Add& add) {
    EXPECT_EQ(config_.rows[C], config_.rows[A]);
    EXPECT_EQ(config_.row_bytes[C], config_.row_bytes[B]);
    EXPECT_EQ(config_.row_bytes[A], config_.rows[B] * 4);
    for (int m = 0; m < config_.rows[C]; ++m) {
      for (int n = 0; n < config_.row_bytes[C] / 4; ++n) {
        for (int k = 0; k < config_.rows[B]; ++k) add(m, n, k);
      }
    }
  }
  // Element i of a row, as a number of type T.
  template <class T>
  T at(int tile, int row, int i) const {
    T value;
    std::memcpy(&value, tiles_[tile][row] + i * sizeof(T), sizeof value);
    return value;
  }
  template <class T>
  void add(int tile, int row, int i, T value) {
    value += at<T>(tile, row, i);
    std::memcpy(tiles_[tile][row] + i * sizeof(T), &value, sizeof value);
  }

 private:
  TileConfig config_{.palette = 0};
  char tiles_[8][16][64] = {};
};

// TDPBSSD: C[m][n] += the sum over k of A[m][4 k + j] * B[k][4 n + j] for j = 0 to 3, all signed bytes.
struct Int8ModelTiles : ModelTiles {
  template <int C, int A, int B>
  void multiply() {
    for_elements<C, A, B>([&](int m, int n, int k) {
      for (int j = 0; j < 4; ++j) {
        add<std::int32_t>(C, m, n, at<std::int8_t>(A, m, 4 * k + j) * at<std::int8_t>(B, k, 4 * n + j));
      }
    });
  }
};

// TDPBF16PS: C[m][n] += the sum over k of A[m][2 k + j] * B[k][2 n + j] for j = 0 and 1. The model adds one product
// after the other, the processor adds those of even and of odd j first: the test has sums that are exact in any order.
struct Bf16ModelTiles : ModelTiles {
  template <int C, int A, int B>
  void multiply() {
    for_elements<C, A, B>([&](int m, int n, int k) {
      for (int j = 0; j < 2; ++j) add(C, m, n, number(A, m, 2 * k + j) * number(B, k, 2 * n + j));
    });
  }
  float number(int tile, int row, int i) const {
    return std::bit_cast<float>(std::uint32_t{at<std::uint16_t>(tile, row, i)} << 16);
  }
};

std::int8_t as_int8(int value) { return static_cast<std::int8_t>(value); }
std::uint16_t as_bf16(int value) { return bf16_bits(static_cast<float>(value)); }

// The product of matrices of small integers, X [height, K] and W [K, 32], by tiles of type Tiles, and by the
// definition. The operands have elements of type Bits and are packed as products pack them, with zeros after K; sums
// are of type Sum.
template <class Tiles, class Bits, class Sum>
struct Case {
  Case(const PanelLayout& layout, std::int64_t height, std::int64_t K, Bits (*to_bits)(int)) {
    RandomStream random(3);
    const auto number = [&] { return static_cast<int>(random.below(255)) - 127; };
    const std::int64_t depth = layout.depth(K);
    std::vector<Bits> rows(static_cast<std::size_t>(height * depth)), columns(static_cast<std::size_t>(32 * depth));
    std::vector<int> X(static_cast<std::size_t>(height * K)), W(static_cast<std::size_t>(K * 32));
    for (int& x : X) x = number();
    for (int& w : W) w = number();
    const auto put = [&](std::vector<Bits>& to, std::int64_t place, int value) {
      to[static_cast<std::size_t>(place)] = to_bits(value);
    };
    for (std::int64_t k = 0; k < K; ++k) {
      for (std::int64_t i = 0; i < height; ++i) {
        put(rows, layout.in_rows(depth, height, i, k), X[static_cast<std::size_t>(i * K + k)]);
      }
      for (std::int64_t c = 0; c < 32; ++c)
        put(columns, layout.in_columns(k, c), W[static_cast<std::size_t>(k * 32 + c)]);
    }
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t c = 0; c < 32; ++c) {
        int sum = 0;
        for (std::int64_t k = 0; k < K; ++k) {
          sum += X[static_cast<std::size_t>(i * K + k)] * W[static_cast<std::size_t>(k * 32 + c)];
        }
        expected.push_back(static_cast<Sum>(sum));
      }
    }
    // One row more than the product has, which must stay as it is.
    products.resize(static_cast<std::size_t>((height + 1) * 32), Sum{-1});
    expected.resize(products.size(), Sum{-1});
    Tiles tiles;
    multiply(tiles,
             {depth * static_cast<std::int64_t>(sizeof(Bits)), height, reinterpret_cast<const char*>(rows.data()),
              reinterpret_cast<const char*>(columns.data()), reinterpret_cast<char*>(products.data()), kColumnBytes,
              layout.together > 1},
             false);
  }
  std::vector<Sum> products, expected;
};

TEST(AmxTiles, GiveTheExactProductOfPackedPanels) {
  for (const std::int64_t K : {0, 1, 31, 33, 63, 64, 65, 256, 513, 1000}) {
    for (const std::int64_t height : {1, 5, 15, 16, 17, 31, 32, 33, 48, 49, 64, 128}) {
      const Case<Int8ModelTiles, std::int8_t, std::int32_t> int8(kInt8OnX86, height, K, as_int8);
      EXPECT_EQ(int8.products, int8.expected) << "int8, " << height << " rows, K = " << K;
      const Case<Bf16ModelTiles, std::uint16_t, float> bf16(kBf16OnX86, height, K, as_bf16);
      EXPECT_EQ(bf16.products, bf16.expected) << "bf16, " << height << " rows, K = " << K;
    }
  }
}

}  // namespace
}  // namespace dragoman::cpu::amx
