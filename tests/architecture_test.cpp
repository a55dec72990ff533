// Registers an architecture that only this test knows (tests/bag_of_words.h) and shows that it can do everything that
// the Transformer can, without any other change.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/testing.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/completions/command_tree.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/decode/lines/trace_json.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/export.h"
#include "dragoman/serve/offline.h"
#include "dragoman/serve/server.h"
#include "dragoman/train/check/gradient_cases.h"
#include "tests/bag_training.h"
#include "tests/server_process.h"
#include "tests/webdriver.h"

namespace dragoman {
namespace {

// A program with the commands that have architecture-specific flags, set up for the architecture that the arguments ask
// for.
std::shared_ptr<CLI::App> program_for(const std::vector<std::string>& arguments) {
  const auto program = cli::command_for_tests();
  const cli::RequestedArchitecture asked = cli::requested_architecture(arguments);
  cli::add_train(*program, asked);
  cli::add_inspect(*program, asked);
  return program;
}

// Runs a command of the program; returns what it printed.
std::string run_command(const std::vector<std::string>& arguments) {
  const auto program = program_for(arguments);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  try {
    cli::parse(*program, arguments);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  cli::flush_output();
  ::testing::internal::GetCapturedStderr();
  return ::testing::internal::GetCapturedStdout();
}

// The names of a command's flags that set the model.
std::vector<std::string> model_flags(const std::vector<std::string>& arguments) {
  const auto program = program_for(arguments);
  std::vector<std::string> flags;
  for (const cli::CommandEntry& command : cli::command_tree(*program).commands) {
    for (const cli::FlagEntry& flag : command.flags) {
      if (command.name == arguments.front() && flag.group.starts_with("Model: bag")) flags.push_back(flag.name);
    }
  }
  return flags;
}

TEST_F(NewArchitecture, Learns) {
  EXPECT_EQ(train_to("model").ending, train::Ending::kAllSteps);
  const train::TrainingRecords metrics = train::read_metrics(file("model/metrics.jsonl"));
  ASSERT_EQ(metrics.progress.size(), kSteps / 40);
  ASSERT_EQ(metrics.validations.size(), kSteps / 80);
  EXPECT_LT(metrics.progress.back().losses["nll"], 0.3 * metrics.progress.front().losses["nll"]);
  EXPECT_LT(metrics.validations.back().scores["nll"], metrics.validations.front().scores["nll"]);
  EXPECT_GT(metrics.validations.back().scores["bleu"], 90);
}

TEST_F(NewArchitecture, ARunThatWasStoppedEndsWithTheSameBytes) {
  train_to("straight");
  EXPECT_EQ(train_to("resumed", 150).ending, train::Ending::kStopped);
  EXPECT_EQ(train::resumable_state(file("resumed"), [](const std::string&) {})->step, 150);
  train_to("resumed");
  expect_same_run(file("straight"), file("resumed"), kSteps);
}

TEST_F(NewArchitecture, ItsGradientsMatchFiniteDifferences) {
  int checked = 0;
  for (const train::GradientCase& one : train::gradient_cases()) {
    if (!one.name.starts_with("bag: ")) continue;
    ++checked;
    EXPECT_LE(one.worst_error(), train::kGradientTolerance) << one.name;
  }
  EXPECT_EQ(checked, 1);
}

TEST_F(NewArchitecture, TeacherForcingAndStepsGiveTheSameBits) {
  const auto on = make_backend({}, {.threads = 1});
  const model::LoadedModel loaded(*on, trained());
  const model::Seq2Seq& model = *loaded.model;
  const ArenaScope scope(on->arena());
  nn::Pass pass{.on = *on};
  const std::vector<data::Sentence> source{{15, 6, 19, 2}}, read{{1, 20, 11, 20, 8}};
  const model::Encoded encoded = model.encode(data::make_tokens(*on, source, {.V = model.source_vocabulary()}), pass);
  const Tokens target = data::make_tokens(*on, read, {.V = model.target_vocabulary()});
  const Tensor forced = log_probabilities(model, model.decode(target, encoded, pass));

  model::DecoderState state = start_decoding(model, *on, {.source_rows = 4, .cells = 5});
  const std::int32_t sentence = state.enter(4);
  store_memory(model, encoded, std::span(&sentence, 1), state);
  for (std::size_t t = 0; t < read[0].size(); ++t) {
    const Tensor stepped = log_probabilities(model, step(model, std::span(&read[0][t], 1), state, pass));
    EXPECT_EQ(values_of(*on, stepped.array()), values_of(*on, forced.array().row_range(t, 1))) << "token " << t;
  }
}

TEST_F(NewArchitecture, TranslatesByBeamWithTracesOfItsOwnSites) {
  decode::TranslatorOptions options = translation();
  options.search.n_best = 4;
  decode::Translator translator(trained(), options);
  const std::vector<decode::TranslatedLine> translated = translator.translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const decode::TranslatedLine& line = translated[i];
    EXPECT_EQ(line.text, translations[i]);
    EXPECT_EQ(line.hypotheses.size(), 4u);
    ASSERT_TRUE(line.trace);
    ASSERT_EQ(line.trace->sites.size(), 1u);
    EXPECT_EQ(line.trace->sites[0].name, "cross");
    const decode::Attention cross = line.trace->attention(0, line.hypotheses[0]);
    EXPECT_EQ(cross.layers * cross.heads, 1);
    EXPECT_EQ(cross.queries, std::ssize(line.hypotheses[0].tokens) + (line.finished ? 1 : 0));
    EXPECT_EQ(cross.keys, std::ssize(line.source));
    for (std::int64_t query = 0; query < cross.queries; ++query) {
      double sum = 0;
      for (std::int64_t key = 0; key < cross.keys; ++key) sum += cross.at(0, 0, query, key);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST_F(NewArchitecture, OtherSentencesOfABatchChangeNoBitOfATranslation) {
  decode::Translator translator(trained(), translation());
  const auto trace_of = [&](const decode::TranslatedLine& line) {
    return trace_json(line, translator.model().tokenizers, translator.options().search, decode::Numbers::kPacked);
  };
  const std::vector<decode::TranslatedLine> together = translator.translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto alone = translator.translate(std::span(&lines[i], 1), static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(alone[0].score, together[i].score);
    EXPECT_EQ(trace_of(alone[0]), trace_of(together[i]));
  }
}

TEST_F(NewArchitecture, ItsSettingsAreFlagsOfTrainAndInspect) {
  const std::vector<std::string> expected{"--vocabulary", "--d-model", "--source-vocabulary", "--target-vocabulary"};
  EXPECT_EQ(model_flags({"train", "--arch", "bag"}), expected);
  EXPECT_EQ(model_flags({"inspect", "--preset=bag-small"}), expected);
  replace_file(file("bag.yaml"), "arch: bag\nd-model: 8\n");
  EXPECT_EQ(model_flags({"train", "--config", file("bag.yaml")}), expected);
  EXPECT_EQ(model_flags({"train", "--model", trained()}), expected);
  EXPECT_EQ(model_flags({"train", "--init", file("model")}), expected);
  EXPECT_TRUE(model_flags({"train"}).empty());
}

TEST_F(NewArchitecture, IsInspected) {
  const std::string json = run_command({"inspect", "--arch", "bag", "--d-model", "16", "--vocabulary", "60", "--json"});
  const Json report = parse_json(json, "the report");
  EXPECT_EQ(report["parameters"], 2 * 60 * 16 + 4 * 16 * 16);
  std::vector<std::string> names;
  for (const Json& tensor : report["tensors"]) names.push_back(tensor["name"]);
  EXPECT_EQ(names,
            (std::vector<std::string>{"E_source", "E_target", "cross.W_K", "cross.W_V", "cross.W_Q", "cross.W_O"}));
  // Per target token of a pair of 25 source and 25 target tokens, six FLOPs for each multiply-add: in W_K, W_V, W_Q and
  // W_O, in the attention, and in the output projection.
  EXPECT_EQ(report["flops_per_token"], 6 * (4 * 16 * 16 + 2 * 16 * 25 + 16 * 60));
  EXPECT_GT(report["activation_bytes"], 0);
}

TEST_F(NewArchitecture, TheCommandLineTrainsAndResumesIt) {
  std::vector<std::string> arguments{"train",
                                     "--model",
                                     file("model"),
                                     "--arch",
                                     "bag",
                                     "--d-model",
                                     "16",
                                     "--vocabulary",
                                     "60",
                                     "--max-length",
                                     "40",
                                     "--batch-tokens",
                                     "256",
                                     "--threads",
                                     "1",
                                     "--train-source",
                                     file("train.en"),
                                     "--train-target",
                                     file("train.de"),
                                     "--steps",
                                     "2"};
  run_command(arguments);
  EXPECT_EQ(model::read_info(file("model")).config.arch(), "bag");
  run_command({"train", "--model", file("model"), "--d-model", "16", "--steps", "4"});  // the rest is in the directory
  EXPECT_EQ(train::resumable_state(file("model"), [](const std::string&) {})->step, 4);
}

TEST_F(NewArchitecture, StillTranslatesAfterExportToIntegers) {
  decode::Translator translator(trained(), translation());
  model::export_model(file("model"), file("int8"), model::ExportPrecision::kInt8);
  EXPECT_LT(std::filesystem::file_size(file("int8/model.safetensors")),
            std::filesystem::file_size(file("model/model.safetensors")));
  decode::Translator rounded(file("int8"), translation());
  const auto before = translator.translate(lines), after = rounded.translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(after[i].text, translations[i]);
    EXPECT_NE(after[i].score, before[i].score);
    EXPECT_NEAR(after[i].score, before[i].score, 0.1);
  }
}

TEST_F(NewArchitecture, IsRefusedByAProgramWithoutIt) {
  expect_one_sentence(shell("echo a | " + kProgram + " translate --model " + trained()), 1,
                      "model/config.json' describes a model of the kind 'bag', which this program does not know.");
  expect_one_sentence(run("train --arch bag --model " + file("new") + text_flags()), 2,
                      "train: --arch: 'bag' is not one of transformer, rnn, conv, universal.");
  expect_one_sentence(run("train --model " + file("model") + text_flags()), 1, "'bag'");
}

TEST_F(NewArchitecture, IsServed) {
  serve::Server server({.directories = {trained()}, .translation = translation(), .max_waiting = 100}, {}, {.port = 0});
  Client client(server.port());
  const auto model = client.ask("GET /v1/model HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_EQ(model.status, 200) << model.body;
  const Json about = parse_json(model.body, "the answer");
  EXPECT_EQ(about["arch"], "bag");
  EXPECT_EQ(about["summary"], "a bag of words of width 16");
  ASSERT_EQ(about["sites"].size(), 1u);
  EXPECT_EQ(about["sites"][0]["name"], "cross");
  EXPECT_EQ(about["sites"][0]["queries"], "target");
  EXPECT_EQ(about["sites"][0]["keys"], "source");
  EXPECT_EQ(about["stacks"][0]["layers"], Json::array());
  EXPECT_EQ(about["stacks"][0]["output"][0]["title"], "Keys and values");

  const auto translated = [&](const Json& more) {
    Json body{{"q", lines[1]}};
    body.update(more);
    const auto answer = client.ask(posted("/v1/translate", body));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return parse_json(answer.body, "the answer")["translations"][0]["sentences"][0];
  };
  const Json plain = translated({{"trace", true}, {"alignment", true}, {"projections", "all"}});
  EXPECT_EQ(plain["text"], translations[1]);
  ASSERT_EQ(plain["trace"]["attention"].size(), 1u);
  EXPECT_EQ(plain["trace"]["attention"]["cross"][0][0].size(), plain["trace"]["tgt"].size());
  EXPECT_EQ(plain["trace"]["projections"].size(), 1u);
  EXPECT_EQ(plain.value("alignment", ""), "0-1 1-3 2-0 3-2");
  const Json head{{"attention", "cross"}, {"layer", 1}, {"head", 1}};
  EXPECT_NE(translated({{"heads_off", {head}}})["text"], plain["text"]);  // without its only head it sees no source

  const Json other{{"attention", "encoder"}, {"layer", 1}, {"head", 1}};
  const auto refused = client.ask(posted("/v1/translate", {{"q", "a"}, {"heads_off", {other}}}));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(parse_json(refused.body, "the answer")["error"], "'heads_off': attention is 'encoder'; it must be cross.");
}

// Opens the page at `address` and selects each of these views. Each must show something, and the console must stay free
// of errors and warnings.
void look_at_views(Browser& browser, const std::string& address, const std::vector<std::string>& views) {
  SCOPED_TRACE(address);
  browser.open(address + "#q=three+seven+one+four");
  browser.wait_for("document.querySelector('#translation')?.textContent");
  EXPECT_TRUE(browser.text("#model").starts_with("a bag of words of width 16")) << browser.text("#model");
  for (const std::string& view : views) {
    browser.click("[data-tab=" + view + "]");
    browser.wait_for("document.querySelector('#view').dataset.view === '" + view + R"(' &&
        document.querySelector("#view").children.length && !document.querySelector(".busy") &&
        ![...document.querySelectorAll("#view .empty")].some((element) => element.checkVisibility()))");
  }
  for (const std::string& error_message : browser.console_errors())
    ADD_FAILURE() << "the console says: " << error_message;
}

TEST_F(NewArchitecture, IsShownOnThePage) {
  std::unique_ptr<Browser> browser;
  try {
    browser = std::make_unique<Browser>(directory);
  } catch (const NoBrowser& why) {
    GTEST_SKIP() << "There is no browser to test the page in. " << why.what();
  }
  serve::Server server({.directories = {trained()}, .translation = translation(), .max_waiting = 100}, {}, {.port = 0});
  std::vector<std::string> views{"heads", "matrix", "why", "whatif", "beam", "play", "film"};
  look_at_views(*browser, "http://127.0.0.1:" + std::to_string(server.port()) + "/", views);
  EXPECT_EQ(browser->text("#translation"), translations[1]);

  serve::Models models({file("model")}, translation(), 100);
  replace_file(file("page.html"), serve::offline_page({.models = models}, lines));
  std::erase(views, "whatif");  // this view needs the server
  look_at_views(*browser, "file://" + file("page.html"), views);
  EXPECT_EQ(browser->text("#translation"), translations[1]);
}

TEST_F(NewArchitecture, CanBeChosenByFlagConfigurationPresetOrModel) {
  const auto asked = [](const std::vector<std::string>& arguments) {
    return cli::requested_architecture(arguments).name;
  };
  replace_file(file("bag.yaml"), "arch: bag\n");
  replace_file(file("broken.yaml"), "arch: [\n");
  EXPECT_EQ(asked({}), "transformer");
  EXPECT_EQ(asked({"translate", "--arch", "bag"}), "transformer");  // translate has no --arch
  EXPECT_EQ(asked({"train", "--arch=bag"}), "bag");
  EXPECT_EQ(asked({"train", "--arch", "transformer", "--arch", "bag"}), "bag");  // the last one counts
  EXPECT_EQ(asked({"train", "--arch", ""}), "transformer");
  EXPECT_EQ(asked({"train", "--arch"}), "transformer");            // CLI11 reports the missing value
  EXPECT_EQ(asked({"train", "--arch", "--help"}), "transformer");  // here as well
  EXPECT_EQ(asked({"inspect", "--arch", "", "--preset", "bag-small"}), "bag");
  EXPECT_EQ(asked({"train", "--config", file("bag.yaml")}), "bag");
  EXPECT_EQ(asked({"train", "--config", file("bag.yaml"), "--arch", "transformer"}), "transformer");
  EXPECT_EQ(asked({"train", "--config", file("broken.yaml")}), "transformer");
  EXPECT_EQ(asked({"train", "--model", "/no/such/directory", "--init", "/none", "--preset", "none"}), "transformer");
}

TEST_F(NewArchitecture, RefusesThePresetOfAnotherArchitecture) {
  const auto program = program_for({"inspect", "--arch", "bag"});
  EXPECT_THROW(cli::parse(*program, {"inspect", "--preset", "base"}), UsageError);
}

}  // namespace
}  // namespace dragoman
