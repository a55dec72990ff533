#include "dragoman/model/foreign/network.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;

// The sizes that MarianMT and M2M100 name alike.
Json transformers_config(const std::string& kind) {
  return {{"model_type", kind},
          {"d_model", 64},
          {"encoder_layers", 3},
          {"decoder_layers", 2},
          {"encoder_attention_heads", 4},
          {"decoder_attention_heads", 8},
          {"encoder_ffn_dim", 128},
          {"decoder_ffn_dim", 96},
          {"vocab_size", 100},
          {"activation_function", "swish"}};
}

TEST(Network, OfMarianHasItsSizesAndDefaults) {
  Json json = transformers_config("marian");
  const Network network = marian_network(json.dump(), "config.json");
  EXPECT_EQ(network.width, 64);
  EXPECT_EQ(network.encoder_layers, 3);
  EXPECT_EQ(network.decoder_heads, 8);
  EXPECT_EQ(network.decoder_inner, 96);
  EXPECT_EQ(network.target_vocabulary, 100);
  EXPECT_EQ(network.activation, Network::Activation::kSilu);
  EXPECT_EQ(network.positions, Network::Positions::kHalf);
  EXPECT_FALSE(network.pre_norm);
  EXPECT_FALSE(network.scaled_embeddings);
  EXPECT_TRUE(network.output_bias);
  EXPECT_EQ(network.tie, Tie::kThreeWay);
  EXPECT_EQ(network.start, DecoderStart::kZeroVector);
  json["scale_embedding"] = true;
  json["share_encoder_decoder_embeddings"] = false;
  json["decoder_vocab_size"] = 90;
  const Network separate = marian_network(json.dump(), "config.json");
  EXPECT_TRUE(separate.scaled_embeddings);
  EXPECT_EQ(separate.tie, Tie::kDecoder);
  EXPECT_EQ(separate.target_vocabulary, 90);
}

TEST(Network, OfM2M100IsPreNorm) {
  const Network network = m2m100_network(transformers_config("m2m_100").dump(), "config.json");
  EXPECT_TRUE(network.pre_norm);
  EXPECT_TRUE(network.scaled_embeddings);
  EXPECT_FALSE(network.output_bias);
  EXPECT_EQ(network.positions, Network::Positions::kT2T);
  EXPECT_EQ(network.first_position, 2);
  EXPECT_EQ(network.start, DecoderStart::kEos);
}

TEST(Network, NamesTheKeyThatItCannotFollow) {
  const auto message = [](const std::string& key, const Json& value) {
    Json json = transformers_config("marian");
    json[key] = value;
    return error_message_of([&] { marian_network(json.dump(), "config.json"); });
  };
  EXPECT_NE(message("activation_function", "tanh").find("activation_function"), std::string::npos);
  EXPECT_NE(message("normalize_before", true).find("normalize_before"), std::string::npos);
  EXPECT_NE(message("d_model", 0).find("d_model"), std::string::npos);
  EXPECT_NE(message("encoder_layers", "six").find("encoder_layers"), std::string::npos);
  EXPECT_NE(message("model_type", "bart").find("bart"), std::string::npos);
  EXPECT_NE(message("decoder_attention_heads", 7).find("heads"), std::string::npos);
}

// The variables of one layer a side, of width 2.
std::vector<SavedVariable> small_network() {
  const std::string row = bytes_of(std::vector<float>{1, 2}), matrix = row + row;
  const auto flag = [](const std::string& name, char value) { return SavedVariable{name, 1, {}, {value}}; };
  return {{"encoder/embeddings_0/weight", 0, {2, 2}, matrix},
          {"decoder/embeddings/weight", 0, {2, 2}, matrix},
          {"encoder/layer_0/self_attention/linear_0/weight", 0, {6, 2}, matrix + matrix + matrix},
          {"decoder/layer_0/self_attention/linear_0/weight", 0, {6, 2}, matrix + matrix + matrix},
          {"encoder/layer_0/ffn/linear_0/weight", 0, {4, 2}, matrix + matrix},
          {"decoder/layer_0/ffn/linear_0/weight", 0, {2, 2}, matrix},
          {"decoder/projection/bias", 0, {2}, row},
          flag("encoder/num_heads", 2),
          flag("decoder/num_heads", 1),
          flag("encoder/pre_norm", 0),
          flag("decoder/pre_norm", 0),
          flag("encoder/activation", 2),
          flag("decoder/activation", 2),
          flag("decoder/start_from_zero_embedding", 1)};
}

