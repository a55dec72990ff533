#include "dragoman/model/foreign/ctranslate2.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;
using Floats = std::vector<float>;

CTranslate2File read(const std::string& bytes) { return read_ctranslate2(memory_bytes(bytes, "model.bin")); }

TEST(CTranslate2, ReadsEveryVersion) {
  for (std::uint32_t version = 1; version <= 6; ++version) {
    const CTranslate2File file = read(ctranslate2_of(version, saved_variables()));
    EXPECT_EQ(file.version, static_cast<int>(version));
    EXPECT_EQ(file.spec, version == 1 ? "" : "TransformerSpec");
    EXPECT_EQ(file.revision, version == 1 ? 1 : 7);
    EXPECT_EQ(floats_of(file.variables.at("encoder/layer_norm/gamma")), (Floats{0.5, -1}));
    EXPECT_EQ(file.number("encoder/num_heads"), 8.0f);
    EXPECT_EQ(file.number("decoder/num_heads"), std::nullopt);
    EXPECT_EQ(file.text("eos_token"), "</s>");
  }
}

TEST(CTranslate2, IntegersAreDividedByTheScaleOfTheirRow) {
  const CTranslate2File file = read(ctranslate2_of(6, saved_variables()));
  EXPECT_EQ(floats_of(file.variables.at("decoder/projection/weight")),
            (Floats{1, -64.0f / 127, 0, 1.0f / 254, 2.0f / 254, -0.5}));
}

TEST(CTranslate2, SixteenBitsHaveOneScale) {
  const std::string numbers = bytes_of(std::vector<std::int16_t>{500, -1000});
  const SavedVariable weight{"w", 2, {1, 2}, numbers}, scale{"w_scale", 0, {}, bytes_of(100.0f)};
  EXPECT_EQ(floats_of(read(ctranslate2_of(6, {weight, scale})).variables.at("w")), (Floats{5, -10}));
  EXPECT_EQ(floats_of(read(ctranslate2_of(2, {weight})).variables.at("w")), (Floats{0.5, -1}));
}

TEST(CTranslate2, ReadsHalfPrecision) {
  const auto half = [](std::uint8_t kind) { return SavedVariable{"w", kind, {1}, bytes_of(std::uint16_t{0x3C00})}; };
  EXPECT_EQ(floats_of(read(ctranslate2_of(6, {half(4)})).variables.at("w")), (Floats{1}));
  EXPECT_EQ(floats_of(read(ctranslate2_of(6, {half(5)})).variables.at("w")), (Floats{0x1p-7f}));
}

TEST(CTranslate2, AnAliasHasTheNumbersOfItsVariable) {
  const std::string weight = "decoder/projection/weight";
  const CTranslate2File file = read(ctranslate2_of(6, saved_variables(), {{"decoder/embeddings/weight", weight}}));
  EXPECT_EQ(floats_of(file.variables.at("decoder/embeddings/weight")), floats_of(file.variables.at(weight)));
  EXPECT_THROW(read(ctranslate2_of(6, {}, {{"a", "b"}})), Error);
}

TEST(CTranslate2, NamesOfVersionOneAreReplaced) {
  const std::string number = bytes_of(1.0f);
  const CTranslate2File file =
      read(ctranslate2_of(1, {{"transformer/encoder/layer_0/multi_head/conv1d/kernel:0", 0, {1}, number},
                              {"transformer/decoder/layer_0/masked_multi_head/conv1d_1/bias:0", 0, {1}, number},
                              {"transformer/decoder/layer_0/multi_head/LayerNorm/gamma:0", 0, {1}, number},
                              {"transformer/decoder/dense/kernel:0", 0, {1}, number},
                              {"transformer/encoder/w_embs:0", 0, {1}, number}}));
  for (const char* name :
       {"encoder/layer_0/self_attention/linear_0/weight", "decoder/layer_0/self_attention/linear_1/bias",
        "decoder/layer_0/attention/layer_norm/gamma", "decoder/projection/weight", "encoder/embeddings/weight"}) {
    EXPECT_TRUE(file.variables.contains(name)) << name;
  }
}

