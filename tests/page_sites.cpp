// Tests of the attention page with models whose attention sites differ from the Transformer's: one site, none, or sites
// of other names and sizes. They edit the model's description and the answers of a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "tests/page.h"
#include "tests/program.h"

namespace dragoman {
namespace {

constexpr const char* kNoAttention = "This model has no attention to look at.";

// One layer and one head whose query i looks at key i, or at the last key but one, with weight 3/4, and at the next key
// with weight 1/4. Its entropy is 0.81 bits.
Json one_head(std::size_t queries, std::size_t keys) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < queries; ++i) {
    std::vector<double> row(keys);
    const std::size_t at = std::min(i, keys - 2);
    row[at] = 0.75;
    row[at + 1] = 0.25;
    rows.push_back(row);
  }
  return Json::array({Json::array({rows})});
}

// Applies an edit to all traces of the data that an offline page holds.
void edit_traces(Json& data, const std::function<void(Json&)>& edit) {
  for (Json& entry : data["sentences"]) edit(entry["answer"]["translations"][0]["sentences"][0]["trace"]);
  for (Json& sentence : data["film"]["sentences"]) {
    for (Json& frame : sentence["frames"]) edit(frame["look"]);
  }
}

// Replaces the sites and blocks of the model, and removes everything else that says something about its sizes.
void edit_model(Json& data, const Json& sites, const Json& decoder_block) {
  data["model"]["arch"] = "other";
  data["model"]["summary"] = "a model of its own";
  data["model"]["sites"] = sites;
  const Json embedding = Json::array({{{"kind", "embedding"}}}), softmax = Json::array({{{"kind", "softmax"}}});
  const Json layer{{"blocks", Json::array({decoder_block})}, {"count", 1}, {"shared", false}};
  data["model"]["stacks"] = Json::array({{{"name", "encoder"},
                                          {"tokens", "source"},
                                          {"input", embedding},
                                          {"layers", Json::array()},
                                          {"output", Json::array()}},
                                         {{"name", "decoder"},
                                          {"tokens", "target"},
                                          {"input", embedding},
                                          {"layers", Json::array({layer})},
                                          {"output", softmax}}});
  data["model"]["config"] = Json::object();
  data["positions"] = {{"rows", 0}, {"columns", 8}, {"packed", ""}};
}

void keep_cross_attention(Json& data) {
  edit_model(data,
             Json::array({{{"name", "cross"},
                           {"queries", "target"},
                           {"keys", "source"},
                           {"layers", 1},
                           {"heads", 1},
                           {"d_k", 0},
                           {"causal", false},
                           {"window", 0}}}),
             {{"kind", "attention"}, {"site", "cross"}, {"reads", "encoder"}});
  edit_traces(data, [](Json& trace) {
    trace["attention"] = {{"cross", one_head(trace["tgt"].size(), trace["src"].size())}};
    trace.erase("projections");
  });
}

void keep_no_attention(Json& data) {
  edit_model(data, Json::array(), {{"kind", "recurrent"}, {"reads", "encoder"}});
  edit_traces(data, [](Json& trace) {
    trace["attention"] = Json::object();
    trace.erase("projections");
  });
}

// Writes an offline page of two sentences with edited data to `path`.
void write_edited_page(const std::string& path, const std::string& model, void (*edit)(Json&)) {
  const Ending ending = shell("printf '%s\\n' '" + kSentence + "' '" + kOther + "' | " + kProgram + " show --model " +
                              model + " --output " + path);
  EXPECT_EQ(ending.status, 0) << ending.err;
  std::string page = read_file(path);
  const std::string mark = R"(id="dragoman-data">)";
  const std::size_t first = page.find(mark) + mark.size();
  const std::size_t length = page.find("</script>", first) - first;
  Json data = parse_json(page.substr(first, length), "the data");
  edit(data);
  page.replace(first, length, data.dump());  // the words of this model hold no markup
  replace_file(path, page);
}

std::vector<std::string> seen_tabs(Browser& browser) {
  return browser.value(
      "[...document.querySelectorAll('[role=tab]')].filter((tab) => tab.checkVisibility())"
      ".map((tab) => tab.dataset.tab)");
}

// The note below the tabs.
std::string note(Browser& browser) {
  return browser.run(
      "const note = document.querySelector('.tabs + .note'); return note.checkVisibility() ? note.textContent : '';");
}

