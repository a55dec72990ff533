// The second half of the view "Why": from the weights to the end of the layer.
#include <cmath>

#include "tests/page.h"
#include "tests/program.h"

namespace dragoman {
namespace {

const std::string kAllSteps =
    "document.querySelectorAll('.why-chain li').length === 7 && "
    "!document.querySelector('.why-chain .stale')";

Json steps_request(const std::string& attention, int layer, int query) {
  const Json steps{{"attention", attention}, {"layer", layer}, {"query", query}};
  return {{"q", kSentence}, {"trace", true}, {"packed", true}, {"steps", steps}};
}

// Chooses dimension 4 in all strips, and returns what the page shows beside the last strip of each step.
constexpr const char* kShownSums = R"(
    return [...document.querySelectorAll(".why-chain li")].map((step) => {
      const vectors = [...step.querySelectorAll(".vectors")].at(-1);
      const slider = vectors.querySelector("input");
      slider.value = 4;
      slider.dispatchEvent(new Event("input"));
      return vectors.querySelector(".vector-rows .vector-row:last-child .vector-value").textContent;
    });)";

// The same numbers from the server's answer, as the page writes them. The head is the second.
constexpr const char* kServerSums = R"(
    const [steps] = arguments;
    const numbers = (packed) => new Float32Array(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)).buffer);
    const [query] = steps.queries;
    const {heads, output, add_norm: first, feed_forward: network} = query;
    return [numbers(heads.packed)[heads.columns + 3], ...[output, first.sum, first.result, network.output,
      network.add_norm.sum, network.add_norm.result].map((packed) => numbers(packed)[3])];)";

TEST_F(PageTest, TheStepsOfALayerShowTheNumbersOfTheServer) {
  open(kState + "&tab=why&attention=cross&layer=2&head=2&query=2");
  wait_until_shown(kAllSteps);
  const Json steps = translated(steps_request("cross", 2, 2))["trace"]["steps"];
  std::vector<std::string> expected;
  for (const double number : browser().run(kServerSums, Json::array({steps}))) expected.push_back(shown(number));
  EXPECT_EQ(browser().run(kShownSums), Json(expected));
  const Json& units = steps["queries"][0]["feed_forward"]["units"];
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string row = ".of-network .vectors:last-of-type .vector-row:nth-child(" + std::to_string(i + 2) + ") ";
    EXPECT_EQ(browser().text(row + "button"), "Unit " + std::to_string(units[i]["unit"].get<int>()));
    EXPECT_EQ(browser().text(row + ".vector-second"), shown(units[i]["activation"]));
    const double percent = 100 * units[i]["share"].get<double>();
    if (std::abs(percent) < 0.05) continue;  // the page writes these as "<0.1%"
    EXPECT_EQ(browser().text(row + ".vector-share"), shown(percent, 1) + "%");
  }
}

// At every site and layer, what the page computes is what the kernels computed, up to rounding.
TEST_F(PageTest, TheStepsOfALayerDifferFromTheKernelByRounding) {
  for (const std::string attention : {"encoder", "decoder", "cross"}) {
    for (const int layer : {1, 2}) {
      open(kState + "&tab=why&attention=" + attention + "&layer=" + std::to_string(layer));
      // After the decoder's self-attention comes cross-attention, so the feed-forward network is not shown there.
      const int steps = attention == "decoder" ? 4 : 7, checks = attention == "decoder" ? 4 : 8;
      wait_until_shown("document.querySelectorAll('.why-chain li').length === " + std::to_string(steps));
      const Json differences = browser().value(
          "[...document.querySelectorAll('.why-check')].map(({dataset}) => [dataset.difference, dataset.units])");
      EXPECT_EQ(differences.size(), checks);
      for (const Json& difference : differences) {
        EXPECT_LT(std::stod(difference[0].get<std::string>()), 1e-4) << attention << " " << layer;
        EXPECT_LT(std::stod(difference[1].get<std::string>()), 256) << attention << " " << layer;
      }
    }
  }
}

TEST_F(PageTest, AWrongNumberIsADifference) {
  const EditedServer server(browser(), std::string(R"(
      const names = {};
      const edit = {feed_forward: (network) => ({...network, output: network.input})};)") +
                                           kEditAnswers);
  open(kState + "&tab=why&attention=cross&layer=2");
  wait_until_shown(kAllSteps);
  EXPECT_NE(browser().text(".of-network li:first-child > .why-check:last-child").find("more than the rounding"),
            std::string::npos);
  EXPECT_EQ(browser().text(".of-attention li:first-child .why-check").find("more than the rounding"),
            std::string::npos);
}

TEST_F(PageTest, TheEndOfALayerLeadsOn) {
  open(kState + "&tab=why&attention=decoder&layer=1");
  wait_until_shown("document.querySelector('.why-end button')");
  browser().click(".why-end button");
  wait_until_shown(kAllSteps + " && location.hash.includes('tab=why')");
  EXPECT_NE(browser().text(".why-end p").find("Layer 2"), std::string::npos);
  browser().click(".why-end button");
  wait_until_shown("document.querySelectorAll('.why-chain li').length === 4");
  open(kState + "&tab=why&attention=cross&layer=2");
  wait_until_shown(kAllSteps);
  browser().click(".why-end button");
  wait_until_shown("document.querySelector('#view').dataset.view === 'words'");
}

TEST_F(PageTest, AChosenHeadOrUnitIsFollowed) {
  open(kState + "&tab=why&attention=encoder&layer=1&head=1");
  wait_until_shown(kAllSteps);
  browser().click(".of-attention li:nth-child(2) .vector-row:nth-child(3) button");
  wait_until_shown("document.querySelector('.of-attention .sum .vector-label').textContent === '= head 2'");
  wait_until_shown(kAllSteps);
  const std::string second = ".of-network .vectors:last-of-type .vector-row:nth-child(3) button";
  const std::string name = browser().text(second);
  browser().click(second);
  wait_until_shown("document.querySelector('.of-network').textContent.includes('" + name + ": the product')");
}

// A file has the steps of one layer. Elsewhere it says so, and leads there.
TEST_F(PageTest, AnOfflineFileLeadsToTheStepsThatItHas) {
  const std::string path = file("steps.html");
  const Ending ending =
      shell("echo " + kSentence + " | " + kProgram + " show --model " + model() + " --output " + path);
  ASSERT_EQ(ending.status, 0) << ending.err;
  open_file(path, kState + "&tab=why&attention=encoder&layer=1");
  browser().wait_for("document.querySelector('.why-chain .failure').checkVisibility()");
  EXPECT_NE(browser().text(".why-chain .failure").find("This offline file does not contain"), std::string::npos);
  EXPECT_EQ(browser().text(".why-chain > button"), "Show Cross-attention, layer 2, which the file contains");
  browser().click(".why-chain > button");
  wait_until_shown(kAllSteps);
}

TEST_F(PageTest, AHeadThatIsSwitchedOffHasNoOutput) {
  open(kState + "&tab=why&attention=cross&layer=2&head=2&off=c2.2");
  wait_until_shown(kAllSteps);
  EXPECT_NE(browser().text(".of-attention li:first-child").find("switched off"), std::string::npos);
  EXPECT_EQ(browser().text(".of-attention li:first-child .sum .vector-value"), "0.000");
  EXPECT_EQ(browser().text(".of-attention li:nth-child(2) .row-chosen .vector-share"), "0.0%");
}

}  // namespace
}  // namespace dragoman
