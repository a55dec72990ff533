// The view "Play" of the page: the model drawn from the blocks that it declares, and the animation in it.
#include <algorithm>
#include <utility>

#include "tests/page.h"

namespace dragoman {
namespace {

constexpr int kLayers = 2;

// Moments of the animation, counted from 0 as in the page's state. A layer of the encoder has 4 blocks, one of the
// decoder 6; the input of a stack is one moment, and so are linear, softmax and the written word.
constexpr int kEncoderMoments = 1 + kLayers * 4;
constexpr int kWordMoments = 1 + kLayers * 6 + 3;
constexpr int in_decoder(int word, int layer, int block) {
  return kEncoderMoments + word * kWordMoments + 1 + layer * 6 + block;
}
constexpr int softmax_of(int word) { return in_decoder(word, kLayers, 1); }

// The state of the page with the animation at a moment.
std::string at(int moment) { return kState + "&tab=play&step=" + std::to_string(moment + 1); }

std::string drawn_kinds(Browser& browser) {
  return browser.value("[...document.querySelectorAll('.play-block')].map(({dataset}) => dataset.kind).join(' ')");
}

std::string caption(Browser& browser) { return browser.text(".play-caption"); }

void expect_caption(Browser& browser, const std::string& part) {
  EXPECT_NE(caption(browser).find(part), std::string::npos) << caption(browser);
}

const std::string kSlider = "Number(document.querySelector('.player input').value)";

TEST_F(PageTest, PlayDrawsTheBlocksThatTheModelDeclares) {
  open(at(0));
  EXPECT_EQ(drawn_kinds(browser()),
            "embedding positions attention add-norm feed-forward add-norm "
            "embedding positions attention add-norm attention add-norm feed-forward add-norm linear softmax "
            "probabilities search");
  // Each block is above the one before it in its stack, and the decoder is to the right of the encoder.
  EXPECT_TRUE(browser().run(R"(
      const boxes = [...document.querySelectorAll(".play-block")].map((block) => block.getBoundingClientRect());
      const [encoder, decoder] = [boxes.slice(0, 6), boxes.slice(6)];
      const rises = (stack) => stack.every((box, i) => i === 0 || box.bottom <= stack[i - 1].top);
      return rises(encoder) && rises(decoder) && encoder[0].right < decoder[0].left;)"));
}

TEST_F(PageTest, PlayGoesFromBlockToBlockAndFromWordToWord) {
  open(at(0));
  const std::size_t words = translated({{"q", kSentence}, {"trace", true}})["trace"]["tgt"].size();
  EXPECT_EQ(browser().value("Number(document.querySelector('.player input').max)"),
            kEncoderMoments + static_cast<int>(words) * kWordMoments - 1);
  expect_caption(browser(), "Each of the 9 pieces of the source becomes a vector, and its position is added.");
  for (const std::string part : {"Encoder, layer 1 of 2. Multi-head attention", "Encoder, layer 1 of 2. Add & norm",
                                 "Encoder, layer 1 of 2. Feed-forward", "Encoder, layer 1 of 2. Add & norm",
                                 "Encoder, layer 2 of 2. Multi-head"}) {
    browser().click("[aria-label='One step forward']");
    browser().wait_for("true");
    expect_caption(browser(), part);
  }
  open(at(kEncoderMoments));
  expect_caption(browser(), "it reads the start token");
  browser().focus(".play-figure");
  for (const std::string part : {"Word 1. Decoder, layer 1 of 2. Masked multi-head attention", "Add & norm",
                                 "looks at what the encoder made of the source"}) {
    browser().press({Key::kRight});
    browser().wait_for("true");
    expect_caption(browser(), part);
  }
  EXPECT_EQ(browser().value(kSlider), in_decoder(0, 0, 2));
}

// A model may have layer or batch normalisation, and its blocks do not say which.
TEST_F(PageTest, PlayNamesNoKindOfNormalisationInChinese) {
  const EditedServer chinese(browser(), R"(
      Object.defineProperty(navigator, "languages", {get: () => ["zh-CN", "en"]});)");
  open(at(2));
  expect_caption(browser(), "残差与归一化");
}

// A likely word as the page writes it: "four 0.123", or "four <0.001" if its probability is not 0 but very small.
std::string word_and_probability(const Json& word) {
  std::string token = word["token"];
  if (token.starts_with("▁")) token.erase(0, std::string("▁").size());
  const double p = word["p"];
  return token + " " + (p < 0.0005 ? "<0.001" : shown(p));
}

TEST_F(PageTest, PlayShowsTheNumbersOfTheServer) {
  const Json trace = translated({{"q", kSentence}, {"trace", true}, {"next_words", {{"count", 10}}}})["trace"];
  const int word = 1, layer = 1;
  open(at(in_decoder(word, layer, 2)));
  double largest = 0;
  for (const Json& head : trace["attention"]["cross"][layer]) {
    for (const double weight : head[word]) largest = std::max(largest, weight);
  }
  expect_caption(browser(), shown(largest) + ".");

  open(at(softmax_of(word)));
  const std::string bars = ".play-block[data-kind=probabilities]";
  browser().wait_for("!document.querySelector('" + bars + "').ariaLabel.includes('not computed')");
  const std::string label = browser().value("document.querySelector('" + bars + "').ariaLabel");
  const Json& likeliest = trace["next_words"][word]["words"];
  std::string expected;
  for (std::size_t i = 0; i < 6; ++i) expected += word_and_probability(likeliest[i]) + ", ";
  EXPECT_NE(label.find(expected + "others"), std::string::npos) << label << "\n" << expected;
  expect_caption(browser(), "with " + shown(likeliest[0]["p"]) + ".");
}

TEST_F(PageTest, ABlockOpensTheViewThatExplainsIt) {
  const int word = 1, layer = 0;
  const auto enter = [&](const std::string& kind, int number, const std::string& view) {
    SCOPED_TRACE(kind);
    open(at(in_decoder(word, layer, 2)));
    browser().run("document.querySelectorAll('.play-block[data-kind=" + kind + "]')[arguments[0]].click();",
                  Json::array({number}));
    wait_until_shown("document.querySelector('#view').dataset.view === '" + view + "'");
    browser().wait_for("!location.hash.includes('tab=play')");
    return browser().value("location.hash").get<std::string>();
  };
  // The cross-attention of this layer, with the word pinned. "cross" is the default and so not in the address.
  browser().wait_for("true");
  std::string hash = enter("attention", 2, "heads");
  EXPECT_NE(hash.find("layer=1&"), std::string::npos) << hash;
  EXPECT_NE(hash.find("query=2"), std::string::npos) << hash;
  EXPECT_EQ(browser().value("document.querySelector('.segments input:checked').dataset.value"), "cross");
  hash = enter("attention", 0, "heads");  // of the encoder, whose last layer was computed last
  EXPECT_NE(hash.find("attention=encoder&layer=2"), std::string::npos) << hash;
  hash = enter("feed-forward", 1, "why");
  EXPECT_NE(hash.find("layer=1&"), std::string::npos) << hash;
  enter("add-norm", 0, "why");
  enter("positions", 0, "positions");
  enter("embedding", 1, "positions");
  hash = enter("softmax", 0, "words");
  EXPECT_NE(hash.find("word=2"), std::string::npos) << hash;
  enter("probabilities", 0, "words");
  enter("search", 0, "beam");
  // The step is kept for the way back.
  browser().click("[data-tab=play]");
  wait_until_shown("document.querySelector('#view').dataset.view === 'play'");
  EXPECT_EQ(browser().value(kSlider), in_decoder(word, layer, 2));
}

TEST_F(PageTest, ABlockThatWhyExplainsLeadsToItsStep) {
  const auto step_of = [&](const std::string& kind, int number) {
    open(at(in_decoder(1, 0, 2)));
    browser().run("document.querySelectorAll('.play-block[data-kind=" + kind + "]')[arguments[0]].click();",
                  Json::array({number}));
    wait_until_shown("document.querySelector('.why-steps .goal')");
    EXPECT_TRUE(browser().run(R"(
        const {top} = document.querySelector(".why-steps .goal").getBoundingClientRect();
        return top >= 0 && top < innerHeight - 60;)"))
        << kind << " " << number;
    return browser().value("document.querySelector('.why-steps .goal').dataset.step").get<std::string>();
  };
  for (const int width : {390, 1280}) {
    browser().size(width, 844);
    EXPECT_EQ(step_of("feed-forward", 0), "network");
    EXPECT_EQ(step_of("add-norm", 0), "residual");
    EXPECT_EQ(step_of("add-norm", 1), "network-residual");
    EXPECT_EQ(step_of("add-norm", 2), "residual");  // after the masked attention of the decoder
    EXPECT_EQ(step_of("add-norm", 4), "network-residual");
  }
}

TEST_F(PageTest, ABlockOpensItsViewAtTheBeginning) {
  browser().size(390, 844);
  open(at(in_decoder(1, 0, 2)));
  browser().run("scrollTo(0, document.documentElement.scrollHeight);");
  browser().run("document.querySelector('.play-block[data-kind=attention]').click();");
  wait_until_shown("document.querySelector('#view').dataset.view === 'heads'");
  const double top = browser().value("document.querySelector('#view').getBoundingClientRect().top");
  EXPECT_GE(top, 0);
  EXPECT_LT(top, 844 / 2);
}

TEST_F(PageTest, TheWholeFigureIsInSightWhileItPlays) {
  for (const auto& [width, height] : {std::pair{390, 844}, std::pair{1280, 900}}) {
    SCOPED_TRACE(width);
    browser().size(width, height);
    open(kState);
    show("play");
    browser().wait_for(kSlider + " > 1");
    const Json seen = browser().run(R"(
        const [head, figure] = [".play-head", ".play-figure"].map(
            (selector) => document.querySelector(selector).getBoundingClientRect());
        return [head.top >= 0, figure.top >= head.bottom - 1, figure.bottom <= innerHeight];)");
    EXPECT_EQ(seen, Json::array({true, true, true}));
  }
}

TEST_F(PageTest, PlaySaysWhyItHasNoProbabilities) {
  const EditedServer server(browser(), R"(
      const ask = window.fetch;
      window.refuses = true;
      window.fetch = (path, options = {}) => (window.refuses && /"next_words"/.test(options.body ?? "")
        ? Promise.resolve(new Response('{"error": "Too many words."}', {status: 503})) : ask(path, options));)");
  open(at(softmax_of(1)));
  browser().wait_for("document.querySelector('.play .failure').checkVisibility()");
  EXPECT_NE(browser().text(".play .failure").find("their bars stay empty. Too many words."), std::string::npos)
      << browser().text(".play .failure");
  browser().run("window.refuses = false;");
  browser().click(".play .failure button");
  browser().wait_for("!document.querySelector('.play .failure').checkVisibility()");
  browser().wait_for(
      "!document.querySelector('.play-block[data-kind=probabilities]').ariaLabel.includes('not computed')");
  browser().console_errors();  // the browser writes down the refused request
}

TEST_F(PageTest, BlocksCanBeReachedByKeyboard) {
  open(at(1));
  browser().focus(".play-block");
  browser().press({Key::kUp});
  browser().press({Key::kUp});
  EXPECT_EQ(browser().value("document.activeElement.dataset.kind"), "attention");
  const std::string label = browser().value("document.activeElement.ariaLabel");
  EXPECT_EQ(label,
            "Multi-head attention: Each word collects what it needs from all words of its sentence. Opens “Heads”.");
  EXPECT_EQ(browser().value("document.querySelectorAll('.play-block[tabindex=\"0\"]').length"), 1);
  browser().press({Key::kEnter});
  wait_until_shown("document.querySelector('#view').dataset.view === 'heads'");
}

TEST_F(PageTest, PlayRunsByItselfOnce) {
  open(kState);
  show("play");
  EXPECT_EQ(browser().text(".play-button"), "Pause");
  browser().wait_for(kSlider + " > 1");
  show("heads");
  show("play");
  EXPECT_EQ(browser().text(".play-button"), "Play");
}

TEST_F(PageTest, ABlockThatIsEnteredWhileItPlaysKeepsTheStep) {
  open(kState + "&tab=play");
  browser().wait_for(kSlider + " > 1");
  browser().click(".play-block[data-kind=search]");
  wait_until_shown("document.querySelector('#view').dataset.view === 'beam'");
  show("play");
  EXPECT_GT(browser().value(kSlider), 1);
  EXPECT_EQ(browser().text(".play-button"), "Play");
}

TEST_F(PageTest, PlayDoesNotRunByItselfAtAStepOrWithReducedMotion) {
  open(at(3));
  EXPECT_EQ(browser().text(".play-button"), "Play");
  EXPECT_EQ(browser().value(kSlider), 3);
  const Json reduced{{"name", "prefers-reduced-motion"}, {"value", "reduce"}};
  browser().devtools("Emulation.setEmulatedMedia", {{"features", Json::array({reduced})}});
  open(kState + "&tab=play");
  EXPECT_EQ(browser().text(".play-button"), "Play");
  EXPECT_EQ(browser().value(kSlider), 0);
}

// For kEditAnswers: a recurrent network whose decoder has only cross-attention, in the second of its layers.
constexpr const char* kRecurrentBlocks = R"(
  const names = {};
  const edit = {
    sites: (sites) => sites.filter(({name}) => name === "cross").map((site) => ({...site, layers: 1})),
    attention: ({cross}) => ({cross: {...cross, layers: 1, packed: cross.packed}}),
    projections: () => [],
    stacks: () => [
      {name: "reader", tokens: "source", input: [{kind: "embedding"}], output: [], layers: [
        {blocks: [{kind: "recurrent", title: "Both directions"}], count: 1, shared: false},
        {blocks: [{kind: "recurrent"}, {kind: "add"}], count: 3, shared: false}]},
      {name: "writer", tokens: "target", input: [{kind: "embedding"}], layers: [
        {blocks: [{kind: "recurrent"}], count: 1, shared: false},
        {blocks: [{kind: "attention", site: "cross", reads: "reader"}, {kind: "recurrent"}], count: 1, shared: false}],
        output: [{kind: "other", title: "Maxout", about: "Keeps the larger of two numbers."}, {kind: "linear"},
          {kind: "softmax"}]}],
  };)";

TEST_F(PageTest, PlayDrawsAnotherArchitectureFromItsOwnBlocks) {
  const EditedServer server(browser(), std::string(kRecurrentBlocks) + kEditAnswers);
  open(at(0));
  EXPECT_EQ(drawn_kinds(browser()),
            "embedding recurrent recurrent add embedding recurrent attention recurrent other linear softmax "
            "probabilities search");
  browser().click("[aria-label='One step forward']");
  browser().wait_for("true");
  expect_caption(browser(), "Reader, layer 1 of 4. Both directions: reads one word after the other");
  browser().click("[aria-label='One step forward']");
  browser().click("[aria-label='One step forward']");
  browser().wait_for("true");
  expect_caption(browser(), "Reader, layer 2 of 4. Add");
  // A block that no view explains says so, and a click does nothing.
  const std::string first = ".play-block[data-kind=recurrent]";
  EXPECT_TRUE(
      browser().value("document.querySelector('" + first + "').ariaLabel.endsWith('No view shows more of it.')"));
  browser().click(first);
  EXPECT_EQ(browser().value("document.querySelector('#view').dataset.view"), "play");
  EXPECT_EQ(browser().value("document.querySelector('.play-block[data-kind=other]').ariaLabel"),
            "Maxout: Keeps the larger of two numbers. Opens “Heads”.");
  // 1 + 1 + 3 * 2 moments of the reader; then the input, a recurrent block, and the attention, which is layer 1 of its
  // site.
  open(at(8 + 2));
  expect_caption(browser(),
                 "Word 1. Writer, layer 2 of 2. Multi-head attention: the word looks at what the reader made");
  browser().click(".play-block[data-kind=attention]");
  wait_until_shown("document.querySelector('#view').dataset.view === 'heads'");
}

}  // namespace
}  // namespace dragoman