TEST(CTranslate2, RefusesWhatDoesNotFit) {
  const std::string four(4, 'x');
  EXPECT_NE(error_message_of([&] { read(bytes_of(std::uint32_t{7}) + four); }).find("version 7"), std::string::npos);
  const auto message = [](const SavedVariable& variable) {
    return error_message_of([&] { read(ctranslate2_of(6, {variable})); });
  };
  EXPECT_NE(message({"w", 0, {2}, four}).find("\"w\""), std::string::npos);
  EXPECT_NE(message({"w", 0, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, four}).find("\"w\""), std::string::npos);
  EXPECT_NE(message({"w", 6, {1}, four}).find("unknown kind, 6"), std::string::npos);
  EXPECT_NE(message({"w", 1, {2, 2}, four}).find("no scale"), std::string::npos);
  EXPECT_THROW(read(ctranslate2_of(6, {}) + "x"), Error);
  EXPECT_THROW(read(bytes_of(std::uint32_t{1}) + bytes_of(std::uint32_t{0xFFFFFFFF})), Error);
}

// Each alias would have a shape of its own.
TEST(CTranslate2, RefusesShapesAndNamesWithoutEnd) {
  const auto with = [](std::size_t sizes, const std::string& name) {
    const SavedVariable variable{
        .name = name, .shape = std::vector<std::uint32_t>(sizes, 1), .numbers = bytes_of(float{1})};
    return error_message_of([&] { read(ctranslate2_of(6, {variable}, {{"alias", name}})); });
  };
  EXPECT_EQ(with(8, std::string(999, 'n')), "");
  EXPECT_NE(with(9, "n").find("has 9 dimensions; at most 8 are read."), std::string::npos) << with(9, "n");
  EXPECT_NE(with(1, std::string(1000, 'n')).find("at most 1000 are read"), std::string::npos);
}

TEST(CTranslate2, ConfigHasDefaults) {
  const CTranslate2Config config = parse_ctranslate2_config(
      R"({"bos_token": "<b>", "decoder_start_token": "</s>", "add_source_eos": true, "layer_norm_epsilon": null,
          "multi_query_attention": false, "unknown": 1})",
      "config.json");
  EXPECT_EQ(config.begin, "<b>");
  EXPECT_EQ(config.end, "</s>");
  EXPECT_EQ(config.decoder_start, "</s>");
  EXPECT_TRUE(config.add_source_end);
  EXPECT_FALSE(config.add_source_begin);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-5f);
  EXPECT_EQ(parse_ctranslate2_config(R"({"decoder_start_token": null})", "x").decoder_start, std::nullopt);
  EXPECT_EQ(parse_ctranslate2_config(R"({"bos_token": "<b>"})", "x").decoder_start, "<b>");
}

TEST(CTranslate2, RefusesAConfigThatItCannotFollow) {
  for (const char* text : {"[]", "{", R"({"eos_token": 3})", R"({"multi_query_attention": true})"}) {
    const std::string message = error_message_of([&] { parse_ctranslate2_config(text, "config.json"); });
    EXPECT_TRUE(message.starts_with("config.json")) << message;
  }
}

TEST(CTranslate2, OlderFilesHaveTheirConfigInVariables) {
  const auto flag = [](const std::string& name, char value) { return SavedVariable{name, 1, {}, {value}}; };
  const CTranslate2Config config = ctranslate2_config_of(
      read(ctranslate2_of(5, {{"eos_token", 1, {3}, "</e"}, flag("with_source_eos", 1), flag("with_target_bos", 0)})));
  EXPECT_EQ(config.end, "</e");
  EXPECT_EQ(config.decoder_start, "</e");
  EXPECT_TRUE(config.add_source_end);
  EXPECT_EQ(ctranslate2_config_of(read(ctranslate2_of(5, {}))).decoder_start, "<s>");
}

TEST(CTranslate2, SurvivesDamage) {
  for (std::uint32_t version = 1; version <= 6; ++version) {
    const std::string whole = ctranslate2_of(version, saved_variables(), {{"alias", "encoder/layer_norm/gamma"}});
    expect_survives_damage(whole, [](const std::string& bytes) {
      const CTranslate2File file = read(bytes);
      for (const auto& [name, tensor] : file.variables) EXPECT_LE(floats_of(tensor).size(), 400u);
      ctranslate2_config_of(file);
    });
  }
}

}  // namespace
}  // namespace dragoman::model::foreign
