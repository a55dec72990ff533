// Tests of how the attention page looks, and of what it says to screen readers: themes, contrast, names of controls,
// narrow screens.
#include <gtest/gtest.h>

#include <set>

#include "dragoman/base/files.h"
#include "tests/page.h"

namespace dragoman {
namespace {

const std::set<std::string> kControls{"button", "checkbox", "combobox",  "grid",   "link",       "listbox",
                                      "option", "radio",    "searchbox", "slider", "spinbutton", "switch",
                                      "tab",    "tabpanel", "textbox",   "tree",   "treeitem",   "dialog"};

// The visible controls without a name for screen readers.
std::vector<std::string> nameless(Browser& browser) {
  std::vector<std::string> found;
  for (const Json& node : browser.devtools("Accessibility.getFullAXTree", Json::object())["nodes"]) {
    if (node["ignored"] || !node.contains("role") || !kControls.contains(node["role"].value("value", ""))) continue;
    if (node["name"].value("value", "").empty()) found.push_back(node.dump());
  }
  return found;
}

// A state with a chosen weight, a head that is switched off, and a second sentence, so that views show everything.
const std::string kFullState = kState + "&query=2&key=1&off=c1.1&compare=three+eight+two+seven+three+one+two+six";

std::string theme(Browser& browser) {
  return browser.value("document.documentElement.dataset.theme").get<std::string>();
}

TEST_F(PageTest, EveryViewShowsSomethingAndEveryControlHasAName) {
  open(kFullState);
  EXPECT_EQ(views().size(), 12u);
  for (const std::string& view : views()) {
    show(view);
    EXPECT_EQ(browser().value("document.querySelector('[role=tab][aria-selected=true]').dataset.tab"), view);
    EXPECT_GT(browser().value("document.querySelector('#view').innerText.length"), 50) << view;
    EXPECT_FALSE(browser().value("document.querySelector('#failure').checkVisibility()")) << view;
    for (const std::string& node : nameless(browser())) ADD_FAILURE() << view << ": " << node;
  }
  show("grid");
  browser().click(".thumb");
  browser().wait_for("document.querySelector('dialog.enlarged').open");
  for (const std::string& node : nameless(browser())) ADD_FAILURE() << "enlarged head: " << node;
  browser().press({Key::kEscape});
  browser().click("#export");
  for (const std::string& node : nameless(browser())) ADD_FAILURE() << "export: " << node;
  browser().click("#tour-button");
  for (const std::string& node : nameless(browser())) ADD_FAILURE() << "tour: " << node;
}

TEST_F(PageTest, TextStandsOutInLightAndDark) {
  const std::string contrast = read_file(std::string(DRAGOMAN_SOURCE_DIR) + "/tests/contrast.js");
  const auto expect_contrast = [&](const std::string& where) {
    for (const std::string scheme : {"dark", "light"}) {
      browser().prefer(scheme);
      browser().wait_for("document.documentElement.dataset.theme === '" + scheme + "'");
      for (const Json& text : browser().run(contrast)) ADD_FAILURE() << scheme << ", " << where << ": " << text;
    }
  };
  open(kFullState);
  for (const std::string& view : views()) {
    show(view);
    expect_contrast(view);
  }
  browser().click("#tour-button");
  expect_contrast("tour");
  browser().click("#export");
  expect_contrast("export");
}

TEST_F(PageTest, TheThemeIsTheSystemsUntilOneIsChosen) {
  open(kState);
  EXPECT_EQ(theme(browser()), "light");
  const std::string paper = "getComputedStyle(document.body).backgroundColor";
  const Json light = browser().value(paper);
  browser().prefer("dark");
  browser().wait_for("document.documentElement.dataset.theme === 'dark'");
  EXPECT_NE(browser().value(paper), light);
  browser().click("[aria-label='Light theme']");
  EXPECT_EQ(theme(browser()), "light");
  open(kState);
  EXPECT_EQ(theme(browser()), "light");
  browser().run("localStorage.clear();");
}

TEST_F(PageTest, NothingScrollsSidewaysOnAPhone) {
  browser().size(360, 740);
  open(kFullState);
  for (const std::string& view : views()) {
    show(view);
    EXPECT_LE(browser().value("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"), 360)
        << view;
  }
}

TEST_F(PageTest, AMatrixWithoutNumbersSaysHowToGetThem) {
  const std::string hint = "The cells are too small for numbers";
  open(kState + "&tab=matrix");
  EXPECT_EQ(browser().text("#view .note").find(hint), std::string::npos);
  browser().run(R"(
      const input = document.querySelector("#view .range input");
      input.value = 20;
      input.dispatchEvent(new Event("input"));)");
  browser().wait_for("document.querySelector('#view .note').textContent.startsWith('" + hint + "')");
}

}  // namespace
}  // namespace dragoman
