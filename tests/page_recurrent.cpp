// The page with recurrent and convolutional models, whose attention has a score of its own, or which have none.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/convolutional/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/recurrent/testing.h"
#include "tests/page.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

using model::ConvolutionalConfig;
using model::RecurrentConfig;
using model::convolutional::SmallConvolutional;
using namespace model::recurrent;

// Writes a model with random weights that translates kSentence. Small is a SmallModelOf<> with these settings.
template <class Small, class Config>
void write_translating_model(const std::string& directory, const Config& config) {
  make_directory(directory);
  model::ModelInfo info;
  info.config = config;
  info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
  info.source_language = "en";
  info.target_language = "de";
  model::write_info(directory, info);
  model::write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    Small small(info.config.as<Config>(), {.seed = seed});
    for (const params::NamedTensor& tensor : small.block.tensors()) {
      small.on->scaled(tensor.values, 1, Sink::accumulate(tensor.values));
    }
    small.add_noise();
    model::write_safetensors(model::weights_file(directory), *small.on, small.block.tensors());
    const std::vector<std::string> lines{kSentence};
    const auto line = decode::Translator(directory, {.threads = 1}).translate(lines)[0];
    if (line.finished && line.target.size() > 3) return;
  }
  FAIL() << "no weights found";
}

class RecurrentPageTest : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    RecurrentConfig additive = small_recurrent(), general = additive, hard = additive, fixed = additive;
    general.cell = CellName::kLstm;
    general.context = ContextName::kCurrent;
    general.score = ScoreName::kGeneral;
    general.input_feeding = true;
    hard.mode = ModeName::kGumbel;
    fixed.context = ContextName::kFixed;
    std::vector<std::string> flags{"--threads", "1"};
    for (const auto& [name, config] :
         {std::pair("additive", additive), {"general", general}, {"hard", hard}, {"fixed", fixed}}) {
      write_translating_model<SmallRecurrent>(file(name), config);
      flags.insert(flags.end(), {"--model", file(name)});
    }
    write_translating_model<SmallConvolutional>(file("conv"), model::convolutional::small_convolutional());
    flags.insert(flags.end(), {"--model", file("conv")});
    server_ = std::make_unique<ServerProcess>(flags);
  }

  void open_model(const std::string& name, const std::string& view) {
    static int opened = 0;
    browser().open(
        fmt::format("http://127.0.0.1:{}/?r{}#{}&model={}&tab={}", server_->port(), ++opened, kState, name, view));
    wait_until_shown();
  }
  static std::vector<std::string> offered() {
    return browser().value(
        "[...document.querySelectorAll('[role=tab]')].filter((tab) => tab.checkVisibility())"
        ".map((tab) => tab.dataset.tab)");
  }

  std::unique_ptr<ServerProcess> server_;
};

TEST_F(RecurrentPageTest, WhyFollowsTheScoreOfTheModel) {
  const std::vector<std::string> usual{"dot", "mask", "softmax", "comparison"};
  const std::map<std::string, std::string> scores{
      {"additive", "tanh"}, {"general", "·h=q·k"}, {"hard", "tanh"}, {"conv", "·h/√2=q·k"}};
  for (const std::string name : {"additive", "general", "hard", "conv"}) {
    SCOPED_TRACE(name);
    open_model(name, "why");
    wait_until_shown("document.querySelector('.of-attention li')");
    std::vector<std::string> parts = usual;
    if (name == "hard") parts.insert(parts.end() - 1, "choice");
    EXPECT_EQ(
        browser().value("[...document.querySelectorAll('.why > .why-steps > li')].map((step) => step.dataset.part)"),
        Json(parts));
    // The page's weight against the kernel's, and the page's context against the kernel's.
    const Json facts = browser().value(
        "[...document.querySelectorAll('[data-part=comparison] dd')].map((fact) => Number(fact.textContent))");
    EXPECT_NEAR(facts[0], facts[1].get<double>(), 1e-5);
    EXPECT_GT(facts[0], 0);
    // The unscaled products of random convolutional weights may leave one key all of the weight.
    if (name != "conv") {
      EXPECT_EQ(facts[0] == 1, name == "hard");
    }
    EXPECT_LT(std::stod(browser().value("document.querySelector('.why-check').dataset.difference").get<std::string>()),
              1e-5);
    EXPECT_EQ(browser().text(".of-attention .sum .vector-label"), "= context");
    EXPECT_NE(browser().text(".why-formulas").find(scores.at(name)), std::string::npos)
        << browser().text(".why-formulas");
  }
}

TEST_F(RecurrentPageTest, OnlyViewsThatApplyAreOffered) {
  open_model("additive", "heads");
  EXPECT_EQ(offered(),
            (std::vector<std::string>{"heads", "matrix", "why", "whatif", "compare", "words", "beam", "play", "film"}));
  for (const std::string view : {"matrix", "whatif", "words", "beam", "play"}) show(view);
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.play-block')].map(({dataset}) => dataset.kind)"),
            Json({"embedding", "bidirectional", "embedding", "attention", "recurrent", "readout", "linear", "softmax",
                  "probabilities", "search"}));
  open_model("conv", "heads");
  EXPECT_EQ(offered(), (std::vector<std::string>{"heads", "grid", "matrix", "why", "ranking", "whatif", "compare",
                                                 "words", "beam", "play", "positions", "film"}));
  for (const std::string view : {"grid", "matrix", "ranking", "whatif", "words", "beam", "play", "positions"})
    show(view);
  open_model("hard", "matrix");
  EXPECT_NE(browser().text("#view .note").find("chooses one token"), std::string::npos);

  open_model("fixed", "why");  // not offered, so another view is shown
  EXPECT_EQ(offered(), (std::vector<std::string>{"whatif", "compare", "words", "beam", "play", "film"}));
  EXPECT_EQ(browser().value("document.querySelector('#view').dataset.view"), "beam");
  for (const std::string view : {"whatif", "words", "play"}) show(view);
}

}  // namespace
}  // namespace dragoman
