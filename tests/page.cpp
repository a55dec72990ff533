#include "tests/page.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/words.h"
#include "dragoman/serve/testing.h"
#include "dragoman/train/probe.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

// Writes a model of random weights with a training film of two frames.
void write_model(const std::string& directory) {
  write_small_model(directory, "en", "de");
  const auto on = make_backend({});
  const model::LoadedModel model(*on, directory);
  replace_file(directory + "/probe.txt", "one two three\n");
  model::write_words(directory, {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"});
  const train::Probe probe(directory + "/probe.txt", directory, model.tokenizers);
  for (const std::int64_t step : {10, 20}) probe.write_frame(step, probe.make_frame(*on, *model.model));
}

}  // namespace

void PageTest::SetUpTestSuite() {
  stage_ = std::make_unique<Stage>();
  stage_->folder = scratch("_page");
  write_model(model());
  stage_->server = std::make_unique<ServerProcess>(std::vector<std::string>{"--model", model(), "--threads", "1"});
  try {
    stage_->browser = std::make_unique<Browser>(stage_->folder);
  } catch (const NoBrowser& why) {
    missing_ = why.what();
  }
}

void PageTest::TearDownTestSuite() {
  const std::string folder = stage_->folder;
  stage_.reset();
  std::filesystem::remove_all(folder);
}

void PageTest::SetUp() {
  if (!missing_.empty()) GTEST_SKIP() << "There is no browser to test the page in. " << missing_;
  ASSERT_TRUE(stage_->browser);
  browser().size(1280, 900);
  browser().prefer("light");
  browser().network(true);
}

void PageTest::TearDown() {
  if (!stage_->browser) return;
  for (const std::string& error_message : browser().console_errors())
    ADD_FAILURE() << "the console says: " << error_message;
}

void PageTest::open(const std::string& state) {
  open_address("http://127.0.0.1:" + std::to_string(stage_->server->port()) + "/", state);
}

void PageTest::open_file(const std::string& path, const std::string& state) { open_address("file://" + path, state); }

void PageTest::open_address(const std::string& page, const std::string& state) {
  // A number in the address, because the browser does not load a page again if only the part after '#' differs.
  static int opened = 0;
  browser().open(page + "?" + std::to_string(++opened) + "#" + state);
  wait_until_shown();
}

void PageTest::wait_until_shown(const std::string& condition) {
  browser().wait_for(condition + R"( && document.querySelector("#view")?.children.length &&
      !document.querySelector(".busy") && !document.querySelector(".output.stale") &&
      (!document.querySelector("#sentence").value || document.querySelector("#translation").textContent) &&
      ![...document.querySelectorAll("#view .empty")].some((element) => element.checkVisibility()))");
}

std::vector<std::string> PageTest::views() {
  return browser().value(
      "[...document.querySelectorAll('[role=tab]')].filter((tab) => tab.checkVisibility())"
      ".map((tab) => tab.dataset.tab)");
}

void PageTest::show(const std::string& view) {
  browser().click("[data-tab=" + view + "]");
  wait_until_shown("document.querySelector('#view').dataset.view === '" + view + "'");
}

Json PageTest::translated(const Json& request) {
  serve::Client client(stage_->server->port());
  const auto answer = client.ask(posted("/v1/translate", request));
  EXPECT_EQ(answer.status, 200) << answer.body;
  return parse_json(answer.body, "the answer")["translations"][0]["sentences"][0];
}

std::string shown(double number, int digits) {
  const double least = std::pow(10.0, -digits);
  if (number != 0 && std::abs(number) < least / 2)
    return (number > 0 ? "<" : ">−") + fmt::format("{:.{}f}", least, digits);
  std::string text = fmt::format("{:.{}f}", number, digits);
  if (text.starts_with("-")) text.replace(0, 1, "−");  // the minus sign U+2212
  return text;
}

void choose_export(Browser& browser, const std::string& entry) {
  if (!browser.value("document.querySelector('#export-panel').checkVisibility()")) browser.click("#export");
  browser.run(
      "[...document.querySelectorAll('#export-panel button')]"
      ".find((button) => button.textContent.startsWith(arguments[0])).click();",
      Json::array({entry}));
  browser.wait_for("/Saved|copied|Copy/.test(document.querySelector('.menu-status').textContent)");
  browser.click("#export");  // the open menu covers tabs
}

std::string saved(const std::string& path) {
  // The browser reserves the name with an empty file, which it replaces when it has written everything.
  const auto is_complete = [&] { return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0; };
  EXPECT_TRUE(serve::eventually(is_complete)) << path;
  return read_file(path);
}

}  // namespace dragoman
