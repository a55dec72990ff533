// The view "Compare" with two models and with checkpoints, on a server of its own.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"
#include "tests/page.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// A model "first" with two checkpoints, and a model "smaller" with other weights, one layer and one head.
class TwoModelsTest : public PageTest {
 protected:
  static model::ModelInfo smaller_info() {
    model::ModelInfo info = model::read_info(model());
    auto config = model::small_config();
    config.N_enc = config.N_dec = 1;
    config.h = 1;
    info.config = config;
    info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
    return info;
  }
  // Writes random weights with which the model writes words, and not those that it has written before.
  void write_weights(const std::string& directory, const model::ModelConfig& config) {
    for (std::uint64_t seed = 1; seed < 100; ++seed) {
      model::SmallModel small(config, {.seed = seed});
      small.add_noise();
      model::write_safetensors(model::weights_file(directory), *small.on, small.block.tensors());
      const std::vector<std::string> lines{kSentence};
      const auto line = decode::Translator(directory, {.threads = 1}).translate(lines)[0];
      if (line.finished && !line.text.empty() && texts_.insert(line.text).second) return;
    }
    FAIL() << "no weights found";
  }

  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    fs::remove_all(file("first"));
    fs::copy(model(), file("first"), fs::copy_options::recursive);
    texts_ = {translated({{"q", kSentence}})["text"]};
    for (const std::string step : {"10", "1200"}) {
      const std::string checkpoint = file("first/checkpoints/step-" + step);
      fs::create_directories(checkpoint);
      write_weights(checkpoint, model::read_info(model()).config);
    }
    fs::create_directories(file("smaller"));
    model::write_info(file("smaller"), smaller_info());
    model::write_tokenizers(file("smaller"), {data::word_tokenizer(), data::word_tokenizer()}, true);
    write_weights(file("smaller"), smaller_info().config);
    server_ = std::make_unique<ServerProcess>(std::vector<std::string>{
        "--model", file("first"), "--model", file("smaller"), "--checkpoints", "2", "--threads", "1"});
  }
  void open_models(const std::string& state) {
    static int opened = 0;
    browser().open(fmt::format("http://127.0.0.1:{}/?m{}#{}&tab=compare&versus=model{}", server_->port(), ++opened,
                               kState, state));
    wait_until_shown("document.querySelector('.models')");
  }
  // The first sentence of the answer of a model.
  Json answer_of(const std::string& name) {
    serve::Client client(server_->port());
    const auto answer = client.ask(posted("/v1/translate", {{"q", kSentence}, {"model", name}, {"trace", true}}));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return parse_json(answer.body, "the answer")["translations"][0]["sentences"][0];
  }
  static std::string side(int number) { return ".models .side:nth-child(" + std::to_string(number) + ") "; }
  void expect_side(int number, const std::string& name) {
    const Json expected = answer_of(name);
    EXPECT_EQ(browser().text(side(number) + ".translation"), expected["text"].get<std::string>());
    EXPECT_EQ(browser().text(side(number) + ".facts span"), "score " + shown(expected["score"]));
    EXPECT_EQ(browser().text(side(number) + ".facts span:last-child"), "log p " + shown(expected["log_probability"]));
  }

  std::unique_ptr<ServerProcess> server_;
  std::set<std::string> texts_;
};

TEST_F(TwoModelsTest, TwoModelsTranslateTheSameSentenceSideBySide) {
  open_models("&layer=1");
  // Another model is chosen by itself.
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  expect_side(1, "first");
  expect_side(2, "smaller");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.models option')].map((option) => option.value)"),
            Json({"first", "first@10", "first@1200", "smaller", "", "first@10", "first@1200", "smaller"}));
  EXPECT_GT(browser().value("document.querySelectorAll('.models mark').length"), 0);
  EXPECT_NE(browser().text(".verdict"), "Both models translate the sentence in the same way.");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.compare-columns b')].map((title) => title.textContent)"),
            Json({"first", "smaller"}));
  // Both pictures show the same layer; the smaller model has only the first of the two heads.
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.compare-columns .picture')]"
                            ".filter((picture) => picture.checkVisibility()).length"),
            2);
  EXPECT_NE(browser().value("location.hash").get<std::string>().find("versus=model"), std::string::npos);
}