void expect_text(Browser& browser, const std::string& selector, const std::string& part) {
  const std::string text = browser.text(selector);
  EXPECT_NE(text.find(part), std::string::npos) << selector << ": " << text;
}

// Opens a view and expects that it shows nothing but a sentence.
void expect_sentence(Browser& browser, const std::string& view, const std::string& sentence) {
  SCOPED_TRACE(view);
  browser.click("[data-tab=" + view + "]");
  browser.wait_for("document.querySelector('#view').dataset.view === '" + view +
                   "' && document.querySelector('#view .empty')?.checkVisibility() && "
                   "!document.querySelector('#view .empty').textContent.includes('being fetched')");
  expect_text(browser, "#view .empty", sentence);
}

// Expects that the view can be saved as a picture.
void expect_picture(Browser& browser) {
  browser.click("#export");
  browser.click("#export-panel button");
  browser.wait_for("!['', 'One moment …'].includes(document.querySelector('.menu-status').textContent)");
  expect_text(browser, ".menu-status", "Saved");
  browser.click("#export");
}

// Takes the tour and returns the titles of its steps. Each step must mark an element of the page.
std::vector<std::string> tour(Browser& browser) {
  std::vector<std::string> titles;
  browser.click("#tour-button");
  while (browser.value("document.querySelector('#tour').open") && titles.size() < 30) {
    titles.push_back(browser.text("#tour-title"));
    browser.wait_for("document.querySelector('.tour-here')");
    browser.click("#tour .main");
  }
  return titles;
}

TEST_F(PageTest, OneAttentionOfOneHeadIsShownInEveryView) {
  write_edited_page(file("one.html"), model(), keep_cross_attention);
  // The address names sites that the model does not have, so the first attention, layer and head are shown.
  open_file(file("one.html"), kState + "&attention=decoder&layer=2&head=2&heads=2&off=e1.1");
  EXPECT_TRUE(browser().text("#model").starts_with("a model of its own")) << browser().text("#model");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.segments input')].filter((input) => "
                            "input.parentElement.checkVisibility()).map(({dataset}) => dataset.value)"),
            Json({"cross", "0"}));
  EXPECT_EQ(browser().text(".stats tbody"), " 10.811.90.75");  // head, entropy, distance, peak
  EXPECT_EQ(browser().value("document.querySelectorAll('.keys .token').length"), 9);
  // There are no other heads to compare this one with, and no position encodings.
  EXPECT_EQ(seen_tabs(browser()),
            (std::vector<std::string>{"heads", "matrix", "why", "whatif", "compare", "words", "beam", "play", "film"}));

  show("matrix");
  expect_text(browser(), "#view .note", "Mean entropy 0.81 bits");
  browser().focus(".cells");
  browser().press({Key::kRight});
  browser().wait_for("document.querySelector('.chosen-cell').innerText.endsWith('0.7500')");
  EXPECT_FALSE(browser().value("document.querySelector('#view').textContent.includes('masked')"));
  expect_sentence(browser(), "why", "does not show the queries and keys");

  expect_sentence(browser(), "whatif", "offline file");
  show("compare");
  browser().run(
      "const list = document.querySelector('.compare select'); list.value = arguments[0]; "
      "list.dispatchEvent(new Event('change'));",
      Json::array({kOther}));
  wait_until_shown("document.querySelector('.boards button')?.checkVisibility()");
  // The second translation is empty: its only query, </s>, looks at the first two keys. In the first translation it
  // looks at others.
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.boards button')].map(({textContent}) => textContent)"),
            Json({"100"}));
  show("beam");
  EXPECT_GT(browser().value("document.querySelectorAll('.tree-results tbody tr').length"), 0);

  show("play");
  browser().run(
      "const slider = document.querySelector('.player input'); slider.value = 0; "
      "slider.dispatchEvent(new Event('input'));");  // it plays by itself
  expect_text(browser(), ".play-caption", "Each of the 9 pieces of the source becomes a vector.");
  for (const std::string caption : {"it reads the start token", "Decoder, layer 1 of 1. Attention", "Softmax", "is "}) {
    browser().click("[aria-label='One step forward']");
    browser().wait_for("true");
    expect_text(browser(), ".play-caption", caption);
  }
  show("film");
  expect_text(browser(), ".film h3", "0.81 bits");

  for (const std::string view : {"heads", "matrix", "compare", "beam", "play", "film"}) {
    SCOPED_TRACE(view);
    show(view);
    expect_picture(browser());
  }

  EXPECT_EQ(tour(browser()), (std::vector<std::string>{"First, how the model learned", "Your sentence, in pieces",
                                                       "From pieces to vectors", "Looking at the source",
                                                       "From vectors to words", "Your turn"}));
}