Network network_of(const std::vector<SavedVariable>& variables) {
  const std::string bytes = ctranslate2_of(6, variables, {{"decoder/projection/weight", "decoder/embeddings/weight"}});
  return ctranslate2_network(read_ctranslate2(memory_bytes(bytes, "model.bin")), {}, "model.bin");
}

TEST(Network, OfCTranslate2IsReadFromItsVariables) {
  const Network network = network_of(small_network());
  EXPECT_EQ(network.width, 2);
  EXPECT_EQ(network.encoder_layers, 1);
  EXPECT_EQ(network.encoder_heads, 2);
  EXPECT_EQ(network.decoder_heads, 1);
  EXPECT_EQ(network.encoder_inner, 4);
  EXPECT_EQ(network.decoder_inner, 2);
  EXPECT_EQ(network.activation, Network::Activation::kSilu);
  EXPECT_EQ(network.first_position, 1);
  EXPECT_FALSE(network.pre_norm);
  EXPECT_TRUE(network.scaled_embeddings);
  EXPECT_FALSE(network.attention_bias);
  EXPECT_TRUE(network.output_bias);
  EXPECT_EQ(network.tie, Tie::kDecoder);
  EXPECT_EQ(network.start, DecoderStart::kZeroVector);
}

TEST(Network, OfCTranslate2HasAFlagOrAFactorForEmbeddings) {
  const auto scaled = [](std::uint8_t kind, const std::string& number) {
    std::vector<SavedVariable> variables = small_network();
    for (const std::string side : {"encoder", "decoder"}) {
      variables.push_back({side + "/scale_embeddings", kind, {}, number});
    }
    return network_of(variables).scaled_embeddings;
  };
  EXPECT_TRUE(scaled(1, std::string(1, '\1')));
  EXPECT_FALSE(scaled(1, std::string(1, '\0')));
  EXPECT_TRUE(scaled(0, bytes_of(1.41421356f)));
  EXPECT_FALSE(scaled(0, bytes_of(1.0f)));
  EXPECT_THROW(scaled(0, bytes_of(3.0f)), Error);
}

TEST(Network, OfCTranslate2MayHaveTablesOfPositions) {
  std::vector<SavedVariable> variables = small_network();
  const std::string table = bytes_of(std::vector<float>(6, 0.5f));
  variables.push_back({"encoder/position_encodings/encodings", 0, {3, 2}, table});
  EXPECT_THROW(network_of(variables), Error);
  variables.push_back({"decoder/position_encodings/encodings", 0, {3, 2}, table});
  EXPECT_EQ(network_of(variables).positions, Network::Positions::kTable);
  EXPECT_EQ(network_of(variables).table_rows, 3);
}

TEST(Network, OfCTranslate2RefusesVariablesWithoutAPlace) {
  std::vector<SavedVariable> variables = small_network();
  variables.push_back({"encoder/layer_0/ffn/linear_0_noact/weight", 0, {1}, bytes_of(1.0f)});
  EXPECT_NE(error_message_of([&] { network_of(variables); }).find("linear_0_noact"), std::string::npos);
  variables = small_network();
  variables.erase(variables.begin() + 4);
  EXPECT_NE(error_message_of([&] { network_of(variables); }).find("encoder/layer_0/ffn/linear_0/weight"),
            std::string::npos);
}

