// The page with Transformers that depart from the paper: other scores, and normalisation by batch.
#include <fmt/format.h>

#include <utility>

#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/testing.h"
#include "tests/page.h"
#include "tests/random_model.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

using model::TransformerConfig;

// Writes a model with random weights and running values that translates kSentence.
void write_options_model(const std::string& directory, const TransformerConfig& config) {
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    write_random_model<model::SmallModel>(directory, config, seed, "en", "de");
    const std::vector<std::string> lines{kSentence};
    const auto line = decode::Translator(directory, {.threads = 1}).translate(lines)[0];
    if (line.finished && line.target.size() > 3) return;
  }
  FAIL() << "no weights found";
}

// What the page computes from queries, keys and v, and in the rest of the layer, is what the kernels computed.
TEST_F(PageTest, WhyFollowsOtherScoresAndBatchNorm) {
  using namespace model::transformer;  // NOLINT: the names of many settings
  TransformerConfig additive = model::small_config(), dot = additive;
  additive.attention_score = nn::AttentionScore::kAdditive;
  additive.norm_kind = dot.norm_kind = NormKind::kBatch;
  dot.attention_score = nn::AttentionScore::kDot;
  dot.norm = Norm::kPre;
  std::vector<std::string> flags{"--threads", "1"};
  for (const auto& [name, config] : {std::pair("additive", additive), {"dot", dot}}) {
    write_options_model(file(name), config);
    flags.insert(flags.end(), {"--model", file(name)});
  }
  const ServerProcess server(flags);
  int opened = 0;
  for (const std::string name : {"additive", "dot"}) {
    for (const int head : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, head {}", name, head));
      browser().open(fmt::format("http://127.0.0.1:{}/?o{}#{}&model={}&tab=why&attention=cross&layer=1&head={}",
                                 server.port(), ++opened, kState, name, head));
      wait_until_shown("document.querySelectorAll('.why-chain li').length === 7");
      EXPECT_EQ(
          browser().value("[...document.querySelectorAll('.why > .why-steps > li')].map((step) => step.dataset.part)"),
          Json({"dot", "mask", "softmax", "comparison"}));
      const Json facts = browser().value(
          "[...document.querySelectorAll('[data-part=comparison] dd')].map((fact) => Number(fact.textContent))");
      EXPECT_NEAR(facts[0], facts[1].get<double>(), 1e-5);
      EXPECT_GT(facts[0], 0);
      // In units of the last place: with random running values the numbers grow from layer to layer.
      for (const Json& units :
           browser().value("[...document.querySelectorAll('.why-check')].map(({dataset}) => dataset.units)")) {
        EXPECT_LT(std::stod(units.get<std::string>()), 256);
      }
      EXPECT_EQ(browser().text(".why-formulas").find("tanh") != std::string::npos, name == "additive");
      EXPECT_NE(browser().text(".why-chain").find("BatchNorm"), std::string::npos);
      EXPECT_EQ(browser().text(".why-chain").find("LayerNorm"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace dragoman
