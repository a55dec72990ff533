#include "dragoman/train/probe.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/testing.h"

namespace dragoman::train {
namespace {

class ProbeTest : public decode::ModelDirectoryTest {
 protected:
  std::filesystem::path write(const std::string& text) const {
    const std::filesystem::path file = directory / "probe.txt";
    std::ofstream(file) << text;
    return file;
  }
  Json film() const { return parse_json(decode::film_json(directory), "the film"); }

  std::unique_ptr<Backend> on_ = make_backend({});
  model::LoadedModel model_{*on_, directory};
};

TEST_F(ProbeTest, FramesAddUpToAFilm) {
  EXPECT_FALSE(decode::summarise_film(directory).exists);
  const Probe probe(write("one two\n\nthree\tfour five\n"), directory, model_.tokenizers);
  for (const std::int64_t step : {0, 5, 10}) probe.write_frame(step, probe.make_frame(*on_, *model_.model));
  const Json sentences = film()["sentences"];
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[1]["source"], "three");
  EXPECT_EQ(decode::summarise_film(directory).sentences, (std::vector<std::string>{"one two", "three"}));
  ASSERT_EQ(sentences[1]["frames"].size(), 3u);
  EXPECT_EQ(sentences[1]["frames"][2]["step"], 10);
  const Json& look = sentences[1]["frames"][0]["look"];
  EXPECT_EQ(look["text"], "four five");  // the translation given in the file
  EXPECT_EQ(look["attention"]["cross"]["queries"], look["tgt"].size());
  EXPECT_EQ(look["attention"]["cross"]["keys"], look["src"].size());
}

TEST_F(ProbeTest, ARunThatGoesOnHasNoFramesOfLaterSteps) {
  const Probe probe(write("one"), directory, model_.tokenizers);
  for (const std::int64_t step : {5, 10, 15}) probe.write_frame(step, probe.make_frame(*on_, *model_.model));
  decode::rewind_film(directory, 10);
  EXPECT_EQ(film()["sentences"][0]["frames"].size(), 2u);
  EXPECT_TRUE(probe.has_frame(10));
  EXPECT_FALSE(probe.has_frame(15));
}

TEST_F(ProbeTest, ADamagedFrameIsNamed) {
  const Probe probe(write("one"), directory, model_.tokenizers);
  probe.write_frame(5, probe.make_frame(*on_, *model_.model));
  std::ofstream(directory / "probe" / "step-5.jsonl") << "{";
  EXPECT_TRUE(decode::summarise_film(directory).exists);
  EXPECT_TRUE(decode::summarise_film(directory).sentences.empty());
  EXPECT_NE(decode::summarise_film(directory).problem, "");
  try {
    film();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step-5.jsonl"), std::string::npos) << error.what();
  }
}

TEST_F(ProbeTest, RefusesFilesThatAreNotAProbe) {
  for (const std::string& text : {std::string("\n"), data::words(120)}) {
    EXPECT_THROW(Probe(write(text), directory, model_.tokenizers), UsageError) << text;
  }
}

}  // namespace
}  // namespace dragoman::train
