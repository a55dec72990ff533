// The blocks of a model, as Figure 1 of the paper draws them: stacks side by side, each with its input at the bottom,
// its layers above it and its output on top. A model declares its blocks once; the attention page draws the model and
// its computation from this list and knows nothing else about it.
//
// Examples of how architectures differ:
//   post-norm layer             attention, add-norm, feed-forward, add-norm
//   pre-norm layer              norm, attention, add, norm, feed-forward, add; one more norm in the stack's output
//   recurrent network           a recurrent block, with an attention block that reads the encoder
//   convolutional network       convolution, attention, add
//   layer repeated in depth     layers with shared = true
//   encoder or decoder alone    one stack
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/nn/sites.h"

namespace dragoman::model {

enum class BlockKind : std::uint8_t {
  kEmbedding,
  kPositions,  // adds position encodings
  kAttention,
  kFeedForward,
  kNorm,
  kAdd,      // adds what left the last kAdd or kAddNorm of the stack, or what entered its first layer: a residual
  kAddNorm,  // the same, followed by a norm
  kRecurrent,
  kBidirectional,  // two recurrent networks, which read the tokens forwards and backwards
  kConvolution,
  kReadout,  // makes the vector that the output projection reads
  kLinear,
  kSoftmax,  // gives the probabilities of the next word
  kOther,
};
constexpr std::array<std::string_view, 14> names(BlockKind) {
  return {"embedding", "positions",     "attention",   "feed-forward", "norm",   "add",     "add-norm",
          "recurrent", "bidirectional", "convolution", "readout",      "linear", "softmax", "other"};
}

struct Block {
  BlockKind kind = BlockKind::kOther;
  std::string site = {};   // of attention: the name of its site
  std::string reads = {};  // the stack whose output it reads besides its own input; optional
  std::string title = {};  // replaces the usual name of this kind of block; kOther needs it
  std::string about = {};  // replaces the usual sentence on what this kind of block does
};
using Blocks = std::vector<Block>;

// `count` layers of the same blocks, one above the other. If the i-th layer of a stack that has a block of some
// attention site is counted from 0, it is layer i of that site.
struct BlockLayers {
  Blocks blocks;
  int count = 1;
  bool shared = false;  // whether all of them have the same weights
};

struct BlockStack {
  std::string name;                     // "encoder"
  nn::Side tokens = nn::Side::kSource;  // what it reads: the source at once, or the translation word by word
  Blocks input = {};
  std::vector<BlockLayers> layers = {};  // the lowest first
  Blocks output = {};
};
using BlockStacks = std::vector<BlockStack>;

// The blocks of a model that declares none: a stack for each side, with an attention block for each site.
BlockStacks default_blocks(const nn::AttentionSites& sites);

// What is wrong with a declaration, as a sentence; empty if nothing is. Names must be unique and refer to what exists,
// and each site must occur in as many layers as it has.
std::string mistake_in(const BlockStacks& stacks, const nn::AttentionSites& sites);

}  // namespace dragoman::model