TEST_F(TwoModelsTest, AWordHasTheWeightsOfBothModels) {
  open_models("&rival=first%4010&attention=encoder&layer=1&heads=1&query=2");
  wait_until_shown("document.querySelector('.versus tbody tr')");
  const Json mine = answer_of("first")["trace"], theirs = answer_of("first@10")["trace"];
  const Json rows = browser().value(
      "[...document.querySelectorAll('.versus tbody tr')].map((row) => [row.cells[0].textContent, "
      "row.querySelector('th').textContent, row.cells[4].textContent])");
  ASSERT_GT(rows.size(), 3u);
  const auto as_shown = [](double weight) { return weight < 0.0005 ? "<0.001" : shown(weight); };
  for (const Json& row : rows) {
    // Words that occur more than once have the same text: look for the weight among them.
    bool found = false;
    for (std::size_t j = 0; j < mine["src"].size(); ++j) {
      found = found || (row[0] == as_shown(mine["attention"]["encoder"][0][0][1][j]) &&
                        row[2] == as_shown(theirs["attention"]["encoder"][0][0][1][j]));
    }
    EXPECT_TRUE(found) << row;
  }
}

TEST_F(TwoModelsTest, ALayerThatTheSecondModelLacksIsNamed) {
  open_models("&rival=smaller&layer=2");
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  EXPECT_TRUE(
      browser().value("[...document.querySelectorAll('.compare .note')].some((note) => note.checkVisibility() "
                      "&& note.textContent === 'smaller has no layer 2 of this attention; choose another.')"));
}

TEST_F(TwoModelsTest, CheckpointsAreComparedAndTheAddressKeepsThem) {
  open_models("&model=first%4010&rival=first%401200");
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  expect_side(1, "first@10");
  expect_side(2, "first@1200");
  EXPECT_EQ(browser().text(".compare-columns b"), "first, step 10");
  // The first model is that of the whole page.
  EXPECT_EQ(browser().text("#translation"), answer_of("first@10")["text"].get<std::string>());
  browser().run(
      "const list = document.querySelector('.models select'); list.value = 'first'; "
      "list.dispatchEvent(new Event('change'));");
  wait_until_shown("document.querySelector('.compare-columns b').textContent === 'first'");
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  expect_side(1, "first");
}

TEST_F(TwoModelsTest, AModelThatDoesNotExistIsNamedAndNothingIsLost) {
  open_models("&rival=third");
  wait_until_shown("document.querySelector('#failure').textContent.includes(\"there is no model 'third'\")");
  EXPECT_EQ(browser().text("#translation"), answer_of("first")["text"].get<std::string>());
  browser().console_errors();  // the browser reports the refused request
}

TEST_F(TwoModelsTest, AFileHoldsBothModels) {
  open_models("&rival=first%401200");
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  const std::string second = browser().text(side(2) + ".translation");
  fs::remove(file("dragoman.html"));
  choose_export(browser(), "Offline page");
  saved(file("dragoman.html"));
  browser().network(false);
  open_file(file("dragoman.html"));
  wait_until_shown("document.querySelectorAll('.models .facts span').length === 4");
  EXPECT_EQ(browser().text(side(2) + ".translation"), second);
  EXPECT_NE(browser().text(".verdict").find("This file holds the translations of both models"), std::string::npos);
}

TEST_F(PageTest, OneModelSaysHowToCompareTwo) {
  open(kState + "&tab=compare&versus=model");
  EXPECT_NE(browser().text(".verdict").find("dragoman serve --model A --model B"), std::string::npos);
  EXPECT_FALSE(browser().value("document.querySelector('.models .translate').checkVisibility()"));
  // Back to two sentences.
  browser().click(".compare .choice label:first-child");
  wait_until_shown("document.querySelector('#second').checkVisibility()");
}

}  // namespace
}  // namespace dragoman
