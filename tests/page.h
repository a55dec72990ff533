// The attention page in a real browser: one server and one browser for all tests of the page.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "tests/server_process.h"
#include "tests/webdriver.h"

namespace dragoman {

class PageTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  // Fails the test if the browser's console has a warning or an error.
  void TearDown() override;

  static Browser& browser() { return *stage_->browser; }
  static std::string file(const std::string& name) { return stage_->folder + "/" + name; }
  static std::string model() { return file("model"); }

  // Opens the page with a state, the part of its address after '#', and waits until it is shown.
  static void open(const std::string& state);
  // The same for a page in a file.
  static void open_file(const std::string& path, const std::string& state = "");
  // Waits until no request is in progress, the view shows something, and a condition in JavaScript holds.
  static void wait_until_shown(const std::string& condition = "true");
  // The names of the views.
  static std::vector<std::string> views();  // those that are offered for the model
  // Opens the tab of a view and waits until it is shown.
  static void show(const std::string& view);

  // Asks /v1/translate and returns the first sentence of the answer.
  static Json translated(const Json& request);

 private:
  struct Stage {
    std::string folder;
    std::unique_ptr<ServerProcess> server;
    std::unique_ptr<Browser> browser;
  };
  static void open_address(const std::string& page, const std::string& state);

  inline static std::unique_ptr<Stage> stage_;
  inline static std::string missing_;  // why there is no browser; empty if there is one
};

// Runs a script in every page that is opened during the lifetime of this object, before the page's own scripts.
class EditedServer {
 public:
  EditedServer(Browser& browser, const std::string& edit) : browser_(browser) {
    script_ = browser_.devtools("Page.addScriptToEvaluateOnNewDocument", {{"source", "{" + edit + "}"}})["identifier"];
  }
  ~EditedServer() { browser_.devtools("Page.removeScriptToEvaluateOnNewDocument", {{"identifier", script_}}); }
  EditedServer(const EditedServer&) = delete;
  EditedServer& operator=(const EditedServer&) = delete;

 private:
  Browser& browser_;
  Json script_;
};

// A script for EditedServer that edits the requests of the page and the answers to them, whether they are JSON or a
// stream of events. Before it stand two definitions: `names` has the server's name of each site that has another name
// in the page, and `edit` has functions that edit the objects and lists of these keys in an answer.
inline constexpr const char* kEditAnswers = R"(
  const edited = (text) => JSON.stringify(JSON.parse(text, (key, value) => (
    typeof value === "object" && edit[key] ? edit[key](value) : value)));
  const asked = (text) => JSON.stringify(JSON.parse(text, (key, value) => (
    key === "attention" ? names[value] ?? value : value)));
  const ask = window.fetch;
  window.fetch = async (path, options = {}) => {
    const answer = await ask(path, options.body ? {...options, body: asked(options.body)} : options);
    if (!answer.ok || !/v1\/(model|translate)/.test(path)) return answer;
    const text = await answer.text();
    return new Response(text.startsWith("{") ? edited(text)
      : text.replace(/^data: (.*)$/gm, (_, data) => `data: ${edited(data)}`), {status: answer.status});
  };)";

// A sentence of eight words whose translation has four, another sentence that differs in its last word, and the page's
// state with the first sentence.
inline const std::string kSentence = "three eight two seven three one two seven";
inline const std::string kOther = "three eight two seven three one two six";
inline const std::string kState = "q=three+eight+two+seven+three+one+two+seven";

// Chooses an entry of the menu "Export" and waits until it is done.
void choose_export(Browser& browser, const std::string& entry);

// Waits for a file that the browser saves and returns its bytes.
std::string saved(const std::string& path);

// A number as the page writes it.
std::string shown(double number, int digits = 3);

}  // namespace dragoman
