#include "dragoman/decode/lines/search_of_model.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/files/search.h"

namespace dragoman::decode {
namespace {

using SearchOfModel = data::CorpusTest;

TEST_F(SearchOfModel, IsTheDefaultUnlessTheDirectoryHasOne) {
  EXPECT_EQ(search_of_model(directory).beam, SearchSettings{}.beam);
  model::write_search(directory, R"({"beam": 6, "rules": "transformers"})");
  const SearchSettings search = search_of_model(directory);
  EXPECT_EQ(search.beam, 6);
  EXPECT_EQ(search.rules, Rules::kTransformers);
  EXPECT_EQ(search.alpha, SearchSettings{}.alpha);
}

TEST_F(SearchOfModel, GoesWithACopyOfTheModel) {
  model::write_search(directory, R"({"beam": 6})");
  make_directory(directory / "copy");
  model::copy_search(directory, directory / "copy");
  EXPECT_EQ(search_of_model(directory / "copy").beam, 6);
}

TEST_F(SearchOfModel, IsRefusedIfTheFileIsDamaged) {
  for (const char* text :
       {"", "{", "[]", R"({"beams": 6})", R"({"beam": "many"})", R"({"beam": 5000})", R"({"beam": 2, "n-best": 3})"}) {
    model::write_search(directory, text);
    EXPECT_NE(data::error_message_of([&] { search_of_model(directory); }).find("search.json'"), std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace dragoman::decode
