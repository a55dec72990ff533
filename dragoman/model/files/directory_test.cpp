#include "dragoman/model/files/directory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"

namespace dragoman::model {
namespace {

class DirectoryTest : public data::CorpusTest {
 protected:
  DirectoryTest() {
    info.config = small_config();
    info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
    info.source_language = "zh-Hans";
    info.seed = 18446744073709551615u;
    info.provenance = R"({"weights":"made up"})";
  }
  void write_model() {
    SmallModel small(info.config);
    write_info(directory, info);
    write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
    write_safetensors(weights_file(directory), *small.on, small.block.tensors());
  }
  std::string error_message() const {
    return data::error_message_of([&] {
      const auto on = make_backend(Device{}, {.threads = 1});
      LoadedModel(*on, directory);
    });
  }

  ModelInfo info;
};

TEST_F(DirectoryTest, InfoReadsBackAsItWas) {
  write_info(directory, info);
  const ModelInfo read = read_info(directory);
  EXPECT_EQ(settings_to_json(read.config), settings_to_json(info.config));
  EXPECT_EQ(read.source_language, "zh-Hans");
  EXPECT_EQ(read.target_language, "");
  EXPECT_EQ(read.seed, info.seed);
  EXPECT_EQ(read.provenance, info.provenance);
}

TEST_F(DirectoryTest, ACompleteModelLoads) {
  write_model();
  EXPECT_EQ(error_message(), "");
}

TEST_F(DirectoryTest, ACheckpointOfARunLoadsWithWhatTheRunHas) {
  namespace fs = std::filesystem;
  write_model();
  const fs::path checkpoint = fs::path(directory) / "checkpoints/step-70";
  fs::create_directories(checkpoint);
  const auto on = make_backend(Device{}, {.threads = 1});
  EXPECT_NE(data::error_message_of([&] { LoadedModel(*on, checkpoint); }).find("there is no model.safetensors"),
            std::string::npos);
  fs::copy(weights_file(directory), weights_file(checkpoint));
  for (const fs::path& name : {checkpoint, checkpoint / ""}) {
    const LoadedModel loaded(*on, name);
    EXPECT_EQ(loaded.info.source_language, "zh-Hans");
    EXPECT_EQ(loaded.info.provenance, R"({"weights":"the checkpoint of step 70","steps":70})");
  }
  // Only directories that are named as checkpoints are.
  fs::rename(checkpoint, fs::path(directory) / "checkpoints/best");
  EXPECT_NE(
      data::error_message_of([&] { read_info(fs::path(directory) / "checkpoints/best"); }).find("has no config.json"),
      std::string::npos);
}

// log P of every next word, with teacher forcing.
Doubles scores(Backend& on, const Seq2Seq& model) {
  const ArenaScope scratch(on.arena());
  const NoGradient no_gradient;
  const auto pairs = random_pairs(5, 7, model.target_vocabulary(), 3);
  const data::Batch batch =
      data::make_batch(on, pairs, {.V_source = model.source_vocabulary(), .V_target = model.target_vocabulary()});
  nn::Pass pass{.on = on};
  const Tensor Y = model.decode(batch.target, model.encode(batch.source, pass), pass);
  return values_of(on, log_probabilities(model, Y).array());
}

TEST_F(DirectoryTest, PackedWeightsComputeTheSameBits) {
  for (const Tie tie : {Tie::kThreeWay, Tie::kNone}) {
    info.config.as<TransformerConfig>().tie = tie;
    info.config.as<TransformerConfig>().positions =
        tie == Tie::kNone ? transformer::Positions::kLearned : transformer::Positions::kSinusoid;
    write_model();
    SmallModel plain(info.config);
    const LoadedModel loaded(*plain.on, directory), rounded(*plain.on, directory, WeightForm::kInt8);
    const Doubles expected = scores(*plain.on, plain.model);
    EXPECT_EQ(scores(*plain.on, *loaded.model), expected);
    expect_near(scores(*plain.on, *rounded.model), expected, 0.1);
  }
}

TEST_F(DirectoryTest, WeightsThatAreNotFiniteAreRefused) {
  SmallModel small(info.config);
  write_model();
  for (const float bad : {std::nanf(""), HUGE_VALF}) {
    small.parameter("enc.1.ffn.W_2").data<float>()[17] = bad;
    write_safetensors(weights_file(directory), *small.on, small.block.tensors());
    EXPECT_NE(error_message().find("the tensor 'enc.1.ffn.W_2' holds numbers that are not finite"), std::string::npos)
        << error_message();
  }
}

TEST_F(DirectoryTest, MissingFilesAreNamed) {
  EXPECT_NE(error_message().find("is not a model directory: it has no config.json."), std::string::npos)
      << error_message();
  write_info(directory, info);
  EXPECT_NE(error_message().find("there is no tokenizer.model in"), std::string::npos) << error_message();
  write_model();
  std::filesystem::remove(weights_file(directory));
  EXPECT_NE(error_message().find("there is no model.safetensors in"), std::string::npos) << error_message();
}

TEST_F(DirectoryTest, InvalidConfigsAreRefused) {
  write_model();
  const std::string config = read_file(directory / "config.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = config;
    changed.replace(changed.find(from), from.size(), to);
    write("config.json", changed);
    return error_message();
  };
  EXPECT_NE(with("\"heads\": 2", "\"heads\": 0").find("config.json': heads"), std::string::npos);
  EXPECT_NE(with("\"heads\": 2", "\"heads\": \"two\"").find("config.json': heads"), std::string::npos);
  EXPECT_NE(with("\"transformer\"", "\"lstm\"").find("a model of the kind 'lstm'"), std::string::npos);
  EXPECT_NE(with("\"seed\"", "\"sed\"").find("has no entry 'seed'"), std::string::npos);
  EXPECT_NE(with("\"source-vocabulary\": ", "\"source-vocabulary\": 1").find("vocabulary"), std::string::npos);
}

TEST_F(DirectoryTest, TwoVocabulariesTakeTwoFiles) {
  const text::Tokenizer other = text::toy_tokenizer({});
  write_tokenizers(directory, {data::word_tokenizer(), other}, false);
  const Tokenizers read = read_tokenizers(directory);
  EXPECT_EQ(read.source.bytes(), data::word_tokenizer().bytes());
  EXPECT_EQ(read.target.bytes(), other.bytes());
}

}  // namespace
}  // namespace dragoman::model
