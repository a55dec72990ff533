// Tests of the languages of the attention page: the tables of texts, the page in Chinese, and the button that changes
// the language.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "dragoman/base/files.h"
#include "tests/page.h"
#include "tests/program.h"

namespace dragoman {
namespace {

// Makes the browser prefer Chinese.
constexpr const char* kChinese = R"(
  Object.defineProperty(navigator, "languages", {get: () => ["zh-CN", "en"]});)";

const std::string kChangedState = kState + "&query=2&key=1&off=c1.1&prefix=nine&compare=three+eight+two+seven+three";

std::string source_file(const std::string& path) { return std::string(DRAGOMAN_SOURCE_DIR) + "/" + path; }

// Names that are the same in every language, and the words of the test's model and its sentences.
const Json kSameInEveryLanguage{"dragoman",  "Transformer", "softmax", "Softmax", "Logit",  "lens",  "log",  "exp",
                                "PE",        "pos",         "sin",     "cos",     "SVG",    "PNG",   "JSON", "HTML",
                                "API",       "Enter",       "float",   "base",    "Escape", "Top",   "gnmt", "FFN",
                                "MultiHead", "GPU",         "json",    "top",     "ms",     "unk",   "one",  "two",
                                "three",     "four",        "five",    "six",     "seven",  "eight", "nine"};

// The texts in an element of the page that have English words.
std::vector<std::string> english_texts(Browser& browser, const std::string& root = "body") {
  const Json model = browser.run("return fetch('/v1/model').then((answer) => answer.json());");
  const Json texts{model["summary"], "dragoman heads --model DIR FILE"};
  return browser.run(read_file(source_file("tests/english.js")), Json::array({kSameInEveryLanguage, texts, root}));
}

std::string language_of(Browser& browser) { return browser.value("document.documentElement.lang"); }

TEST_F(PageTest, EveryTextIsThereInEveryLanguage) {
  open(kState);
  // The modules are loaded again with a function that returns the tables as they are written.
  const Json faults = browser().run(R"(return (async () => {
      const {imports} = JSON.parse(document.querySelector("script[type=importmap]").textContent);
      const names = Object.keys(imports).filter((name) => name.startsWith("dragoman/strings/"));
      const codes = Object.keys((await import("dragoman/core/language.js")).languages).sort().join();
      const isText = (value) => typeof value === "function" || (typeof value === "string" && value.trim() !== "") ||
        (Array.isArray(value) && value.some(isText));
      const kindOf = (value) => typeof value === "string" ? "text" : `${value.constructor.name} of ${value.length}`;
      const isWhole = (texts) => Object.keys(texts).sort().join() === codes && Object.values(texts).every(isText) &&
        new Set(Object.values(texts).map(kindOf)).size === 1;
      const faults = names.length < 5 ? ["there are hardly any tables"] : [];
      for (const name of names) {
        const module = await (await fetch(imports[name])).text();
        const raw = module.replace(/import \{inLanguage\} from [^;]*;/, "const inLanguage = (table) => table;");
        const tables = Object.values(await import(`data:text/javascript,${encodeURIComponent(raw)}`));
        for (const [key, texts] of tables.flatMap((table) => Object.entries(table))) {
          if (!isWhole(texts)) faults.push(`${name}: ${key}`);
        }
      }
      return faults;
    })();)");
  EXPECT_EQ(faults, Json::array());
}

