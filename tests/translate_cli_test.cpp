// Tests `dragoman translate` from the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "tests/matching.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

using Lines = std::vector<std::string>;

class TranslateCommand : public SmallModelTest {
 protected:
  // The translation of a line on its own.
  std::string translation(const std::string& line) const { return lines_of(translate(line + "\n").out).at(0); }
  // Translates from a pipe that supplies `text` and then stays open. The output goes to `reader`.
  Ending from_open_pipe(const std::string& text, const std::string& reader, const std::string& flags = "") const {
    const std::string pipe = file("pipe");
    return shell("mkfifo " + pipe + "; (printf '" + text + "'; exec sleep 60) > " + pipe + " & writer=$!\n{ " +
                 command("translate", flags) + " < " + pipe + "; echo \"status $?\" >&2; } " + reader +
                 "\nkill $writer");
  }
};

TEST_F(TranslateCommand, GivesALineForEachLine) {
  const std::string three = translation("three"), four = translation("four two");
  ASSERT_NE(three, "");
  EXPECT_EQ(translate("").out, "");
  EXPECT_EQ(translate("\n").out, "\n");
  EXPECT_EQ(translate("three\n\n  \nfour two\n").out, three + "\n\n\n" + four + "\n");
  EXPECT_EQ(translate("three\r\n\r\nfour two\r\n").out, three + "\n\n" + four + "\n");
  EXPECT_EQ(translate("three\nfour two").out, three + "\n" + four + "\n");
  EXPECT_EQ(translate("\xEF\xBB\xBFthree\nfour two\n").out, three + "\n" + four + "\n");
  // White space of every kind and characters that show nothing.
  const Ending blank =
      translate("three\n\u3000\n\u00A0\n\u200B\n\u200D\uFE0F\n\uFEFF\n\u2800 \u3164\nfour two\n", "--flags");
  EXPECT_EQ(blank.out, translate("three\n\n\n\n\n\n\nfour two\n", "--flags").out);
  EXPECT_EQ(blank.err, "");
  EXPECT_EQ(lines_of(translate("three\rfour\n").out).size(), 1u);
  const Lines with_zero = lines_of(translate(std::string("four\0two\nthree\n", 15)).out);
  ASSERT_EQ(with_zero.size(), 2u);
  EXPECT_EQ(with_zero[1], three);
}

TEST_F(TranslateCommand, TranslatesALongLineInPiecesAndSaysSo) {
  const Ending ending = translate("three\n" + data::words(9) + "\n", "--longest 3");
  EXPECT_EQ(ending.status, 0);
  EXPECT_NE(ending.err.find("translate: line 2 is long; it was translated in 3 pieces.\n"), std::string::npos);
  std::string pieces;
  for (const char* piece : {"one two three", "four five six", "seven eight nine"}) {
    const std::string text = translation(piece);
    pieces += (pieces.empty() || text.empty() ? "" : " ") + text;
  }
  EXPECT_EQ(ending.out, translation("three") + "\n" + pieces + "\n");
}

TEST_F(TranslateCommand, TakesALineOfTenMegabytes) {
  std::string huge;
  for (int word = 0; word < 100; ++word) huge += std::string(100'000, 'x') + " ";
  const Ending ending = translate(huge + "\nthree\n" + std::string(10'000'000, ' ') + "\n", "--longest 30 --beam 1");
  EXPECT_EQ(ending.status, 0) << ending.err;
  const Lines lines = lines_of(ending.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1] + "\n", translate("three\n", "--beam 1").out);
  EXPECT_EQ(lines[2], "");
}

TEST_F(TranslateCommand, TreatsABadLineAsTheFlagSays) {
  const std::string input = "three\nfour \xFF two\nthree\n", three = translation("three");
  const Ending stopped = translate(input);
  EXPECT_EQ(stopped.status, 2);
  EXPECT_EQ(stopped.out, three + "\n");
  EXPECT_EQ(
      stopped.err,
      "translate: line 2 is not UTF-8 text; correct or remove it, or use --on-bad-line keep or empty; if the file is "
      "in Latin-1 or Windows-1252, convert it with 'iconv -f WINDOWS-1252 -t UTF-8'.\n");
  EXPECT_EQ(translate(input, "--on-bad-line keep").out, three + "\nfour \xFF two\n" + three + "\n");
  EXPECT_EQ(translate(input, "--on-bad-line empty --flags").out, three + "\t\n\tbad\n" + three + "\t\n");
}

