#include "dragoman/model/model_config.h"

#include <gtest/gtest.h>

#include "dragoman/model/registry/registry.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/model/transformer/transformer.h"

namespace dragoman::model {
namespace {

TEST(ModelConfig, ACopyHasSettingsOfItsOwn) {
  const ModelConfig base = TransformerConfig();
  ModelConfig copy = base;
  set(copy, "heads", "4");
  set(copy, "norm", "pre");
  EXPECT_EQ(base.as<TransformerConfig>().h, 8);
  EXPECT_EQ(copy.as<TransformerConfig>().h, 4);
  EXPECT_EQ(copy.as<TransformerConfig>().norm, transformer::Norm::kPre);
}

TEST(ModelConfig, FieldsAreThoseOfTheStruct) {
  ModelConfig config = TransformerConfig{.d_k = 16, .positions = transformer::Positions::kLearned, .P_drop = 0.25f};
  TransformerConfig transformer = config.as<TransformerConfig>();
  std::vector<std::string> of_config, of_struct;
  config.fields([&](std::string_view key, auto&& value, std::string_view help) {
    of_config.push_back(join(key, " ", write_value(value), " ", help));
  });
  transformer.fields([&](std::string_view key, auto&& value, std::string_view help) {
    of_struct.push_back(join(key, " ", write_value(value), " ", help));
  });
  EXPECT_EQ(of_config, of_struct);
  EXPECT_THROW(set(config, "positions", "sideways"), UsageError);
  EXPECT_THROW(set(config, "d-modle", "5"), UsageError);
}

TEST(ModelConfig, WithoutAnArchitectureIsRefused) {
  EXPECT_THROW(ModelConfig().arch(), UsageError);
  EXPECT_THROW(ModelConfig().validate(), UsageError);
  EXPECT_THROW(ModelConfig().make_model(), UsageError);
}

TEST(Registry, FindsArchitecturesAndPresetsByName) {
  EXPECT_EQ(architecture().name, "transformer");
  EXPECT_EQ(&architecture("transformer"), &architecture());
  EXPECT_EQ(preset("demo").model.arch(), "transformer");
  EXPECT_THROW(architecture("transformr"), UsageError);
  EXPECT_THROW(preset("bas"), UsageError);
}

TEST(AttentionSites, TheTransformerListsItsThreeAttentions) {
  const TransformerConfig config{.N_enc = 2, .N_dec = 3, .window = 4};
  const nn::AttentionSites sites = Transformer(config).sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].name, "encoder");
  EXPECT_EQ(sites[0].layers, 2);
  EXPECT_EQ(sites[0].window, 5);  // the position itself, and 4 / 2 = 2 on either side
  EXPECT_FALSE(sites[0].is_causal());
  EXPECT_EQ(sites[1].name, "decoder");
  EXPECT_EQ(sites[1].window, 4);
  EXPECT_TRUE(sites[1].is_causal());
  EXPECT_EQ(nn::cross_site(sites), 2);
  EXPECT_EQ(sites[2].layers, 3);
  EXPECT_EQ(sites[2].window, 0);
}

TEST(AttentionSites, BlocksHaveOneSizeInBothStacks) {
  const TransformerConfig config{.window = 4, .window_kind = Mask::Window::kBlock};
  const nn::AttentionSites sites = Transformer(config).sites();
  EXPECT_EQ(sites[0].window, 4);
  EXPECT_EQ(sites[1].window, 4);
  EXPECT_EQ(sites[1].window_kind, Mask::Window::kBlock);
  EXPECT_EQ(sites[2].window_kind, Mask::Window::kSliding);
}

}  // namespace
}  // namespace dragoman::model
