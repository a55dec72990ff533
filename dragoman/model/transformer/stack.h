// The stack of N identical layers (Section 3.1 of the paper) of the encoder or of the decoder.
#pragma once

#include <optional>
#include <vector>

#include "dragoman/model/transformer/config.h"
#include "dragoman/model/transformer/residual.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/feed_forward.h"

namespace dragoman::model::transformer {

// Indices into Transformer::sites(), the list of the Transformer's attention sites.
enum Site : int { kEncoderSite, kDecoderSite, kCrossSite };

// The two sub-layers of an encoder layer, or the three of a decoder layer, each with its normalisation.
struct Layer {
  nn::SelfAttention self;
  std::optional<nn::CrossAttention> cross;  // encoder-decoder attention; only in a decoder
  nn::FeedForward ffn;
  std::vector<StackNorm> norms;  // one for each sub-layer

  void parameters(params::ParameterVisitor& visit);
};

// What a stack computes: its output y, and x, the sum of all sub-layers. With pre-norm y is LayerNorm(x); with
// post-norm they are the same.
struct StackOutput {
  Tensor x, y;
};

struct Stack {
  enum class Kind : std::uint8_t { kEncoder, kDecoder };
  // The sentence that a stack reads.
  static nn::Side side_of(Kind kind) { return kind == Kind::kDecoder ? nn::Side::kTarget : nn::Side::kSource; }

  Kind kind = Kind::kEncoder;
  std::vector<Layer> layers;
  StackNorm ln;  // after the last layer; only with pre-norm
  Norm norm = Norm::kPost;
  double P_drop = 0.1;
  Mask mask;  // of the self-attention

  Stack(const TransformerConfig& config, Kind kind_);

  // Runs the layers one after the other. The sub-layers of a layer are self-attention, encoder-decoder attention (only
  // in a decoder) and feed-forward, each followed by Add & Norm. The caller provides the two attentions,
  // self(layer, number, y) and cross(layer, number, y), because they differ between whole sentences and decoding steps.
  // With free_layers, each layer's memory is freed before the next one runs, unless a backward pass needs it.
  template <class Self, class Cross>
  StackOutput run(const Tensor& embedded, const Segments& segments, nn::Pass& pass, bool free_layers, const Self& self,
                  const Cross& cross) const {
    const AddNorm rule = add_norm();
    Residual residual(embedded, rule, segments, pass);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const Layer& layer = layers[l];
      const auto sub_layers = [&] {
        const auto add = [&](const Tensor& a, const nn::SubLayer& where) {
          residual.add(a, where.at_depth(pass.depth));
        };
        add(self(layer, l, residual.y()), place(l, layer.self.multi_head.site));
        if (layer.cross) add(cross(layer, l, residual.y()), place(l, layer.cross->multi_head.site));
        add(layer.ffn(residual.y(), segments, pass), layer.ffn.where);
      };
      free_layers ? residual.run_and_free(sub_layers) : sub_layers();
      show_state(l, residual, segments, pass);
    }
    return {residual.x(), residual.y()};
  }

  void layer_parameters(params::ParameterVisitor& visit);
  void norm_parameters(params::ParameterVisitor& visit);

 private:
  AddNorm add_norm() const;
  nn::SubLayer place(std::size_t layer, int site) const { return {side_of(kind), static_cast<int>(layer), site}; }
  // Shows the observer, if it wants that, what the stack would return if layer l were its last.
  void show_state(std::size_t l, const Residual& residual, const Segments& segments, const nn::Pass& pass) const;
};

// The sizes of the attentions of a stack; those of the decoder serve its self-attention and its encoder-decoder
// attention.
nn::AttentionSizes attention_sizes(const TransformerConfig& config, Stack::Kind kind);

}  // namespace dragoman::model::transformer