// The settings of a checkpoint of fairseq.
std::vector<std::string> fairseq_settings_of(int decoder_width) {
  using namespace pickled;
  std::vector<std::string> items;
  for (const auto& [key, value] : std::vector<std::pair<std::string, int>>{{"encoder_embed_dim", 8},
                                                                           {"decoder_embed_dim", decoder_width},
                                                                           {"encoder_layers", 5},
                                                                           {"decoder_layers", 4},
                                                                           {"encoder_attention_heads", 2},
                                                                           {"decoder_attention_heads", 2},
                                                                           {"encoder_ffn_embed_dim", 16},
                                                                           {"decoder_ffn_embed_dim", 16}}) {
    items.push_back(text(key));
    items.push_back(integer(value));
  }
  for (const char* key : {"encoder_normalize_before", "decoder_normalize_before", "share_decoder_input_output_embed"}) {
    items.push_back(text(key));
    items.push_back("\x88");
  }
  return items;
}

TEST(Network, OfFairseqIsReadFromBothFormsOfItsSettings) {
  using namespace pickled;
  const std::string settings = dict(fairseq_settings_of(8));
  const std::string object = global("argparse", "Namespace") + ")\x81" + settings + "b";
  for (const std::string& root : {dict({text("args"), object, text("cfg"), "N"}),
                                  dict({text("args"), "N", text("cfg"), dict({text("model"), object})}),
                                  dict({text("cfg"), dict({text("model"), settings})})}) {
    ByteCursor cursor(memory_bytes(whole(root), "a.pt"));
    const Network network = fairseq_network(Pickle(cursor), "a.pt");
    EXPECT_EQ(network.encoder_layers, 5);
    EXPECT_EQ(network.decoder_inner, 16);
    EXPECT_TRUE(network.pre_norm);
    EXPECT_EQ(network.tie, Tie::kDecoder);
    EXPECT_EQ(network.activation, Network::Activation::kRelu);
    EXPECT_EQ(network.first_position, 2);
  }
}

TEST(Network, OfFairseqRefusesWhatIsMissingHere) {
  using namespace pickled;
  const auto message = [](const std::vector<std::string>& settings) {
    ByteCursor cursor(memory_bytes(whole(dict({text("args"), dict(settings)})), "a.pt"));
    const Pickle checkpoint(cursor);
    return error_message_of([&] { fairseq_network(checkpoint, "a.pt"); });
  };
  const auto message_with = [&](const std::string& key, const std::string& value) {
    std::vector<std::string> settings = fairseq_settings_of(8);
    settings.insert(settings.end(), {text(key), value});
    return message(settings);
  };
  EXPECT_NE(message(fairseq_settings_of(4)).find("decoder_embed_dim"), std::string::npos);
  EXPECT_EQ(message_with("arch", text("transformer_iwslt_de_en")), "");
  EXPECT_NE(message_with("arch", text("lstm")).find("'arch' is \"lstm\""), std::string::npos);
  EXPECT_NE(message_with("task", text("language_modeling")).find("'task'"), std::string::npos);
  EXPECT_EQ(message_with("adaptive_softmax_cutoff", "N"), "");
  EXPECT_NE(message_with("adaptive_softmax_cutoff", text("100,200")).find("adaptive_softmax_cutoff"),
            std::string::npos);
  EXPECT_NE(message_with("encoder_learned_pos", "\x88").find("encoder_learned_pos"), std::string::npos);
}

TEST(Network, OfFairseqHasOtherSettingsInItsModelOrItsTask) {
  using namespace pickled;
  const std::string of_model = dict({text("source_lang"), text("en"), text("target_lang"), "N"});
  const std::string of_task = dict({text("target_lang"), text("de")});
  ByteCursor cursor(
      memory_bytes(whole(dict({text("cfg"), dict({text("model"), of_model, text("task"), of_task})})), "a.pt"));
  const Pickle checkpoint(cursor);
  EXPECT_EQ(fairseq_setting(checkpoint, "source_lang", "a.pt"), "en");
  EXPECT_EQ(fairseq_setting(checkpoint, "target_lang", "a.pt"), "de");
  EXPECT_EQ(fairseq_setting(checkpoint, "data", "a.pt"), "");
}

}  // namespace
}  // namespace dragoman::model::foreign
