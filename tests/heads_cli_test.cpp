// dragoman heads: what each attention head does over many sentences.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/directory.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

class Heads : public SmallModelTest {
 protected:
  Ending heads(const std::string& arguments) const {
    return run("heads --model " + model + " --threads 2 " + arguments);
  }
  std::string heads_file() const { return model + "/heads.json"; }
  Json saved() const { return parse_json(read_file(heads_file()), "the file"); }
};

TEST_F(Heads, AreCountedOverTheSentencesThatTheModelTranslates) {
  const std::string text = write("text", joined(random_lines(60, 1)));
  const Ending ending = heads(text);
  ASSERT_EQ(ending.status, 0) << ending.err;
  const std::vector<std::string> lines = lines_of(ending.out);
  ASSERT_EQ(lines.size(), 1u + 3 * 2 * 2 + 3) << ending.out;  // three sites of two layers with two heads
  EXPECT_TRUE(lines[0].starts_with("head         role             entropy  distance"));
  EXPECT_TRUE(lines[1].starts_with("encoder 1.1  "));
  EXPECT_TRUE(lines.back().starts_with("12 heads over ")) << lines.back();

  const Json file = saved();
  EXPECT_EQ(file["heads"].size(), 12u);
  double entropy = 0;
  for (const Json& head : file["heads"]) entropy += head["attention"] == "encoder" ? head["entropy"].get<double>() : 0;
  EXPECT_TRUE(lines[14].starts_with(fmt::format("mean entropy in bits: encoder {:.2f}, ", entropy / 4))) << lines[14];
  EXPECT_LE(file["sentences"], 60);
  EXPECT_GT(file["sentences"], 30);  // some lines are empty
  for (const Json& head : file["heads"]) {
    const bool is_cross = head["attention"] == "cross";
    EXPECT_EQ(head["forward"].is_number(), is_cross) << head;
    EXPECT_EQ(head["previous"].is_number(), !is_cross) << head;
    for (const char* share : {"own", "previous", "next", "first", "end", "agreement"}) {
      if (head[share].is_null()) continue;
      EXPECT_TRUE(head[share] >= 0 && head[share] <= 1) << head;
    }
  }
  // The same text gives the same file with any number of threads, and without a text the file is shown.
  const std::string bytes = read_file(heads_file());
  ASSERT_EQ(heads(text + " --threads 1").status, 0);
  EXPECT_EQ(read_file(heads_file()), bytes);
  EXPECT_EQ(heads("").out, ending.out);
  Json shown = parse_json(heads("--json").out, "the output");
  EXPECT_EQ(shown["current"], true);
  shown.erase("current");
  EXPECT_EQ(shown, file);
}

TEST_F(Heads, CanBeComparedWithAlignments) {
  const std::string source = write("source", "one two\nthree\n"), target = write("target", "two one\nthree\n");
  const std::string gold = write("gold", "0-1 1-0\n0-0\n");
  const Ending ending = heads(source + " --reference " + target + " --alignments " + gold);
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(ending.out.find("AER"), std::string::npos) << ending.out;
  const Json file = saved();
  for (const Json& head : file["heads"]) {
    EXPECT_EQ(head.contains("alignment_error"), head["attention"] == "cross");
    EXPECT_EQ(head["role"], "mixed");  // three words prove nothing
  }
}

TEST_F(Heads, RefuseWhatTheyCannotUseAndKeepWhatWasFound) {
  expect_one_sentence(heads(""), 2, "nothing is known of the heads of");
  const std::string source = write("source", "one two\nthree\n"), target = write("target", "two one\nthree\n");
  ASSERT_EQ(heads(source).status, 0);
  const std::string before = read_file(heads_file());
  expect_one_sentence(heads("/no/such/text"), 1, "/no/such/text");
  expect_one_sentence(heads(write("empty", "\n\n") + " --reference " + write("empty2", "\n\n")), 2,
                      "there is no sentence in '");
  expect_one_sentence(heads(source + " --reference " + write("empty2", "\n\n")), 2, "there is no sentence to look at");
  expect_one_sentence(heads(source + " " + source + " --reference " + target), 2, "give exactly one FILE");
  expect_one_sentence(heads(source + " --reference " + write("one", "one\n")), 2, "lines");
  expect_one_sentence(heads(source + " --alignments " + target), 2, "name them with --reference");
  expect_one_sentence(heads(source + " --reference " + target + " --alignments " + write("bad", "0-0\n0:0\n")), 2,
                      "line 2: '0:0' is not a link of two words");
  expect_one_sentence(heads(source + " --reference " + target + " --alignments " + write("few", "0-0\n")), 2,
                      "has 1 line for 2 sentences");
  expect_one_sentence(heads(source + " --sentences 0"), 2, "sentences is 0");
  EXPECT_EQ(read_file(heads_file()), before);
}

TEST_F(Heads, ReplaceADamagedFile) {
  const std::string source = write("source", "one two\nthree\n");
  ASSERT_EQ(heads(source).status, 0);
  const std::string whole = read_file(heads_file());
  const Json current = saved();
  Json odd = current;
  odd["pronoun"] = {{"sentences", "many"}};
  for (const std::string& damaged : {std::string(R"({"x":)"), std::string(R"({"heads": [1]})"), odd.dump()}) {
    replace_file(heads_file(), damaged);
    expect_one_sentence(heads(""), 1, "make it again with 'dragoman heads' and a file of sentences.");
    const Ending ending = heads(source);
    EXPECT_EQ(ending.status, 0) << ending.err;
    EXPECT_EQ(read_file(heads_file()), whole) << damaged;
  }
}

TEST_F(Heads, OfAnExportedCopyAreThoseOfTheModel) {
  ASSERT_EQ(heads(write("text", "one two\n")).status, 0);
  ASSERT_EQ(run("export --model " + model + " --precision int8 --output " + file("copy")).status, 0);
  const Ending copy = run("heads --model " + file("copy"));
  EXPECT_EQ(copy.out, heads("").out);
  EXPECT_EQ(copy.err, "");
}

TEST_F(Heads, OfAModelThatHasChangedAreMarked) {
  ASSERT_EQ(heads(write("text", "one two\n")).status, 0);
  model::ModelInfo info = model::read_info(model);
  info.provenance = R"({"steps": 7})";
  model::write_info(model, info);
  const Ending ending = heads("");
  EXPECT_EQ(ending.status, 0);
  EXPECT_NE(ending.err.find("the model has changed since this was found"), std::string::npos) << ending.err;
}

}  // namespace
}  // namespace dragoman
