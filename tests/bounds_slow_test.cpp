// For any input, the program's memory does not grow with the input, or it refuses the input in one sentence. (The name
// *_slow_test keeps this test out of sanitizer builds, which use additional memory.)
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/text/unpack.h"
#include "tests/child.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

constexpr long kMaxMebibytes = 160;  // the program itself needs about 30

class Bounds : public SmallModelTest {
 protected:
  // Creates a file with shell commands, so that this process does not hold the text in memory.
  std::string made(const std::string& name, const std::string& commands) const {
    const Ending ending = shell("{ " + commands + "; } > " + file(name));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return file(name);
  }
  std::string translating(const std::string& input, const std::string& flags = "") const {
    return "translate --model " + model + " --threads 2 --beam 1 --max-extra 2 " + flags + " < " + input;
  }
  Ending expect_bounded(const std::string& arguments, long most = kMaxMebibytes) const {
    Child child(arguments);
    Ending ending = child.wait();
    EXPECT_LE(child.peak_mebibytes(), most) << arguments;
    return ending;
  }
};

TEST_F(Bounds, OfMemoryHoldForALineOfAnyLengthPlainOrPacked) {
  const std::string letters = "head -c 30000000 /dev/zero | tr '\\0' a; echo; echo three";
  std::vector<std::string> inputs{made("plain", letters)};
  if (text::can_unpack()) inputs.push_back(made("packed", "{ " + letters + "; } | gzip -1"));
  for (const std::string& input : inputs) {
    const Ending ending = expect_bounded(translating(input));
    EXPECT_EQ(ending.status, 0) << ending.err;
    EXPECT_NE(ending.err.find("line 1 is long; it was translated in"), std::string::npos) << ending.err;
  }
}

TEST_F(Bounds, OfMemoryHoldForManyLongLines) {
  const std::string lines = "for i in $(seq 60); do head -c 4000000 /dev/zero | tr '\\0' b; echo; done";
  const Ending ending = expect_bounded(translating(made("lines", lines)));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(ending.err.find("line 60 is long; it was translated in"), std::string::npos) << ending.err;
}

TEST_F(Bounds, OfMemoryHoldForEndlessInputWhichIsRefused) {
  const std::string small = write("small", "one\n"), out = file("out");
  const std::string with_model = " --model " + model + " --threads 1 ";
  for (const std::string& arguments : std::vector<std::string>{
           "translate" + with_model + "< /dev/zero", "translate" + with_model + "--prefix /dev/zero < " + small,
           "score --reference /dev/zero --hypothesis " + small, "score --reference " + small + " < /dev/zero",
           "evaluate" + with_model + "--source /dev/zero --reference " + small,
           "evaluate" + with_model + "--source " + small + " --reference /dev/zero",
           "show" + with_model + "--output " + out + " --input /dev/zero",
           "tokenizer train --output " + out + " --input /dev/zero",
           "tokenizer encode --model " + model + " < /dev/zero", "tokenizer decode --model " + model + " < /dev/zero",
           "tokenizer encode --model /dev/zero < " + small, "score --config /dev/zero",
           "train --model " + out + " --train-source /dev/zero --train-target " + small,
           "demo --grammar /dev/zero --model " + out}) {
    const Ending ending = expect_bounded(arguments);
    EXPECT_NE(ending.status, 0) << arguments;
    const bool is_standard_input = arguments.ends_with("< /dev/zero");
    expect_last_sentence(ending, ending.status, is_standard_input ? "standard input line 1 is longer" : "'/dev/zero' ");
  }
}

TEST_F(Bounds, OfMemoryHoldForTerOfALineOfAHundredKilobytes) {
  const std::string a = made("a", "yes a | head -50000 | tr '\\n' ' '; echo"), b = made("b", "sed 's/a/b/g' " + a);
  const std::string mixed = made("mixed", "seq 20000 | sed 's/..$//' | tr '\\n' ' '; echo");
  EXPECT_EQ(expect_bounded("score --ter --reference " + a + " --hypothesis " + b).status, 0);
  EXPECT_EQ(expect_bounded("score --ter --reference " + a + " --hypothesis " + mixed).status, 0);
}

TEST_F(Bounds, OfMemoryHoldForLearningAVocabulary) {
  RandomStream random(1);
  std::string text;
  while (text.size() < 1'200'000) {
    for (int letter = 0; letter < 8; ++letter) text += static_cast<char>('a' + random.below(26));
    text += random.below(10) == 0 ? '\n' : ' ';
  }
  const std::string learning =
      "tokenizer train --vocabulary 100 --input " + write("text", text) + " --output " + file("vocabulary") + " ";
  for (const char* kind : {"bpe", "unigram"}) {
    const Ending ending = expect_bounded(learning + "--memory-mb 60 --tokenizer " + kind, 60);
    EXPECT_EQ(ending.status, 0) << ending.err;
    EXPECT_NE(ending.err.find("it is learned from"), std::string::npos) << ending.err;
  }
  expect_one_sentence(run(learning + "--memory-mb 20"), 1, "needs at least 40 MiB");
}

}  // namespace
}  // namespace dragoman
