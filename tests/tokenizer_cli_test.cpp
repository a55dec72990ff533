// Tests `dragoman tokenizer` from the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/program.h"

namespace dragoman {
namespace {

// A directory with a small text and a tokenizer learned from it.
class TokenizerCommand : public ::testing::Test {
 protected:
  TokenizerCommand() {
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/text") << "the cat sat on the mat\nthe rat ate that hat\n\na cat is not a mat\n";
    trained = run("tokenizer train --input " + text + " --vocabulary 40 --output " + model);
  }
  ~TokenizerCommand() override { std::filesystem::remove_all(directory); }

  Ending piped(const std::string& input, const std::string& arguments) const {
    return shell("printf -- '" + input + "' | " + kProgram + " tokenizer " + arguments + " --model " + model);
  }

  std::string directory = scratch("_tokenizer"), text = directory + "/text", model = directory + "/tokenizer.model";
  Ending trained;
};

TEST_F(TokenizerCommand, TrainsTheSameVocabularyAgain) {
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.out.find("tokens, learned from 4 lines"), std::string::npos) << trained.out;
  const std::string again = directory + "/again";
  EXPECT_EQ(run("tokenizer train --input " + text + " --vocabulary 40 --output " + again).status, 0);
  EXPECT_EQ(shell("cmp " + model + " " + again).status, 0);
}

TEST_F(TokenizerCommand, EncodesAndDecodesLineByLine) {
  const std::string lines = "the cat\\n\\nthat  mat\\n";
  const Ending pieces = piped(lines, "encode"), ids = piped(lines, "encode --ids");
  EXPECT_EQ(pieces.status, 0) << pieces.err;
  EXPECT_TRUE(pieces.out.starts_with("\xE2\x96\x81the ")) << pieces.out;
  EXPECT_EQ(piped(pieces.out, "decode").out, "the cat\n\nthat mat\n");
  EXPECT_EQ(piped(ids.out, "decode --ids").out, "the cat\n\nthat mat\n");
}

TEST_F(TokenizerCommand, TakesTheDirectoryOfAModelToo) {
  const Ending ending = shell("echo cat | " + kProgram + " tokenizer encode --model " + directory);
  EXPECT_EQ(ending.out, piped("cat\\n", "encode").out);
}

TEST_F(TokenizerCommand, SamplesAsTheSeedSays) {
  const std::string lines = "the cat sat on the mat\\nthe cat sat on the mat\\n";
  const std::string one = piped(lines, "encode --sample 0.5 --seed 1").out;
  EXPECT_EQ(piped(lines, "encode --sample 0.5 --seed 1").out, one);
  EXPECT_NE(piped(lines, "encode --sample 0.5 --seed 2").out, one);
  EXPECT_EQ(piped(one, "decode").out, "the cat sat on the mat\nthe cat sat on the mat\n");
}

TEST_F(TokenizerCommand, ReportsMistakesInOneSentence) {
  const std::string train = "tokenizer train --output " + model;
  expect_one_sentence(run(train), 2, "tokenizer train: --input FILE is missing");
  expect_one_sentence(run("tokenizer train --input " + text), 2, "--output");
  expect_one_sentence(run(train + " --input /no/such/file"), 1, "cannot read '/no/such/file' (no such file");
  expect_one_sentence(run(train + " --input " + directory), 1, "(is a directory)");
  expect_one_sentence(run(train + " --input /dev/null"), 2, "there is no text to learn a vocabulary from");
  expect_one_sentence(run(train + " --vocabulary 9 --input " + text), 2, "the characters of this text need ");
  expect_one_sentence(run(train + " --tokenizer bep --input " + text), 2, "Did you mean 'bpe'?");
  expect_one_sentence(run("tokenizer encode --model /no/such/file"), 1, "cannot read '/no/such/file'");
  expect_one_sentence(run("tokenizer encode --model " + text), 1, "is not a SentencePiece model");
  expect_one_sentence(run("tokenizer decode"), 2, "tokenizer decode: --model FILE is missing");
  expect_one_sentence(piped("a\\n", "encode --sample 2"), 2, "sample is 2; it must be from 0 to 1.");
}

TEST_F(TokenizerCommand, NamesTheLineThatIsWrong) {
  expect_one_sentence(piped("a\\377\\n", "encode"), 2,
                      "standard input line 1 is not UTF-8 text (byte 0xFF at column 2)");
  expect_one_sentence(piped("xyz\\n", "decode"), 2, "standard input line 1: 'xyz' is not a token of this tokenizer");
  expect_one_sentence(piped("9999\\n", "decode --ids"), 2, "'9999' is not an id of this tokenizer");
  expect_one_sentence(piped("-1\\n", "decode --ids"), 2, "'-1' is not an id of this tokenizer");
}

TEST_F(TokenizerCommand, EndsQuietlyWhenTheReaderDoes) {
  const Ending ending = shell("yes the cat | " + kProgram + " tokenizer encode --model " + model + " | head -1");
  EXPECT_EQ(ending.err, "");
}

TEST(Tokenizer, WithoutACommandShowsItsHelpAndFails) {
  const Ending ending = run("tokenizer");
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.out, "");
  EXPECT_NE(ending.err.find("encode"), std::string::npos);
  EXPECT_EQ(run("tokenizer --help").status, 0);
  EXPECT_NE(run("tokenizer train --help").out.find("--character-coverage"), std::string::npos);
}

TEST(Tokenizer, CommandsAndFlagsThatDoNotExistAreNamed) {
  expect_one_sentence(run("tokenizer trian"), 2, "there is no command 'tokenizer trian'. Did you mean 'train'?");
  expect_one_sentence(run("tokenizer train --inptu x"), 2, "there is no flag '--inptu'. Did you mean '--input'?");
  expect_one_sentence(run("tokenizer train x"), 2, "'x' is neither a flag nor a flag's value");
}

}  // namespace
}  // namespace dragoman
