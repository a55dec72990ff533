// The settings of the convolutional encoder-decoder of Gehring et al. (2017), "Convolutional Sequence to Sequence
// Learning". The defaults are the model for IWSLT of its authors' code.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/checked.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::model::convolutional {

// One convolutional layer.
struct LayerSize {
  int channels = 0;  // width of its output
  int kernel = 0;    // number of taps
  int dilation = 0;  // distance between neighbouring taps

  bool operator==(const LayerSize&) const = default;
};

// What is added to the embeddings: a learned vector for each position, or nothing.
enum class PositionsName { kLearned, kNone };
constexpr std::array<std::string_view, 2> names(PositionsName) { return {"learned", "none"}; }

// Numbers for the layers of a stack: one for all of them, or one for each, where 512x9 stands for 512 nine times.
using LayerNumbers = std::vector<std::string>;

struct ConvolutionalConfig {
  static constexpr std::string_view kArch = "conv";

  int N_enc = 4;
  int N_dec = 3;
  int E = 256;
  OptionalSize E_output = 0;  // 0: E; output_width() gives the width in use
  LayerNumbers encoder_channels{"256"};
  LayerNumbers decoder_channels{"256"};
  LayerNumbers encoder_kernels{"3"};
  LayerNumbers decoder_kernels{"3"};
  LayerNumbers encoder_dilations{"1"};
  LayerNumbers decoder_dilations{"1"};
  int V_source = 10000;
  int V_target = 10000;
  Tie tie = Tie::kNone;
  PositionsName positions = PositionsName::kLearned;
  int max_positions = 1024;
  float P_drop = 0.2f;
  bool slow_encoder = true;
  DecoderStart decoder_start = DecoderStart::kBos;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("encoder-layers", N_enc, "layers of the encoder");
    field("decoder-layers", N_dec, "layers of the decoder");
    field("embedding", E, "width of the embeddings and of attention");
    field("output-width", E_output, "width of the vectors that the output projection reads; by default embedding");
    field("encoder-channels", encoder_channels,
          "width of the encoder's layers: one number, or a list such as 512x9,1024x4");
    field("decoder-channels", decoder_channels, "width of the decoder's layers, in the same way");
    field("encoder-kernels", encoder_kernels, "taps of the encoder's convolutions, in the same way; odd numbers");
    field("decoder-kernels", decoder_kernels, "taps of the decoder's convolutions, in the same way");
    field("encoder-dilations", encoder_dilations, "distance between the taps of the encoder's layers, in the same way");
    field("decoder-dilations", decoder_dilations, "distance between the taps of the decoder's layers, in the same way");
    field("source-vocabulary", V_source, "rows of the source embedding");
    field("target-vocabulary", V_target, "rows of the target embedding and of the output projection");
    field("tie", tie, "which of source embedding, target embedding and output projection share one matrix");
    field("positions", positions, "position encodings");
    field("max-positions", max_positions, "rows of each learned position table");
    field("dropout", P_drop,
          "dropout of embeddings, of the input of every convolution, and before the output projection");
    field("slow-encoder", slow_encoder, "divide the gradient of the encoder's output by twice the decoder's layers");
    field("decoder-start", decoder_start, "the decoder's input before the first word");
  }

  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("layers", FieldPair{N_enc, N_dec}, "layers of the encoder and of the decoder");
    field("vocabulary", FieldPair{V_source, V_target}, "rows of the embeddings of both sides");
  }

  int width() const { return E; }
  int output_width() const { return E_output > 0 ? int{E_output} : E; }
  // The layers, the lowest first. They throw a UsageError if the lists do not fit the numbers of layers.
  std::vector<LayerSize> encoder() const;
  std::vector<LayerSize> decoder() const;

  // Throws a UsageError for invalid settings.
  void validate() const;
};

// ModelConfig calls these.
std::unique_ptr<Seq2Seq> make_model(const ConvolutionalConfig& config);
// Multiply-adds of one forward pass over a source sentence of n tokens and a target sentence of m tokens.
Checked multiply_adds(const ConvolutionalConfig& config, std::int64_t n, std::int64_t m);
// The main sizes in a few words, for people.
std::string describe(const ConvolutionalConfig& config);

}  // namespace dragoman::model::convolutional

namespace dragoman::model {
using convolutional::ConvolutionalConfig;
}  // namespace dragoman::model
