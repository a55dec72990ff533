// Tests of what the attention page exports: pictures, data, links, and the page itself as one file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/serve/testing.h"
#include "tests/page.h"
#include "tests/program.h"

namespace dragoman {
namespace {

// All numbers with a fraction and all pictures of the views that need no server; of "Play" only the numbers, because
// its picture moves.
Json everything_shown(Browser& browser, const std::function<void(const std::string&)>& show) {
  Json all;
  for (const std::string& view :
       std::vector<std::string>{"heads", "grid", "matrix", "why", "ranking", "beam", "play", "positions", "film"}) {
    show(view);
    all[view] = browser.run(R"(
        const view = document.querySelector("#view");
        const texts = [view.innerText, ...[...view.querySelectorAll("svg text")].map(({textContent}) => textContent)];
        return {numbers: texts.join(" ").match(/[−-]?\d+\.\d+/g),
                pictures: [...view.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL())};)");
  }
  all["facts"] =
      browser.value("[...document.querySelectorAll('.facts span')].slice(0, 2).map((fact) => fact.innerText)");
  all["translation"] = browser.text("#translation");
  return all;
}

// The paths at which two values differ.
std::vector<std::string> differences(const Json& one, const Json& other) {
  std::vector<std::string> paths;
  for (const Json& change : Json::diff(one, other)) paths.push_back(change["path"]);
  return paths;
}

const std::string kChosen = kState + "&attention=cross&layer=2&head=2&query=2&key=3&step=13";

TEST_F(PageTest, PicturesAreWhatTheViewShows) {
  open(kState);
  for (const std::string& view : views()) {
    if (view == "whatif" || view == "compare") continue;  // without a change or a second sentence they draw nothing
    SCOPED_TRACE(view);
    show(view);
    choose_export(browser(), "Picture, SVG");
    const Json drawn = browser().run(R"(
        const page = new DOMParser().parseFromString(arguments[0], "image/svg+xml");
        return [page.documentElement.nodeName, page.querySelectorAll("text").length,
                page.querySelectorAll("path, rect, circle, image, line, polyline").length];)",
                                     Json::array({saved(file("dragoman-" + view + ".svg"))}));
    EXPECT_EQ(drawn[0], "svg");
    EXPECT_GT(drawn[1], 0);
    EXPECT_GT(drawn[2], 1);
  }
  choose_export(browser(), "Picture, PNG");
  EXPECT_TRUE(saved(file("dragoman-film.png")).starts_with("\x89PNG"));
}

TEST_F(PageTest, ThePictureOfPlayHasTheWeightsOfTheTrace) {
  // Word 2, the cross-attention of layer 2: after 9 moments of the encoder, 16 of the first word, the input, 6 blocks
  // of layer 1, and 2 of layer 2. The address counts from 1.
  open(kState + "&tab=play&step=" + std::to_string(9 + 16 + 1 + 6 + 2 + 1));
  choose_export(browser(), "Picture, SVG");
  const std::vector<std::string> titles = browser().run(R"(
      const page = new DOMParser().parseFromString(arguments[0], "image/svg+xml");
      return [...page.querySelectorAll("title")].map(({textContent}) => textContent);)",
                                                        Json::array({saved(file("dragoman-play.svg"))}));
  const Json trace = translated({{"q", kSentence}, {"trace", true}})["trace"];
  int drawn = 0;
  for (std::size_t head = 0; head < 2; ++head) {
    for (const double weight : trace["attention"]["cross"][1][head][1]) {
      if (weight < 0.07) continue;  // smaller weights are left out
      const auto is_this = [&](const std::string& title) {
        return title.starts_with("Head " + std::to_string(head + 1)) && title.ends_with(", " + shown(weight, 4));
      };
      EXPECT_TRUE(std::ranges::any_of(titles, is_this)) << weight;
      ++drawn;
    }
  }
  EXPECT_GT(drawn, 0);
}

TEST_F(PageTest, DataAreTheServersAnswer) {
  open(kState);
  choose_export(browser(), "Data, JSON");
  const Json data = parse_json(saved(file("dragoman.json")), "the file");
  ASSERT_EQ(data["sentences"].size(), 1u);
  EXPECT_EQ(data["model"]["config"]["heads"], 2);
  const auto& [request, answer] = std::tie(data["sentences"][0]["request"], data["sentences"][0]["answer"]);
  Json expected = translated(request);
  expected["trace"]["line"] = answer["translations"][0]["sentences"][0]["trace"]["line"];  // counts requests
  EXPECT_EQ(differences(answer["translations"][0]["sentences"][0], expected), std::vector<std::string>());
}

TEST_F(PageTest, TheOfflineFileShowsTheSameWithoutANetwork) {
  open(kChosen);
  const auto show_view = [](const std::string& view) { show(view); };
  const Json live = everything_shown(browser(), show_view);
  choose_export(browser(), "Offline page");
  saved(file("dragoman.html"));
  const Ending ending =
      shell("echo " + kSentence + " | " + kProgram + " show --model " + model() + " --output " + file("show.html"));
  EXPECT_EQ(ending.status, 0) << ending.err;
  browser().network(false);
  for (const std::string name : {"dragoman.html", "show.html"}) {
    SCOPED_TRACE(name);
    open_file(file(name), kChosen);
    EXPECT_EQ(differences(live, everything_shown(browser(), show_view)), std::vector<std::string>());
    EXPECT_FALSE(browser().value("navigator.onLine"));
    EXPECT_EQ(browser().value("performance.getEntriesByType('resource').filter(({name}) => !name.startsWith('data:'))"),
              Json::array());
    browser().click("[data-tab=whatif]");
    browser().wait_for("document.querySelector('#view').textContent.includes('offline file')");
  }
}

TEST_F(PageTest, ALinkRestoresTheView) {
  open(kState + "&tab=matrix");
  browser().click("[data-tab=heads]");
  browser().wait_for("document.querySelector('.queries .token')");
  browser().click("[aria-label='Heads shown'] button:nth-child(1)");
  browser().click(".keys .token:nth-child(3)");
  browser().point_at("h1");
  browser().click("input[data-value=encoder] + span");
  browser().run("document.activeElement.blur();");
  wait_until_shown();
  choose_export(browser(), "Copy link");
  browser().click("#export");
  browser().point_at("h1");
  browser().wait_for("location.hash.includes('heads=2') && location.hash.includes('attention=encoder')");
  const std::string seen = browser().text("#view");
  const Json lines = browser().value("document.querySelector('.picture canvas').toDataURL()");
  open(browser().value("location.hash.slice(1)").get<std::string>());
  EXPECT_EQ(browser().text("#view"), seen);
  EXPECT_EQ(browser().value("document.querySelector('.picture canvas').toDataURL()"), lines);
}

}  // namespace
}  // namespace dragoman
