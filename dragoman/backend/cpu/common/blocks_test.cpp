// Blocks are part of the bodies, which show nothing of themselves; so this test compiles them as a body of its own.
#define DRAGOMAN_CPU_BODY blocks_test
#include "dragoman/backend/cpu/products/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dragoman/backend/cpu/products/bf16.h"

namespace dragoman::cpu::blocks_test {
namespace {

// The blocks of a product without operands, in the order of their numbers.
template <class Operands>
std::vector<Extent> blocks_of(std::int64_t M, std::int64_t N, int threads, bool row_by_row) {
  const Blocks blocks(M, N, Operands::kUnit, Operands::kWidth, threads, row_by_row);
  const Product<float> product{.M = M, .N = N, .K = 1, .A = {}, .B = {}, .transposed_A = false, .transposed_B = false};
  std::vector<Extent> extents;
  for (std::int64_t i = 0; i < blocks.count(); ++i) extents.push_back(extent(product, blocks, i));
  return extents;
}

template <class Operands>
void expect_each_element_once(std::int64_t M, std::int64_t N, int threads, bool row_by_row) {
  std::vector<int> times(static_cast<std::size_t>(M * N));
  for (const Extent& e : blocks_of<Operands>(M, N, threads, row_by_row)) {
    EXPECT_EQ(e.top % Operands::kUnit, 0);
    EXPECT_EQ(e.left % Operands::kWidth, 0);
    EXPECT_GT(e.rows, 0);
    EXPECT_GT(e.cols, 0);
    EXPECT_LE(e.rows, kBlockRows);
    for (std::int64_t i = e.top; i < e.top + e.rows; ++i) {
      for (std::int64_t j = e.left; j < e.left + e.cols; ++j) ++times[static_cast<std::size_t>(i * N + j)];
    }
  }
  EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << M << " x " << N << ", " << threads;
}

TEST(Blocks, CoverEachElementOnce) {
  for (const std::int64_t M : {0, 1, 7, 8, 33, 100, 385, 1000}) {
    for (const std::int64_t N : {0, 1, 12, 49, 200}) {
      for (const int threads : {1, 2, 3, 8, 64}) {
        for (const bool row_by_row : {false, true}) {
          expect_each_element_once<FloatOperands<float>>(M, N, threads, row_by_row);
          expect_each_element_once<FloatOperands<double>>(M, N, threads, row_by_row);
          expect_each_element_once<Bf16Operands>(M, N, threads, row_by_row);
        }
      }
    }
  }
}

// The work of the thread that has most, in elements of C. A thread takes the blocks of its share, and then those of the
// threads after it, as ThreadTeam does.
std::int64_t most_work(const std::vector<Extent>& blocks, int threads) {
  const auto share = [&](int thread) { return static_cast<std::size_t>(thread) * blocks.size() / threads; };
  std::vector<std::size_t> next;
  for (int thread = 0; thread < threads; ++thread) next.push_back(share(thread));
  std::vector<std::int64_t> work(static_cast<std::size_t>(threads));
  for (std::size_t taken = 0; taken < blocks.size(); ++taken) {
    const auto least = std::ranges::min_element(work);
    auto owner = static_cast<int>(least - work.begin());
    while (next[owner] == share(owner + 1)) owner = (owner + 1) % threads;
    const Extent& e = blocks[next[owner]++];
    *least += e.rows * e.cols;
  }
  return std::ranges::max(work);
}

// Products like those of a base step. Blocks of a fixed height, with the rest in the last ones, would keep threads busy
// for 0.89 of the time in some of these products, even row by row. Column by column, a thread may have wider blocks
// than another.
TEST(Blocks, GiveAllThreadsTheSameWork) {
  for (const std::int64_t M : {512, 688, 2048}) {
    for (const std::int64_t N : {384, 512, 1536, 2048}) {
      for (const int threads : {2, 4, 8}) {
        for (const bool row_by_row : {false, true}) {
          const std::vector<Extent> blocks = blocks_of<FloatOperands<float>>(M, N, threads, row_by_row);
          EXPECT_TRUE(std::ranges::is_sorted(blocks, {}, row_by_row ? &Extent::top : &Extent::left));
          const double share = static_cast<double>(M * N) / threads;
          EXPECT_GT(share / static_cast<double>(most_work(blocks, threads)), row_by_row ? 0.93 : 0.88)
              << M << " x " << N << ", " << threads << " threads, row by row: " << row_by_row;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::cpu::blocks_test
