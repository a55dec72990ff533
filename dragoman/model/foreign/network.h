// What the configuration of another program's model says about its network, in terms that all of them share. Reading it
// refuses what would be ignored otherwise: a setting that changes the results and has no place here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dragoman/model/config.h"
#include "dragoman/model/foreign/ctranslate2.h"
#include "dragoman/model/foreign/pickle.h"

namespace dragoman::model::foreign {

struct Network {
  enum class Activation : std::uint8_t { kRelu, kSilu, kGelu, kGeluTanh, kGeluSigmoid };
  // kPaper: sine and cosine in alternating channels. kHalf: the paper's frequencies, sines in the first half and
  // cosines in the second. kT2T: the same with the frequencies of tensor2tensor. kTable: a table in the file.
  enum class Positions : std::uint8_t { kPaper, kHalf, kT2T, kTable, kNone };

  int width = 0;
  int encoder_layers = 0, decoder_layers = 0;
  int encoder_heads = 0, decoder_heads = 0;
  int encoder_inner = 0, decoder_inner = 0;          // the inner widths of the feed-forward sub-layers
  int source_vocabulary = 0, target_vocabulary = 0;  // 0 if the configuration does not say
  Activation activation = Activation::kRelu;
  Positions positions = Positions::kT2T;
  int first_position = 0;
  int table_rows = 0;  // of a table of positions; the encoder and the decoder have one each
  bool pre_norm = false;
  bool scaled_embeddings = true;  // by the square root of the width
  bool attention_bias = true;
  bool output_bias = false;
  float layer_norm_epsilon = 1e-5f;
  Tie tie = Tie::kThreeWay;
  DecoderStart start = DecoderStart::kEos;
};

// From the config.json of MarianMT or M2M100 in Transformers. These functions throw an Error that begins with `where`
// and names the key if the network cannot be described.
Network marian_network(std::string_view config_json, std::string_view where);
Network m2m100_network(std::string_view config_json, std::string_view where);
Network ctranslate2_network(const CTranslate2File& file, const CTranslate2Config& config, std::string_view where);
// From the settings in a checkpoint of fairseq, which is what TorchFile::object() holds.
Network fairseq_network(const Pickle& checkpoint, std::string_view where);
// Another setting in it that is a text, such as "source_lang"; empty if it has none.
std::string fairseq_setting(const Pickle& checkpoint, std::string_view key, std::string_view where);

// How CTranslate2 and Transformers call an activation.
std::int8_t ctranslate2_activation(Network::Activation activation);
std::string_view transformers_activation(Network::Activation activation);

}  // namespace dragoman::model::foreign
