#include "dragoman/model/blocks.h"

#include <gtest/gtest.h>

namespace dragoman::model {
namespace {

using enum BlockKind;

nn::AttentionSite named_site(const char* name, nn::Side queries, nn::Side keys, int layers) {
  return {.name = name, .queries = queries, .keys = keys, .layers = layers, .heads = 1};
}

const nn::AttentionSites kThreeSites{named_site("self", nn::Side::kSource, nn::Side::kSource, 2),
                                     named_site("past", nn::Side::kTarget, nn::Side::kTarget, 3),
                                     named_site("memory", nn::Side::kTarget, nn::Side::kSource, 1)};

TEST(DefaultBlocks, HaveABlockForEachSite) {
  const BlockStacks stacks = default_blocks(kThreeSites);
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[0].layers.size(), 1u);
  EXPECT_EQ(stacks[0].layers[0].count, 2);
  EXPECT_EQ(stacks[0].layers[0].blocks[0].site, "self");
  // The first layer of the decoder has both sites, the other two only the first one.
  ASSERT_EQ(stacks[1].layers.size(), 2u);
  EXPECT_EQ(stacks[1].layers[0].blocks[1].site, "memory");
  EXPECT_EQ(stacks[1].layers[0].blocks[1].reads, "encoder");
  EXPECT_EQ(stacks[1].layers[1].count, 2);
  EXPECT_EQ(stacks[1].layers[1].blocks.size(), 1u);
  EXPECT_EQ(stacks[1].output.back().kind, kSoftmax);
  EXPECT_EQ(mistake_in(stacks, kThreeSites), "");
}

TEST(DefaultBlocks, ShowAModelWithoutAttentionAsTwoBlocks) {
  const BlockStacks stacks = default_blocks({});
  EXPECT_EQ(stacks[0].layers[0].blocks[0].title, "Encoder");
  EXPECT_EQ(stacks[1].layers[0].blocks[0].reads, "encoder");
  EXPECT_EQ(mistake_in(stacks, {}), "");
}

TEST(BlockMistakes, AreFound) {
  const auto mistake = [](const Block& block, int count) {
    const nn::AttentionSites one{kThreeSites[1]};
    return mistake_in({{.name = "decoder", .layers = {{.blocks = {block}, .count = count}}}}, one);
  };
  EXPECT_EQ(mistake({.kind = kAttention, .site = "past"}, 3), "");
  EXPECT_EQ(mistake({.kind = kAttention, .site = "past"}, 1),
            "site 'past' has 3 layers, but its blocks are computed 1 time");
  EXPECT_EQ(mistake({.kind = kAttention, .site = "memory"}, 3), "there is no attention site 'memory'");
  EXPECT_EQ(mistake({.kind = kAttention, .site = "past", .reads = "encoder"}, 3), "there is no stack 'encoder'");
  EXPECT_EQ(mistake({.kind = kOther, .site = "past"}, 3), "a block of kind 'other' has no title");
  EXPECT_EQ(mistake_in({{.name = "a"}, {.name = "a"}}, {}), "two stacks are 'a'");
}

}  // namespace
}  // namespace dragoman::model
