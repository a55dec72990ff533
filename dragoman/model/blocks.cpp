#include "dragoman/model/blocks.h"

#include <algorithm>
#include <map>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::model {
namespace {

constexpr const char* kEncoderName = "encoder";

Block block_of(const nn::AttentionSite& site) {
  return {.kind = BlockKind::kAttention, .site = site.name, .reads = site.is_cross() ? kEncoderName : ""};
}

// The layers of all sites with these queries. Layers of the same sites are one entry.
std::vector<BlockLayers> layers_of(const nn::AttentionSites& sites, nn::Side queries) {
  int count = 0;
  for (const nn::AttentionSite& site : sites) {
    if (site.queries == queries) count = std::max(count, site.layers);
  }
  std::vector<BlockLayers> layers;
  for (int layer = 0; layer < count; ++layer) {
    Blocks blocks;
    for (const nn::AttentionSite& site : sites) {
      if (site.queries == queries && layer < site.layers) blocks.push_back(block_of(site));
    }
    if (!layers.empty() && layers.back().blocks.size() == blocks.size())
      ++layers.back().count;
    else
      layers.push_back({.blocks = std::move(blocks)});
  }
  return layers;
}

// All blocks of a stack; those of its layers as often as they are computed.
template <class Visitor>
void each_block(const BlockStack& stack, const Visitor& visit) {
  for (const Block& block : stack.input) visit(block, 1);
  for (const BlockLayers& layers : stack.layers) {
    for (const Block& block : layers.blocks) visit(block, layers.count);
  }
  for (const Block& block : stack.output) visit(block, 1);
}

bool has_stack(const BlockStacks& stacks, const std::string& name) {
  return std::ranges::find(stacks, name, &BlockStack::name) != stacks.end();
}

std::string mistake_in_block(const Block& block, const BlockStacks& stacks, const nn::AttentionSites& sites) {
  const bool is_known = std::ranges::find(sites, block.site, &nn::AttentionSite::name) != sites.end();
  if (!block.site.empty() && !is_known) return join("there is no attention site '", block.site, "'");
  if (block.kind == BlockKind::kOther && block.title.empty()) return "a block of kind 'other' has no title";
  if (!block.reads.empty() && !has_stack(stacks, block.reads)) return join("there is no stack '", block.reads, "'");
  return "";
}

}  // namespace

BlockStacks default_blocks(const nn::AttentionSites& sites) {
  using enum BlockKind;
  BlockStack encoder{.name = kEncoderName, .tokens = nn::Side::kSource, .input = {{.kind = kEmbedding}}};
  BlockStack decoder{.name = "decoder", .tokens = nn::Side::kTarget, .input = {{.kind = kEmbedding}}};
  encoder.layers = layers_of(sites, nn::Side::kSource);
  decoder.layers = layers_of(sites, nn::Side::kTarget);
  if (encoder.layers.empty()) encoder.layers = {{.blocks = {{.kind = kOther, .title = "Encoder"}}}};
  if (decoder.layers.empty()) {
    decoder.layers = {{.blocks = {{.kind = kOther, .reads = kEncoderName, .title = "Decoder"}}}};
  }
  decoder.output = {{.kind = kLinear}, {.kind = kSoftmax}};
  return {encoder, decoder};
}

std::string mistake_in(const BlockStacks& stacks, const nn::AttentionSites& sites) {
  std::map<std::string, int> layers;  // of each site
  std::string mistake;
  for (const BlockStack& stack : stacks) {
    if (std::ranges::count(stacks, stack.name, &BlockStack::name) > 1) return join("two stacks are '", stack.name, "'");
    each_block(stack, [&](const Block& block, int count) {
      if (mistake.empty()) mistake = mistake_in_block(block, stacks, sites);
      if (!block.site.empty()) layers[block.site] += count;
    });
  }
  for (const nn::AttentionSite& site : sites) {
    if (!mistake.empty() || layers[site.name] == site.layers) continue;
    mistake = join("site '", site.name, "' has ", counted(site.layers, "layer"), ", but its blocks are computed ",
                   counted(layers[site.name], "time"));
  }
  return mistake;
}

}  // namespace dragoman::model