TEST_F(TranslateCommand, GivesTheSameBytesHoweverTheWorkIsSharedOut) {
  const Lines lines = random_lines(60, 4);
  const Lines backwards(lines.rbegin(), lines.rend());
  for (const std::string precision : {"", "--precision int8 "}) {
    const std::string flags = precision + "--scores --on-bad-line keep ";
    const std::string expected = translate(joined(lines), flags).out;
    EXPECT_EQ(std::ranges::count(expected, '\n'), 60);
    for (const char* more : {"--batch-size 1", "--batch-size 7", "--batch-size 1000", "--threads 1", "--workers 2",
                             "--workers 2 --batch-size 3", "--batch-tokens 20"}) {
      EXPECT_EQ(translate(joined(lines), flags + more).out, expected) << more;
    }
    EXPECT_EQ(translate(joined(lines), flags + "--attention " + file("traces")).out, expected);
    Lines results = lines_of(translate(joined(backwards), flags).out);
    std::ranges::reverse(results);
    EXPECT_EQ(joined(results), expected);
    // A neighbour of five hundred tokens that is not cut into pieces.
    const std::string neighbour = data::words(500);
    const Ending mixed = translate(neighbour + "\n" + joined(lines), flags + "--longest 5000 --max-extra 0");
    const Ending alone = translate(joined(lines), flags + "--max-extra 0");
    EXPECT_EQ(mixed.out.substr(mixed.out.find('\n') + 1), alone.out);
  }
}

TEST_F(TranslateCommand, ListsTheNBest) {
  const Ending ending = translate("three four\n\nfive\n", "--n-best 3");
  const Lines lines = lines_of(ending.out);
  ASSERT_EQ(lines.size(), 3u + 1 + 3) << ending.out;
  const std::string form = R"((\d+) \|\|\| (.*) \|\|\| logp=(-?\d+\.\d{4}) \|\|\| gnmt:0\.6=(-?\d+\.\d{4}))";
  std::vector<double> scores;
  for (const std::string& line : lines) {
    const Lines match = whole_match(line, form);
    ASSERT_EQ(match.size(), 5u) << line;
    if (match[1] == "0") scores.push_back(std::stod(match[4]));
  }
  EXPECT_TRUE(std::ranges::is_sorted(scores, std::greater<>()));
  EXPECT_EQ(lines[3], "1 |||  ||| logp=0.0000 ||| gnmt:0.6=0.0000");
  EXPECT_TRUE(lines[0].starts_with("0 ||| " + translation("three four") + " ||| ")) << lines[0];
  EXPECT_TRUE(lines[6].starts_with("2 ||| ")) << lines[6];
  const Ending sampled = translate("three four\n", "--search sample --n-best 20 --length-norm none");
  EXPECT_EQ(lines_of(sampled.out).size(), 20u);
  EXPECT_EQ(translate("three four\n", "--search sample --n-best 20 --length-norm none").out, sampled.out);
}

