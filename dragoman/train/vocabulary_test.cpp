#include "dragoman/train/vocabulary.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields.h"
#include "dragoman/data/testing.h"
#include "dragoman/text/model_file.h"

namespace dragoman::train {
namespace {

class VocabularyTest : public data::CorpusTest {
 protected:
  VocabularyTest() {
    settings.text.train_source = {write("a.en", "ab ab\nac\n")};
    settings.text.train_target = {write("a.de", "xy xy\nxz\n")};
    settings.model.set_vocabularies(30, 30);
    settings.tokenizer.kind = text::TokenizerKind::kChar;
  }
  model::Tokenizers provide(const std::string& name, const std::string& init = "") {
    make_directory(directory / name);
    const model::Tokenizers provided = provide_tokenizers(
        settings, {.directory = directory / name,
                   .init = init.empty() ? "" : directory / init,
                   .message = [&](const std::string& said) { learned += said.ends_with("learned from the text"); }});
    model::write_tokenizers(directory / name, provided, settings.run.joint_vocabulary);
    return provided;
  }

  void use_two() {
    settings.run.joint_vocabulary = false;
    set(settings.model, "tie", "decoder");
  }

  TrainingSettings settings;
  int learned = 0;
};

TEST_F(VocabularyTest, IsLearnedFromBothSidesAndOnlyOnce) {
  const model::Tokenizers tokenizers = provide("model");
  EXPECT_EQ(tokenizers.source.bytes(), tokenizers.target.bytes());
  EXPECT_TRUE(tokenizers.source.id("a") && tokenizers.source.id("z"));
  EXPECT_EQ(provide("model").source.bytes(), tokenizers.source.bytes());
  EXPECT_EQ(learned, 1);
}

TEST_F(VocabularyTest, EachSideHasItsOwnUnlessTheyAreJoint) {
  use_two();
  const model::Tokenizers tokenizers = provide("model");
  EXPECT_TRUE(tokenizers.source.id("b") && !tokenizers.source.id("y"));
  EXPECT_TRUE(tokenizers.target.id("y") && !tokenizers.target.id("b"));
  EXPECT_EQ(provide("model").target.bytes(), tokenizers.target.bytes());
}

TEST_F(VocabularyTest, IsTakenFromTheModelToStartFrom) {
  const model::Tokenizers first = provide("first");
  settings.text.train_source = {write("b.en", "quite another text\n")};
  EXPECT_EQ(provide("second", "first").source.bytes(), first.source.bytes());
  EXPECT_EQ(provide("second").source.bytes(), first.source.bytes());
  EXPECT_EQ(learned, 1);
}

TEST_F(VocabularyTest, InTheDirectoryMustBeThatOfTheModelToStartFrom) {
  provide("first");
  settings.text.train_source = {write("b.en", "quite another\ntext\n")};
  provide("second");
  EXPECT_NE(data::error_message_of<UsageError>([&] { provide("second", "first"); }).find("another vocabulary"),
            std::string::npos);
}

// If both were stored as one file, the target's vocabulary would be lost.
TEST_F(VocabularyTest, TwoVocabulariesOfAModelAreNotTakenAsAJointOne) {
  use_two();
  provide("first");
  settings.run.joint_vocabulary = true;
  EXPECT_NE(data::error_message_of<UsageError>([&] { provide("second", "first"); }).find("joint-vocabulary"),
            std::string::npos);
}

// As a model that was imported has them: the same tokens, but each language is cut in its own way.
TEST_F(VocabularyTest, TwoOfOneEmbeddingMustHaveTheSameTokens) {
  const auto refusal = [&](const std::string& init) {
    return data::error_message_of<UsageError>([&] { provide("tied", init); });
  };
  use_two();
  provide("apart");
  const text::Tokenizer one = provide("first").source;
  set(settings.model, "tie", "three-way");
  EXPECT_NE(refusal("").find("joint-vocabulary"), std::string::npos);  // they would be learned
  EXPECT_NE(refusal("apart").find("different tokens"), std::string::npos);
  std::vector<text::Piece> pieces = text::read_model_file(one.bytes(), "x").pieces;
  pieces.back().kind = text::PieceKind::kUnused;
  const text::Tokenizer other = text::Tokenizer::from_bytes(text::with_pieces(one.bytes(), pieces, "x"), "x");
  make_directory(directory / "alike");
  model::write_tokenizers(directory / "alike", {one, other}, false);
  EXPECT_EQ(provide("tied", "alike").target.bytes(), other.bytes());
}

}  // namespace
}  // namespace dragoman::train
