#include "dragoman/model/foreign/vocabulary_plan.h"

#include <gtest/gtest.h>

#include "dragoman/array/tokens.h"
#include "dragoman/data/testing.h"
#include "dragoman/text/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;
using Floats = std::vector<float>;

// The vocabulary of a MarianMT model: the end and the unknown token first, <pad> last.
Dictionary marian_dictionary() { return Dictionary({"</s>", "<unk>", "b", "a", "<pad>"}, "vocab.json"); }
const SpecialTokens kMarian{.pad = "<pad>"};

// The rows of theirs that ours are, in their runs.
std::string runs_of(const VocabularyPlan& plan, std::int64_t longest) {
  std::string text;
  plan.each_run(longest, [&](const VocabularyPlan::Run& run) {
    text += run.from ? join(*run.from, " to ", *run.from + run.count - 1, ", ") : join(run.count, " zeros, ");
  });
  return text;
}

TEST(VocabularyPlan, PutsOurSpecialTokensFirst) {
  const VocabularyPlan plan = plan_vocabulary(marian_dictionary(), kMarian, Padding::kAbsent, {}, "vocab.json");
  std::vector<std::string> tokens;
  for (const VocabularyPlan::Row& row : plan.rows) tokens.push_back(row.token);
  EXPECT_EQ(tokens, (std::vector<std::string>{"<pad>", "<s>", "</s>", "<unk>", "b", "a"}));
  EXPECT_EQ(runs_of(plan, 100), "2 zeros, 0 to 3, ");
  EXPECT_EQ(runs_of(plan, 3), "2 zeros, 0 to 2, 3 to 3, ");
  EXPECT_EQ(plan.output_bias({5, 6, 7, 8, 9}, "x"), (Floats{-1e30f, -1e30f, 5, 6, 7, 8}));
  EXPECT_EQ(plan.output_bias({}, "x"), (Floats{-1e30f, -1e30f, 0, 0, 0, 0}));
  EXPECT_NO_THROW(plan.require_rows(4, "x"));
  EXPECT_THROW(plan.require_rows(3, "x"), Error);
  EXPECT_THROW(plan.output_bias({1, 2, 3}, "x"), Error);
}

// fairseq's softmax runs over all rows.
TEST(VocabularyPlan, MayKeepTheRowsOfPadding) {
  const Dictionary dictionary = parse_fairseq_dictionary("a 3\n", "dict.txt");
  const SpecialTokens special{.pad = "<pad>", .begin = "<s>"};
  const VocabularyPlan plan = plan_vocabulary(dictionary, special, Padding::kInSoftmax, {}, "dict.txt");
  EXPECT_EQ(runs_of(plan, 100), "1 to 1, 0 to 0, 2 to 4, ");
  EXPECT_EQ(plan.output_bias({}, "x"), Floats(5, 0.0f));
}

TEST(VocabularyPlan, NamesTheTokenThatIsMissing) {
  const Dictionary dictionary({"</s>", "a"}, "vocab.json");
  EXPECT_NE(
      error_message_of([&] { plan_vocabulary(dictionary, {}, Padding::kAbsent, {}, "vocab.json"); }).find("<unk>"),
      std::string::npos);
}

// The vocabulary has pieces that this side's model lacks, and lacks one that the model has.
TEST(VocabularyPlan, GivesAModelItsPieces) {
  const text::Tokenizer tokenizer = text::toy_tokenizer({.kind = text::TokenizerKind::kUnigram});
  const text::ModelFile side = text::read_model_file(tokenizer.bytes(), "source.spm");
  std::vector<std::string> tokens{"</s>", "<unk>", "only-target"};
  for (std::size_t id = 5; id < side.pieces.size(); ++id) tokens.push_back(side.pieces[id].text);
  const Dictionary dictionary(tokens, "vocab.json");
  const VocabularyPlan plan = plan_vocabulary(dictionary, {}, Padding::kAbsent, {{side}}, "vocab.json");
  ASSERT_EQ(plan.rows.size(), side.pieces.size() + 1);
  EXPECT_EQ(plan.rows.back().token, side.pieces[4].text);
  EXPECT_EQ(plan.rows.back().from, 1);
  EXPECT_FALSE(plan.rows.back().is_offered);

  const text::Tokenizer changed =
      text::Tokenizer::from_bytes(planned_model(plan, tokenizer.bytes(), "source.spm"), "source.spm");
  EXPECT_EQ(changed.size(), static_cast<std::int64_t>(plan.rows.size()));
  EXPECT_EQ(changed.piece(4), "only-target");
  for (const std::string& sentence : text::toy_sentences()) {
    std::vector<std::string> expected, got;
    for (const std::int32_t id : tokenizer.encode(sentence)) {
      expected.push_back(id == 4 ? "<unk>" : tokenizer.piece(id));
    }
    for (const std::int32_t id : changed.encode(sentence)) got.push_back(changed.piece(id));
    EXPECT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace dragoman::model::foreign
