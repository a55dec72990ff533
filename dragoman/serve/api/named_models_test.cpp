#include <gtest/gtest.h>

#include <set>

#include "dragoman/serve/api/app_testing.h"

namespace dragoman::serve {
namespace {

// A server with two models of the same languages and different weights, and the checkpoints of the first.
class NamedModelsTest : public AppTest {
 protected:
  NamedModelsTest() {
    namespace fs = std::filesystem;
    root_ = fs::path(directory).string() + "_named";
    fs::remove_all(root_);
    fs::create_directories(root_);
    fs::copy(directory, root_ / "first", fs::copy_options::recursive);
    for (const std::uint64_t step : {10, 20}) write_checkpoint(root_ / "first", step);
    fs::copy(root_ / "first", root_ / "second", fs::copy_options::recursive);
    fs::rename(root_ / "second/checkpoints/step-20/model.safetensors", root_ / "second/model.safetensors");
    fs::remove_all(root_ / "second/checkpoints");
    serve(2);
  }
  ~NamedModelsTest() override { std::filesystem::remove_all(root_); }

  // Every step has other weights.
  static void write_checkpoint(const std::filesystem::path& run, std::uint64_t step) {
    const auto checkpoint = run / "checkpoints" / ("step-" + std::to_string(step));
    std::filesystem::create_directories(checkpoint);
    model::SmallModel small(model::read_info(run).config, {.seed = step});
    small.add_noise();
    model::write_safetensors(model::weights_file(checkpoint), *small.on, small.block.tensors());
  }
  void serve(std::size_t checkpoints) {
    app_.reset();
    models_ = std::make_unique<Models>(std::vector<std::filesystem::path>{root_ / "first", root_ / "second"},
                                       translation(), 1000, checkpoints);
    app_ = std::make_unique<App>(*models_, AppOptions{});
  }
  // The answer of a server that has this model alone.
  std::string alone(const std::filesystem::path& model, const Json& body) {
    Models models({model}, translation(), 1000);
    App app(models, {});
    HttpRequest request{
        .method = "POST", .path = "/v1/translate", .query = {}, .headers = {}, .body = body.dump(), .client = "client"};
    request.headers["content-type"] = "application/json";
    const auto exchange = std::make_shared<FakeExchange>(std::move(request));
    app(exchange);
    return exchange->response().body;
  }

  std::filesystem::path root_;
};

TEST_F(NamedModelsTest, EachModelMayHaveItsOwnSearch) {
  const Models models({root_ / "first", root_ / "second"}, translation(), 1000, 0,
                      [](const std::filesystem::path& model) {
                        return decode::SearchSettings{.beam = model.filename() == "first" ? 2 : 3};
                      });
  EXPECT_EQ(models.find("", "", "first")->service.options().search.beam, 2);
  EXPECT_EQ(models.find("", "", "second")->service.options().search.beam, 3);
}

TEST_F(NamedModelsTest, ANamedModelAnswersWithTheBytesOfAServerThatHasItAlone) {
  const Json question{{"q", "one two three"}, {"trace", true}, {"n_best", 2}};
  std::set<std::string> answers;
  const std::vector<std::pair<std::string, std::string>> places{{"first", "first"},
                                                                {"second", "second"},
                                                                {"first@10", "first/checkpoints/step-10"},
                                                                {"first@20", "first/checkpoints/step-20"}};
  for (const auto& [name, place] : places) {
    Json named = question;
    named["model"] = name;
    const std::string answer = send("POST", "/v1/translate", named.dump())->response().body;
    EXPECT_EQ(answer, alone(root_ / place, question)) << name;
    answers.insert(answer);
  }
  EXPECT_EQ(answers.size(), 3u);  // the second model has the weights of step 20
  // Without a name the first model answers, also on the paths of LibreTranslate.
  EXPECT_EQ(send("POST", "/v1/translate", question.dump())->response().body, alone(root_ / "first", question));
  EXPECT_EQ(post("/translate", {{"q", "one"}, {"source", "en"}, {"target", "de"}})["translatedText"], expected("one"));
  EXPECT_EQ(ask("GET", "/languages").second[1]["targets"], Json({"de"}));
}

TEST_F(NamedModelsTest, AllModelsAreListed) {
  const Json list = ask("GET", "/v1/models").second["models"];
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0]["name"], "first");
  EXPECT_EQ(list[0]["default"], true);
  EXPECT_FALSE(list[0].contains("step"));
  EXPECT_EQ(list[1]["name"], "first@10");
  EXPECT_EQ(list[1]["checkpoint_of"], "first");
  EXPECT_EQ(list[1]["step"], 10);
  EXPECT_EQ(list[3]["name"], "second");
  EXPECT_EQ(list[3]["default"], false);
  serve(0);
  EXPECT_EQ(ask("GET", "/v1/models").second["models"].size(), 2u);
}

TEST_F(NamedModelsTest, AnUnknownNameIsRefusedWithTheNamesThatThereAre) {
  const auto [status, answer] = ask("POST", "/v1/translate", {{"q", "one"}, {"model", "third"}});
  EXPECT_EQ(status, 400);
  EXPECT_EQ(answer["error"], "there is no model 'third'; there are first, first@10, first@20 and second.");
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}, {"model", 3}}).first, 400);
  const auto [mismatch, sentence] =
      ask("POST", "/v1/translate", {{"q", "one"}, {"model", "second"}, {"source", "fr"}, {"target", "de"}});
  EXPECT_EQ(mismatch, 400);
  EXPECT_EQ(sentence["error"], "the model 'second' translates from 'en' to 'de', not from 'fr' to 'de'.");
  serve(0);
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}, {"model", "first@10"}}).first, 400);
}

TEST_F(NamedModelsTest, OnlyAsManyCheckpointsAsAllowedAreLoaded) {
  serve(1);
  EXPECT_EQ(models_->loaded().size(), 2u);
  for (const char* name : {"first@10", "first@20", "first@20", "first@10"}) {
    EXPECT_EQ(post("/v1/translate", {{"q", "one"}, {"model", name}})["translations"].size(), 1u);
    ASSERT_EQ(models_->loaded().size(), 3u);
    EXPECT_EQ(models_->loaded().back()->name, name);
  }
  models_->reload();
  EXPECT_EQ(models_->loaded().size(), 2u);
}

TEST_F(NamedModelsTest, ACheckpointThatIsDamagedOrGoneIsRefused) {
  std::filesystem::resize_file(root_ / "first/checkpoints/step-10/model.safetensors", 100);
  const auto [status, answer] = ask("POST", "/v1/translate", {{"q", "one"}, {"model", "first@10"}});
  EXPECT_EQ(status, 500);
  EXPECT_EQ(answer["error"], "the server failed to answer this request; its log says why.");
  std::filesystem::remove_all(root_ / "first/checkpoints/step-20");
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}, {"model", "first@20"}}).first, 400);
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}}).first, 200);
}

TEST_F(NamedModelsTest, NamingAModelNeedsAKey) {
  app_ = std::make_unique<App>(*models_, AppOptions{.gate = {.keys = {"secret"}}});
  EXPECT_EQ(ask("GET", "/v1/model").first, 200);
  const auto exchange = std::make_shared<FakeExchange>(HttpRequest{.method = "GET",
                                                                   .path = "/v1/model",
                                                                   .query = {{"model", "first@10"}},
                                                                   .headers = {},
                                                                   .body = "",
                                                                   .client = "c"});
  (*app_)(exchange);
  EXPECT_EQ(exchange->response().status, 401);
  EXPECT_EQ(models_->loaded().size(), 2u);
}

}  // namespace
}  // namespace dragoman::serve
