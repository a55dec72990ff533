#include "dragoman/health/model.h"

#include <fstream>
#include <limits>

#include "dragoman/decode/testing.h"
#include "dragoman/health/testing.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/train/checkpoint.h"

namespace dragoman::health {
namespace {

class ModelHealth : public decode::ModelDirectoryTest {
 protected:
  Section examine(const std::string& sentence = "") const {
    return model_section({.directory = directory, .sentence = sentence, .threads = 1});
  }
  // Writes the weights again, with one tensor changed.
  void change_weights(const std::string& name, double scale) const {
    model::ModelInfo info = model::read_info(directory);
    model::SmallModel small(info.config);
    small.add_noise();
    const Array values = small.parameter(name);
    small.on->scaled(values, scale, Sink::overwrite(values));
    model::write_safetensors(model::weights_file(directory), *small.on, small.block.tensors());
  }
};

TEST_F(ModelHealth, OfAWholeModelIsGood) {
  const Section section = examine();
  for (const Finding& found : section.findings) EXPECT_EQ(found.level, Level::kGood) << found.text;
  for (const char* check : {"config", "weights", "vocabulary", "translation", "languages"}) {
    EXPECT_NE(finding(section, check).text, "") << check;
  }
  EXPECT_NE(finding(section, "weights").text.find("all finite"), std::string::npos);
}

// The model is not trained: it translates one word to a sentence without end, and two words to nothing.
TEST_F(ModelHealth, JudgesTheTranslationOfARealSentence) {
  const Finding endless = finding(examine("one"), "translation"), empty = finding(examine("one two"), "translation");
  EXPECT_EQ(endless.level, Level::kWarning);
  EXPECT_NE(endless.text.find("translates \"one\" to \"six six "), std::string::npos) << endless.text;
  EXPECT_EQ(empty.level, Level::kWarning);
  EXPECT_NE(empty.text.find("the translation is empty"), std::string::npos) << empty.text;
}

TEST_F(ModelHealth, TriesASentenceOfTheValidationText) {
  replace_file(directory / "metrics.jsonl",
               "{\"kind\": \"progress\"}\n{\"samples\": 7}\nnot JSON \"samples\"\n"
               "{\"kind\": \"validation\", \"samples\": [{\"source\": \"three four\"}]}\n");
  EXPECT_EQ(finding(examine(), "translation").text.find("translates \"three four\" to \""), 0u);
}

TEST_F(ModelHealth, MissesFiles) {
  for (const auto& [file, check] : {std::pair("config.json", "config"), std::pair("model.safetensors", "weights"),
                                    std::pair("tokenizer.model", "vocabulary")}) {
    const std::string bytes = read_file(directory / file);
    std::filesystem::remove(directory / file);
    const Section section = examine();
    EXPECT_EQ(finding(section, check).level, Level::kError) << file;
    EXPECT_EQ(section.count(Level::kError), 1) << file;
    EXPECT_EQ(finding(section, "translation").text, "") << file;  // is not tried
    replace_file(directory / file, bytes);
  }
}

TEST_F(ModelHealth, FindsAnotherFormatOfTheDirectory) {
  std::string config = read_file(directory / "config.json");
  config.replace(config.find("\"format\": 1"), 11, "\"format\": 9");
  replace_file(directory / "config.json", config);
  const Finding found = finding(examine(), "config");
  EXPECT_EQ(found.level, Level::kError);
  EXPECT_NE(found.text.find("format 9"), std::string::npos) << found.text;
}

TEST_F(ModelHealth, FindsWeightsOfAnotherModel) {
  model::TransformerConfig config = model::small_config();
  config.d_ff = 40;
  model::ModelInfo info = model::read_info(directory);
  config.V_source = config.V_target = info.config.source_vocabulary();
  info.config = config;
  model::write_info(directory, info);
  EXPECT_EQ(finding(examine(), "weights").level, Level::kError);
}

TEST_F(ModelHealth, FindsAVocabularyOfAnotherSize) {
  const text::Tokenizer other = text::train_tokenizer({.kind = text::TokenizerKind::kWord}, 20, 1,
                                                      text::one_by_one({"one two three four", "five"}));
  model::write_tokenizers(directory, {other, other}, true);
  EXPECT_EQ(finding(examine(), "vocabulary").level, Level::kError);
}

TEST_F(ModelHealth, CountsNumbersThatAreNotFinite) {
  change_weights("enc.0.ffn.b_1", std::numeric_limits<double>::quiet_NaN());
  const Finding found = finding(examine(), "finite");
  EXPECT_EQ(found.level, Level::kError);
  EXPECT_EQ(found.count, 36);  // d_ff
  EXPECT_NE(found.text.find("enc.0.ffn.b_1"), std::string::npos) << found.text;
}

TEST_F(ModelHealth, WarnsOfAMatrixOfZeros) {
  change_weights("enc.0.ffn.W_1", 0);
  const Section section = examine();
  EXPECT_EQ(finding(section, "zero").level, Level::kWarning);
  EXPECT_EQ(section.count(Level::kError), 0);
}

TEST_F(ModelHealth, ReportsDamagedLanguages) {
  name_languages("en", "de");
  EXPECT_NE(finding(examine(), "languages").text.find("translates English to German"), std::string::npos);
  replace_file(model::languages_file(directory), "{");
  EXPECT_EQ(finding(examine(), "languages").level, Level::kError);
}

TEST_F(ModelHealth, ReportsADamagedFileThatCommandsRead) {
  make_directory(directory / "probe");
  struct Case {
    const char *check, *name, *whole;
    std::vector<const char*> damaged;
  };
  const Case cases[] = {
      {"search", "search.json", R"({"beam": 6})", {"", "{", R"({"beams": 6})", R"({"beam": 5000})"}},
      {"heads", "heads.json", R"({"heads": [{"attention": "cross"}]})", {"", R"({"x":)", R"({"heads": [1]})"}},
      {"records", "metrics.jsonl", "", {"no record\n", "\xA7\x01", "{}\n"}},
      {"film", "probe/step-5.jsonl", R"({"source": "one", "look": {}})", {"no frame", "\xA7\x01", "{}"}},
      {"words", "words.txt", nullptr, {"\xA7"}}};
  for (const auto& [check, name, whole, damaged] : cases) {
    if (whole != nullptr) {
      replace_file(directory / name, whole);
      EXPECT_EQ(finding(examine(), check).level, Level::kGood);
      EXPECT_NE(finding(examine(), check).text, "") << check;
    }
    for (const char* text : damaged) {
      replace_file(directory / name, text);
      const Section section = examine();
      const Finding found = finding(section, check);
      EXPECT_EQ(found.level, Level::kError) << name << ": " << text;
      EXPECT_NE(found.text.find(std::string(name) + "'"), std::string::npos) << found.text;
      EXPECT_EQ(section.count(Level::kError), 1) << name << ": " << text;
    }
    std::filesystem::remove(directory / name);
  }
}

TEST_F(ModelHealth, ReportsDamagedCheckpointsAndLeftovers) {
  make_directory(directory / "checkpoints" / "step-10");
  replace_file(directory / "checkpoints" / "step-10" / "checksums.json", "{}");
  const Section section = examine();
  EXPECT_EQ(finding(section, "checkpoints").level, Level::kError);
  EXPECT_NE(finding(section, "translation").text, "");  // the model itself is whole
  replace_file(unfinished_path(directory / "metrics.jsonl"), "");
  EXPECT_EQ(finding(examine(), "unfinished").level, Level::kWarning);
}

TEST_F(ModelHealth, LeavesTheDirectoryAsItIs) {
  const auto files = [&] { return list_directory(directory); };
  const auto before = files();
  examine();
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace dragoman::health
