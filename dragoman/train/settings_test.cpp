#include "dragoman/train/settings.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::train {
namespace {

using data::error_message_of;

TEST(TextSettings, LanguagesComeFromFileNames) {
  TextSettings text;
  text.train_source = {"corpus/train.en"};
  text.train_target = {"corpus/train.zh-Hans.xz"};
  text.resolve_languages();
  EXPECT_EQ(text.source_language, "en");
  EXPECT_EQ(text.target_language, "zh-Hans");
}

TEST(TextSettings, CapitalsOfLanguagesDoNotMatter) {
  TextSettings text;
  text.train_source = {"train.ZH"};
  text.target_language = "EN-us";
  text.resolve_languages();
  EXPECT_EQ(text.source_language, "zh");
  EXPECT_EQ(text.target_language, "en-US");
}

TEST(TextSettings, FileNamesWithoutALanguageGiveNone) {
  for (const char* name : {"train", "train.text", "train.gz", "train.e", "a.b/train", "train.12", "train.en-"}) {
    TextSettings text;
    text.train_source = {name};
    text.resolve_languages();
    EXPECT_EQ(text.source_language, "") << name;
  }
}

TEST(TextSettings, AGivenLanguageStaysAndMustBeATag) {
  TextSettings text;
  text.train_source = {"train.en"};
  text.source_language = "fr-CA";
  text.resolve_languages();
  EXPECT_EQ(text.source_language, "fr-CA");
  for (const char* tag : {"english", "e", "en-", "en--US", "en-toolongsubtag", "e1", "en_US"}) {
    text.source_language = tag;
    EXPECT_NE(error_message_of<UsageError>([&] { text.resolve_languages(); }), "") << tag;
  }
}

TEST(TextSettings, FilesOfPairsComeAfterSourceAndTargetFiles) {
  TextSettings text;
  text.train_source = {"a.en"};
  text.train_target = {"a.de"};
  text.train_pairs = {"b"};
  text.train_weights = {"1", "2.5"};
  const auto files = text.training_files();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].target, "a.de");
  EXPECT_EQ(files[1].source, "b");
  EXPECT_EQ(files[1].weight, 2.5);
  text.train_weights = {"1"};
  EXPECT_EQ(error_message_of<UsageError>([&] { text.training_files(); }), "train-weights has 1 number for 2 corpora.");
}

TEST(TrainingSettings, ReadBackAsTheyWere) {
  TrainingSettings settings;
  settings.model.as<model::TransformerConfig>().P_drop = 0.3f;
  settings.model.as<model::TransformerConfig>().window = 5;
  settings.training.seed = 18446744073709551615u;
  settings.training.eps = 1e-9;
  settings.text.train_source = {"a", "b"};
  settings.run.best_by = BestBy::kBleu;
  settings.machine.memory_mb = 100;
  const Json object = to_json(settings);
  EXPECT_EQ(to_json(settings_from_json(object, "x")), object);
  const Json parsed = parse_json(object.dump(), "x");
  EXPECT_EQ(to_json(settings_from_json(parsed, "x")), object);
}

TEST(TrainingSettings, UnknownOnesAndWrongValuesAreNamed) {
  EXPECT_EQ(error_message_of([] {
              settings_from_json({{"dorpout", 1}}, "x");
            }),
            "x: there is no setting 'dorpout'; another version of dragoman wrote it. Continue with that version.");
  EXPECT_NE(error_message_of([] { settings_from_json({{"steps", "many"}}, "x"); }).find("x: steps"), std::string::npos);
  EXPECT_NE(error_message_of([] { settings_from_json(Json::array(), "x"); }), "");
}

TEST(Differences, ListOnlySettingsThatChangeNumbers) {
  const TrainingSettings before;
  TrainingSettings now = before;
  now.training.steps = 7;
  now.machine.threads = 3;
  now.text.train_source = {"elsewhere"};
  EXPECT_TRUE(differences(before, now).empty());
  now.model.as<model::TransformerConfig>().P_drop = 0.3f;
  now.run.save_every = 5;
  EXPECT_EQ(differences(before, now),
            (std::vector<std::string>{"dropout was 0.1 and is 0.3", "save-every was 1000 and is 5"}));
}

}  // namespace
}  // namespace dragoman::train