TEST_F(TranslateCommand, PrintsScoresAlignmentAndFlagsInColumns) {
  const std::string text = translation("three four");
  const std::string pairs = R"((\d+-\d+( \d+-\d+)*)?)";
  const Lines lines = lines_of(translate("three four\n\n", "--scores --alignment --flags").out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_FALSE(whole_match(lines[0], "-\\d+\\.\\d{4}\t" + text + "\t" + pairs + "\t[a-z,]*").empty()) << lines[0];
  EXPECT_EQ(lines[1], "0.0000\t\t\t");
  EXPECT_TRUE(translate("three ten\n", "--flags").out.ends_with("unknown\n"));  // the vocabulary ends at nine
  const Ending cut = translate("three four five\n", "--flags --max-extra 0 --min-length 3");
  EXPECT_TRUE(cut.out.ends_with("\tlimit\n")) << cut.out;
  EXPECT_EQ(cut.err, "translate: the translation of line 1 ran into the length limit.\n");
}

// Checks an array [layer][head][query][key] whose rows sum to one.
void expect_attention(const Json& attention, std::size_t queries, std::size_t keys) {
  ASSERT_EQ(attention.size(), 2u);
  for (const auto& layer : attention) {
    ASSERT_EQ(layer.size(), 2u);
    for (const auto& head : layer) {
      ASSERT_EQ(head.size(), queries);
      for (const auto& row : head) {
        ASSERT_EQ(row.size(), keys);
        double sum = 0;
        for (const auto& weight : row) sum += weight.get<double>();
        EXPECT_NEAR(sum, 1, 0.5e-6 * static_cast<double>(keys) + 1e-6);
      }
    }
  }
}

TEST_F(TranslateCommand, WritesAttentionAndBeamOfEachLine) {
  const Lines lines{"three four", "", "five", data::words(9)};
  const Ending ending = translate(joined(lines), "--longest 5 --attention " + file("traces"));
  EXPECT_EQ(ending.out, translate(joined(lines), "--longest 5").out);
  const Lines texts = lines_of(ending.out), traces = lines_of(read_file(file("traces")));
  ASSERT_EQ(traces.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json trace = parse_json(traces[i], "a trace");
    EXPECT_EQ(trace["line"], i + 1);
    EXPECT_EQ(trace["text"], texts[i]);
    const bool in_one_piece = i == 0 || i == 2;
    ASSERT_EQ(trace.contains("attention"), in_one_piece);
    if (!in_one_piece) continue;
    const std::size_t sources = trace["src"].size();
    EXPECT_EQ(sources, i == 0 ? 3u : 2u);  // including the end of the sentence
    const std::size_t queries = trace["finished"] ? trace["tgt"].size() : trace["tgt"].size() - 1;
    expect_attention(trace["attention"]["encoder"], sources, sources);
    expect_attention(trace["attention"]["decoder"], queries, queries);
    expect_attention(trace["attention"]["cross"], queries, sources);
    ASSERT_GE(trace["beam"].size(), queries);
    for (const char* key : {"from", "token", "id", "logp", "score", "fate"}) {
      EXPECT_TRUE(trace["beam"][0][0].contains(key)) << key;
    }
  }
}

TEST_F(TranslateCommand, BeginsWithThePrefixes) {
  const std::string prefixes = write("prefixes", "nine eight\n\nseven\n");
  const Ending ending = translate("one two\nthree\n" + data::words(9) + "\n", "--longest 5 --prefix " + prefixes);
  EXPECT_EQ(ending.status, 0) << ending.err;
  const Lines lines = lines_of(ending.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("nine eight")) << lines[0];
  EXPECT_EQ(lines[1], translation("three"));
  EXPECT_TRUE(lines[2].starts_with("seven")) << lines[2];
}

TEST_F(TranslateCommand, RefusesPrefixesThatDoNotFit) {
  const std::string prefixes = write("prefixes", "nine\neight seven six\n"), flag = "--prefix " + prefixes;
  const Ending fewer = translate("one\none\none\n", flag), more = translate("one\n", flag);
  EXPECT_EQ(fewer.err,
            "translate: '" + prefixes +
                "' has only 2 lines, but standard input has more; both must have the same number of lines.\n");
  EXPECT_EQ(lines_of(fewer.out).size(), 2u);
  EXPECT_EQ(more.err, "translate: standard input has only 1 line, but '" + prefixes +
                          "' has more; both must have the same number of lines.\n");
  const Ending too_long = translate("one\none\n", flag + " --max-extra 2");
  EXPECT_EQ(too_long.status, 2);
  EXPECT_NE(too_long.err.find("line 2: the prefix of 3 tokens leaves no room in a translation of at most 3 tokens;"),
            std::string::npos)
      << too_long.err;
  expect_one_sentence(translate("\n\n", flag), 2, "line 1 has no text, but a prefix");
  expect_one_sentence(translate("one\n", "--prefix /no/such/file"), 1, "cannot read '/no/such/file'");
  expect_one_sentence(translate("one\n", "--prefix -"), 2, "--prefix needs a file");
  expect_one_sentence(translate("one\n", "--prefix " + write("bad", "\xFF\n")), 2, "line 1 is not UTF-8 text");
}

TEST_F(TranslateCommand, RefusesWrongSettings) {
  expect_one_sentence(translate("one\n", "--beam 0"), 2, "beam is 0; it must be from 1 to 1000.");
  expect_one_sentence(translate("one\n", "--beam 100000"), 2, "beam is 100000; it must be from 1 to 1000.");
  expect_one_sentence(translate("one\n", "--n-best 5"), 2, "n-best is 5 but the beam is only 4 wide");
  expect_one_sentence(translate("one\n", "--n-best 2 --search greedy"), 2, "a greedy search has one result");
  expect_one_sentence(translate("one\n", "--n-best 2 --scores"), 2, "--n-best prints lines in its own format");
  expect_one_sentence(translate("one\n", "--alignment --alignment-layer 9"), 2, "there is no layer 9; the model has 2");
  expect_one_sentence(translate("one\n", "--attention /no/such/directory/file"), 1, "/no/such/directory/file");
  expect_one_sentence(run("translate < /dev/null"), 2, "translate: --model DIR is missing");
}

TEST_F(TranslateCommand, StopsAtTheLimitWhenNoWordMayBeRepeated) {
  const Ending ending = translate("one two three\n", "--no-repeat-ngram 1 --min-length 40 --max-extra 60 --flags");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(ending.out.find("limit") != std::string::npos) << ending.out;
}

TEST_F(TranslateCommand, RefusesAnIncompleteModel) {
  const std::string weights = model + "/model.safetensors", config = model + "/config.json";
  const auto refused = [&](const std::string& part) { expect_one_sentence(translate("one\n"), 1, part); };
  expect_one_sentence(run("translate --model /no/such/model < /dev/null"), 1,
                      "there is no model directory '/no/such/model'; name one that");
  expect_one_sentence(run("translate --model " + model + "/config.json < /dev/null"), 1,
                      "config.json' is not a directory, but a model is one. Did you mean '" + model + "'?");
  expect_one_sentence(run("translate --model " + directory + " < /dev/null"), 1, "it has no config.json");
  const std::string whole = read_file(weights), info = read_file(config);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{100}, whole.size() - 1}) {
    replace_file(weights, whole.substr(0, size));
    refused("model.safetensors");
  }
  std::filesystem::remove(weights);
  refused("model.safetensors");
  replace_file(weights, whole);
  replace_file(config, std::string(info).replace(info.find("\"format\": 1"), 11, "\"format\": 2"));
  refused("is of format 2, but this program reads format 1");
  replace_file(config, info.substr(0, info.size() / 2));
  refused("config.json");
  replace_file(config, info);
  replace_file(model + "/tokenizer.model", text::toy_tokenizer({}).bytes());
  refused("put back the tokenizer it was trained with");
}

