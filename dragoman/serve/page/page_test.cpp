#include "dragoman/serve/page/page.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/testing.h"
#include "dragoman/serve/offline.h"

namespace dragoman::serve {
namespace {

// The text between `start` and the next `end`.
std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t first = text.find(start) + start.size();
  return text.substr(first, text.find(end, first) - first);
}

// The bytes that base64 text stands for.
std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    bits = bits << 6 | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8));
  }
  return bytes;
}

TEST(Page, NeedsNoOtherFile) {
  const std::string page = attention_page();
  for (const char* link : {"src=\"", "href=\"http", "url(http", "@import"}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
}

// The modules of the page by the names under which they import each other.
std::map<std::string, std::string> modules(const std::string& page) {
  std::map<std::string, std::string> found;
  const Json map = try_parse_json(between(page, "<script type=\"importmap\">", "</script>"));
  for (const auto& [name, url] : map["imports"].items()) {
    const std::string text = url.get<std::string>();
    found[name] = from_base64(text.substr(text.find(',') + 1));
  }
  return found;
}

// The names of the modules that a module imports.
std::vector<std::string> imports_of(const std::string& module) {
  std::vector<std::string> names;
  for (std::size_t at = module.find("\"dragoman/"); at != std::string::npos; at = module.find("\"dragoman/", at + 1)) {
    const std::string name = module.substr(at + 1, module.find('"', at + 1) - at - 1);
    if (name.ends_with(".js")) names.push_back(name);  // the tour names other files of the source
  }
  return names;
}

TEST(Page, ModulesImportEachOtherByTheNamesOfTheImportMap) {
  const std::map<std::string, std::string> all = modules(attention_page());
  EXPECT_TRUE(all.contains("dragoman/main.js"));
  EXPECT_TRUE(all.contains("dragoman/views/heads/view.js"));
  int imports = 0;
  for (const auto& [name, text] : all) {
    for (const char* relative : {"\"./", "\"../"}) EXPECT_EQ(text.find(relative), std::string::npos) << name;
    for (const std::string& imported : imports_of(text)) {
      EXPECT_TRUE(all.contains(imported)) << name << " imports " << imported;
      ++imports;
    }
  }
  EXPECT_GT(imports, 100);
}

// The folder of a module in web/: "core", "strings", "parts", "views/NAME", or "" at the top.
std::string folder_of(const std::string& module) {
  const std::string path = module.substr(std::string("dragoman/").size());
  return path.substr(0, path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
}

// The layers of web/, lowest first: strings with core/language.js, core, parts, views.
TEST(Page, ModulesImportOnlyFromTheirFolderAndLowerLayers) {
  for (const auto& [name, text] : modules(attention_page())) {
    const std::string folder = folder_of(name);
    if (folder.empty() || folder == "views") continue;  // main.js and the list of views know all
    for (const std::string& imported : imports_of(text)) {
      const std::string from = folder_of(imported);
      const bool is_lower = folder == "strings"
                                ? imported == "dragoman/core/language.js"
                                : from == "strings" || from == "core" || (from == "parts" && folder != "core");
      EXPECT_TRUE(from == folder || is_lower) << name << " imports " << imported;
    }
  }
}

TEST(Page, StylesOfViewsComeAfterThoseOfPartsAndOfThePage) {
  const std::string page = attention_page();
  const std::size_t base = page.find("--paper:"), part = page.find("\n.segments {"),
                    view = page.find("\n.heads-body {");
  EXPECT_LT(base, part);
  EXPECT_LT(part, view);
  EXPECT_NE(view, std::string::npos);
}

TEST(Page, DataCannotEndItsScriptElement) {
  const std::string data = R"({"text":"</script><b>"})";
  const std::string page = attention_page(data);
  EXPECT_EQ(try_parse_json(between(page, "id=\"dragoman-data\">", "</script>")), try_parse_json(data));
}

class OfflineTest : public decode::ModelDirectoryTest {};

TEST_F(OfflineTest, HoldsTheAnswersOfTheServer) {
  Models models({directory}, {.search = {.max_extra = 8}, .threads = 1}, 100);
  const HandlerContext context{.models = models, .limits = {.cost = {.tokens = 4}}};
  const std::string page = offline_page(context, {"one two", "three"});
  const Json data = try_parse_json(between(page, "id=\"dragoman-data\">", "</script>"));
  ASSERT_EQ(data["sentences"].size(), 2u);
  const Json& sentence = data["sentences"][0]["answer"]["translations"][0]["sentences"][0];
  EXPECT_EQ(sentence["text"], decode::Translator(directory, {.search = {.max_extra = 8}, .threads = 1})
                                  .translate(std::vector<std::string>{"one two"})[0]
                                  .text);
  EXPECT_FALSE(sentence["trace"]["projections"].empty());
  EXPECT_THROW(offline_page(context, {"one two three four five"}), Error);  // too long
}

}  // namespace
}  // namespace dragoman::serve
