#include "dragoman/model/files/languages.h"

#include <gtest/gtest.h>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"

namespace dragoman::model {
namespace {

class LanguagesTest : public data::CorpusTest {};

TEST_F(LanguagesTest, AreReadAsWritten) {
  const std::vector<std::string> english{"the cat sat on the mat", "what is this?"},
      german{"die Katze sitzt auf der Matte"};
  write_languages(directory, {{.tag = "en", .profile = text::LanguageProfile(english)},
                              {.tag = "de", .profile = text::LanguageProfile(german)},
                              {.tag = "fr"}});
  const auto read = read_languages(directory, {"de", "fr"});
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].tag, "de");
  EXPECT_EQ(read[0].profile, text::LanguageProfile(german));
  EXPECT_FALSE(read[1].profile);
}

TEST_F(LanguagesTest, CapitalsOfTagsDoNotMatter) {
  const text::LanguageProfile profile(std::vector<std::string>{"the cat sat on the mat"});
  write_languages(directory, {{.tag = "EN", .profile = profile}});
  EXPECT_EQ(read_languages(directory, {"en"})[0].profile, profile);
}

TEST_F(LanguagesTest, TheFileIsOptionalButMustNotBeDamaged) {
  EXPECT_FALSE(read_languages(directory, {"de"})[0].profile);
  for (const char* text : {"{", "[]", R"({"de": 3})", R"({"de": "abc"})"}) {
    replace_file(languages_file(directory), text);
    EXPECT_NE(data::error_message_of<Error>([&] { read_languages(directory, {"de"}); }).find("languages.json"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace dragoman::model