TEST_F(TranslateCommand, EndsQuietlyAtAClosedPipe) {
  const Ending ending = shell("yes 'one two' | { " + command("translate", "") + "; echo $? >&2; } | head -n 1");
  EXPECT_EQ(ending.out, translation("one two") + "\n");
  EXPECT_EQ(ending.err, "0\n");
  // Nobody reads the output, and no further line arrives.
  EXPECT_EQ(from_open_pipe("one\\n", "| true").err, "status 0\n");
}

TEST_F(TranslateCommand, FailsWithoutWaitingForMoreInput) {
  const Ending ending = from_open_pipe("one\\n\\377\\n", "");
  EXPECT_TRUE(ending.err.ends_with("-t UTF-8'.\nstatus 2\n")) << ending.err;
  EXPECT_EQ(ending.out, translation("one") + "\n");
}

TEST_F(TranslateCommand, TranslatesWhileInputIsStillComing) {
  const std::string out = file("out"), pipe = file("pipe");
  const Ending ending = shell("mkfifo " + pipe + "; (printf 'one\\n'; exec sleep 60) > " + pipe + " & writer=$!\n" +
                              command("translate", "") + " < " + pipe + " > " + out + " & program=$!\n" +
                              "for i in $(seq 300); do [ -s " + out + " ] && break; sleep 0.1; done\n" +
                              "kill -0 $program && echo running\nkill $writer; wait $program");
  EXPECT_EQ(ending.out, "running\n");
  EXPECT_EQ(read_file(out), translation("one") + "\n");
}

}  // namespace
}  // namespace dragoman