// Texts belong in the tables. This finds sentences in the other modules: string literals of three or more words in a
// row, and of two if the first begins with a capital letter.
TEST(PageTexts, StandInTheTables) {
  const std::regex literal(R"re("[^"\n]*"|`[^`\n]*`)re"), inserted(R"(\$\{[^}]*\})"), comment(R"((^|\s)(//|/?\*).*)");
  const std::regex sentence(R"([A-Za-z]{2,}[,;:]? [a-z]{2,} [a-z]{2,}|(^.|[^A-Za-z])[A-Z][a-z]+ [a-z]{2,})");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file("web"))) {
    const std::string path = std::filesystem::relative(entry.path(), source_file("web")).generic_string();
    const bool has_words = path == "core/examples.js" || path == "views/tour/words.js";  // lists of words, not texts
    if (!path.ends_with(".js") || path.starts_with("strings/") || has_words) continue;
    std::istringstream lines(read_file(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      line = std::regex_replace(line, comment, "");
      for (std::sregex_iterator found(line.begin(), line.end(), literal), end; found != end; ++found)
        EXPECT_FALSE(std::regex_search(std::regex_replace(found->str(), inserted, ""), sentence))
            << path << ": " << line;
    }
  }
}

TEST_F(PageTest, EveryViewIsInChinese) {
  const EditedServer chinese(browser(), kChinese);
  open(kChangedState);
  EXPECT_EQ(language_of(browser()), "zh");
  for (const std::string& view : views()) {
    show(view);
    for (const std::string& text : english_texts(browser())) ADD_FAILURE() << view << ": " << text;
  }
  show("grid");
  browser().click(".thumb");
  browser().wait_for("document.querySelector('dialog.enlarged').open");
  for (const std::string& text : english_texts(browser())) ADD_FAILURE() << "enlarged head: " << text;
  browser().press({Key::kEscape});
}

TEST_F(PageTest, TheTourIsInChinese) {
  const EditedServer chinese(browser(), kChinese);
  open(kState);
  browser().click("#tour-button");
  const int count = browser().value("Number(document.querySelector('.tour-count').textContent.match(/\\d+/g)[1])");
  EXPECT_GT(count, 8);
  for (int step = 1; step <= count; ++step) {
    browser().wait_for("document.querySelector('.tour-count').textContent.includes('" + std::to_string(step) + "')");
    for (const std::string& text : english_texts(browser(), "#tour")) ADD_FAILURE() << "step " << step << ": " << text;
    browser().click(".tour-buttons .main");
  }
  EXPECT_FALSE(browser().value("document.querySelector('#tour').open"));
}

TEST_F(PageTest, FailuresAndExportAreInChinese) {
  const EditedServer chinese(browser(), kChinese);
  open(kState);
  browser().click("#export");
  browser().click("#export-panel .menu-item:nth-child(3)");
  browser().wait_for("document.querySelector('.menu-status').textContent.includes('dragoman.json')");
  EXPECT_EQ(browser().text(".menu-status"), "已保存为 dragoman.json。");
  browser().network(false);
  browser().type("#sentence", "nine one");
  browser().wait_for("document.querySelector('.output .failure').checkVisibility()");
  EXPECT_EQ(browser().text(".output .failure span"), "服务器没有响应。它还在运行吗？");
  browser().network(true);
  for (const std::string& text : english_texts(browser())) ADD_FAILURE() << text;
  browser().console_errors();  // the request that failed
}

TEST_F(PageTest, TheLanguageButtonKeepsTheState) {
  open(kState + "&tab=matrix&attention=encoder&layer=1&head=2&query=2&key=3");
  EXPECT_EQ(language_of(browser()), "en");
  EXPECT_EQ(browser().text("#language"), "中文");
  browser().wait_for("location.hash.includes('source=en')");  // the page has written the address
  const Json before = browser().value("location.hash");
  const std::string cell = browser().text(".chosen-cell span");
  browser().click("#language");
  wait_until_shown("document.documentElement.lang === 'zh' && document.querySelector('.chosen-cell span')");
  EXPECT_EQ(browser().value("location.hash"), before);
  EXPECT_EQ(browser().text(".chosen-cell span"), cell);
  EXPECT_EQ(browser().text("[data-tab=matrix]"), "矩阵");

  // Text that has just been typed is kept, and the keyboard works, too.
  browser().run(R"(
      const input = document.querySelector("#sentence");
      input.value = "six five";
      input.dispatchEvent(new Event("input"));
      document.querySelector("#language").focus();)");
  browser().press({Key::kEnter});
  wait_until_shown("document.documentElement.lang === 'en' && document.querySelector('#sentence')?.value");
  EXPECT_EQ(browser().value("document.querySelector('#sentence').value"), "six five");
  EXPECT_EQ(browser().text("[data-tab=matrix]"), "Matrix");
  open(kState);  // the choice is remembered
  EXPECT_EQ(language_of(browser()), "en");
  browser().run("localStorage.clear();");
}

TEST_F(PageTest, AnOfflineFileHasEveryLanguage) {
  const std::string path = file("languages.html");
  const Ending made = shell("echo " + kSentence + " | " + kProgram + " show --model " + model() + " --output " + path);
  ASSERT_EQ(made.status, 0) << made.err;
  // Some browsers let a file store nothing.
  const EditedServer forgetful(browser(), R"(
      Object.defineProperty(window, "localStorage", {get() { throw new DOMException("refused", "SecurityError"); }});)");
  open_file(path);
  show("beam");
  show("heads");
  browser().click("#language");
  wait_until_shown("document.documentElement.lang === 'zh'");
  EXPECT_EQ(browser().text("[data-tab=heads]"), "注意力头");
  EXPECT_EQ(browser().value("document.querySelector('#view').dataset.view"), "heads");
  browser().click("#language");
  wait_until_shown("document.documentElement.lang === 'en'");
}

TEST_F(PageTest, NothingScrollsSidewaysInChinese) {
  const EditedServer chinese(browser(), kChinese);
  browser().size(360, 740);
  open(kChangedState);
  for (const std::string& view : views()) {
    show(view);
    EXPECT_LE(browser().value("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"), 360)
        << view;
  }
}

}  // namespace
}  // namespace dragoman