TEST_F(PageTest, AModelWithoutAttentionShowsTranslationAndSearch) {
  write_edited_page(file("none.html"), model(), keep_no_attention);
  open_file(file("none.html"),
            kState + "&query=2&key=1&heads=2&off=c1.1&compare=" + "three+eight+two+seven+three+one+two+six");
  const Json expected = translated({{"q", kSentence}});
  EXPECT_EQ(browser().text("#translation"), expected["text"].get<std::string>());
  EXPECT_EQ(note(browser()), kNoAttention);
  EXPECT_EQ(seen_tabs(browser()), (std::vector<std::string>{"whatif", "compare", "words", "beam", "play", "film"}));
  EXPECT_EQ(browser().value("document.querySelector('#view').dataset.view"), "beam");
  expect_text(browser(), ".tree-results tbody", expected["text"]);
  expect_text(browser(), ".facts", "score " + shown(expected["score"]));

  expect_sentence(browser(), "whatif", "offline file");
  show("compare");
  wait_until_shown("document.querySelector('.compare .facts').textContent");
  EXPECT_EQ(browser().text(".compare .translation"), translated({{"q", kOther}})["text"].get<std::string>());
  show("play");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.play-block')].map(({dataset}) => dataset.kind)"),
            Json({"embedding", "embedding", "recurrent", "softmax", "probabilities", "search"}));
  show("film");
  EXPECT_GT(browser().text(".film-step").size(), 5u);
  EXPECT_FALSE(browser().value("document.querySelector('.film-parts').checkVisibility()"));

  // The arrow keys skip tabs that are hidden.
  browser().focus("[data-tab=film]");
  browser().press({Key::kRight});
  browser().wait_for("document.querySelector('#view').dataset.view === 'whatif'");
  EXPECT_EQ(tour(browser()), (std::vector<std::string>{"First, how the model learned", "Your sentence, in pieces",
                                                       "From vectors to words", "Your turn"}));
}

// For kEditAnswers: renames the encoder's self-attention to "local", renames the cross-attention to "memory" and keeps
// only the first of its heads, and leaves out the decoder's self-attention.
constexpr const char* kRenameSites = R"(
  const names = {local: "encoder", memory: "cross"};
  const first = ({layers, heads, queries, keys, packed, ...rest}) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const size = 4 * queries * keys;
    let kept = "";
    for (let layer = 0; layer < layers; ++layer) {
      kept += String.fromCharCode(...bytes.subarray(layer * heads * size, layer * heads * size + size));
    }
    return {...rest, layers, heads: 1, queries, keys, packed: btoa(kept)};
  };
  const edit = {
    sites: (sites) => sites.filter(({name}) => name !== "decoder").map((site) => (
      site.name === "encoder" ? {...site, name: "local"} : {...site, name: "memory", heads: 1, d_k: 0})),
    attention: ({encoder, cross}) => ({local: encoder, memory: first(cross)}),
    projections: (list) => list.map((entry) => ({...entry, attention: entry.attention === "encoder" ? "local" : ""})),
    steps: (steps) => ({...steps, attention: "local"}),
  };)";

// For kEditAnswers: leaves out all attention.
constexpr const char* kRemoveSites = R"(
  const names = {};
  const edit = {sites: () => [], attention: () => ({}), projections: () => []};)";

// Adds a second pair of languages, whose model has no attention.
constexpr const char* kSecondPair = R"(
  const ask = window.fetch;
  const known = (text) => text?.replace("source=xx", "source=en").replace('"source":"xx"', '"source":"en"');
  window.fetch = async (path, options = {}) => {
    const answer = await ask(known(path), {...options, body: known(options.body)});
    if (path === "/languages") {
      return Response.json([...await answer.json(), {code: "xx", name: "Another", targets: ["de"]}]);
    }
    if (!path.startsWith("/v1/model") || !path.includes("source=xx")) return answer;
    return Response.json({...await answer.json(), source: "xx", sites: []});
  };)";

