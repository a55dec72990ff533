#include "dragoman/serve/page/page.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/testing.h"
#include "dragoman/serve/offline.h"

namespace dragoman::serve {
namespace {

// What stands between two marks.
std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t first = text.find(start) + start.size();
  return text.substr(first, text.find(end, first) - first);
}

TEST(Page, NeedsNoOtherFile) {
  const std::string page = attention_page();
  for (const char* link : {"src=\"", "href=\"http", "url(http", "@import"}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
  const Json map = try_parse_json(between(page, "<script type=\"importmap\">", "</script>"));
  EXPECT_TRUE(map["imports"].contains("dragoman/main.js"));
}

TEST(Page, NothingInItsDataEndsTheElement) {
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