TEST_F(PageTest, SitesMayHaveOtherNamesAndDifferentNumbersOfHeads) {
  const EditedServer server(browser(), std::string(kRenameSites) + kEditAnswers);
  open(kState);
  const std::string squares = "document.querySelectorAll('[aria-label=\"Heads shown\"] [aria-pressed=true]').length";
  EXPECT_EQ(browser().value(squares), 2);
  expect_text(browser(), ".reading h3", "Local (source to source), layer 2");
  browser().click("input[data-value=memory] + span");
  wait_until_shown(squares + " === 1");
  expect_text(browser(), ".reading h3", "Memory (translation to source), layer 2");
  browser().click("input[data-value=local] + span");
  wait_until_shown(squares + " === 2");  // all heads again

  show("why");
  browser().wait_for("document.querySelector('.why .sums') && document.querySelector('.why-end')");
  const std::string weight = browser().text(".why-question strong.number");
  EXPECT_NEAR(std::stod(weight), std::stod(browser().text(".why .sums dd:nth-of-type(2)")), 1e-4);
  browser().click("input[data-value=memory] + span");
  browser().wait_for("document.querySelector('#view .empty').checkVisibility()");
  expect_text(browser(), "#view .empty", "does not show the queries and keys");

  show("ranking");
  EXPECT_EQ(browser().value("document.querySelectorAll('.ranking tbody tr').length"), 2 * 2 + 2 * 1);
  show("play");
  browser().wait_for("document.querySelector('.play-caption').textContent");

  show("whatif");
  EXPECT_EQ(browser().value("[...document.querySelectorAll('.board.wide')].map((board) => "
                            "board.querySelectorAll('button').length)"),
            Json({4, 2}));
  browser().click(".board.wide [aria-label^='Memory (translation to source), layer 2, head 1:']");
  wait_until_shown("document.querySelector('.card.now .facts') && location.hash.includes('off=memory')");
  const Json off{{"attention", "cross"}, {"layer", 2}, {"head", 1}};
  const Json expected = translated({{"q", kSentence}, {"heads_off", Json::array({off})}});
  expect_text(browser(), ".card.now .facts", "log p " + shown(expected["log_probability"]));
  open(browser().value("location.hash.slice(1)").get<std::string>());  // the link contains the head that is off
  wait_until_shown("document.querySelector('.card.now .facts')");
  expect_text(browser(), ".card.now .facts", "log p " + shown(expected["log_probability"]));
}

TEST_F(PageTest, WithoutAttentionTheSearchMayStillBeChanged) {
  const EditedServer server(browser(), std::string(kRemoveSites) + kEditAnswers);
  open(kState + "&tab=whatif&beam=1&alpha=0");
  wait_until_shown("document.querySelector('.card.now .facts')");
  const Json expected = translated({{"q", kSentence}, {"beam", 1}, {"alpha", 0}});
  expect_text(browser(), ".card.now .facts", "log p " + shown(expected["log_probability"]));
  EXPECT_FALSE(browser().value("[...document.querySelectorAll('.board')].some((board) => board.checkVisibility())"));
  browser().click("[data-tab=compare]");
  browser().wait_for("document.querySelector('#view').dataset.view === 'compare'");
  browser().type("#second", kOther);
  wait_until_shown("document.querySelector('.compare .facts').textContent");
  EXPECT_EQ(browser().text(".compare .translation"), translated({{"q", kOther}})["text"].get<std::string>());
}

TEST_F(PageTest, AnotherPairOfLanguagesMayHaveAnotherKindOfModel) {
  const EditedServer server(browser(), kSecondPair);
  const auto choose = [](const std::string& pair) {
    browser().run(
        "const list = document.querySelector('#pair'); list.value = arguments[0]; "
        "list.dispatchEvent(new Event('change'));",
        Json::array({pair}));
  };
  open(kState + "&tab=grid");
  EXPECT_EQ(note(browser()), "");
  EXPECT_EQ(seen_tabs(browser()).size(), 12u);
  choose("xx de");
  wait_until_shown("document.querySelector('#view').dataset.view === 'beam'");
  EXPECT_EQ(note(browser()), kNoAttention);
  EXPECT_EQ(seen_tabs(browser()).size(), 7u);
  choose("en de");
  wait_until_shown("document.querySelector('#view').dataset.view === 'grid'");
  EXPECT_EQ(seen_tabs(browser()).size(), 12u);
  EXPECT_EQ(browser().value("document.querySelectorAll('.thumb canvas').length"), 3 * 2 * 2);
}

}  // namespace
}  // namespace dragoman
