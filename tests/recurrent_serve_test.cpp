// Traces, pages, the server and roles of heads, for recurrent networks with attention and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "tests/server_process.h"
#include "tests/small_recurrent.h"

namespace dragoman {
namespace {

class RecurrentServe : public RecurrentModelTest {
 protected:
  static Json asked(Client& client, const std::string& path) {
    const auto answer = client.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return parse_json(answer.body, "the answer");
  }
  // The first sentence of the answer.
  static Json translated(Client& client, const Json& body) {
    const auto answer = client.ask(posted("/v1/translate", body));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return parse_json(answer.body, "the answer")["translations"][0]["sentences"][0];
  }
  static std::string refusal(Client& client, const Json& body) {
    const auto answer = client.ask(posted("/v1/translate", body));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return parse_json(answer.body, "the answer")["error"];
  }
};

// Checks weights [layer][head][query][key] of one layer with one head, whose rows sum to one.
void expect_attention(const Json& attention, std::size_t queries, std::size_t keys) {
  ASSERT_EQ(attention.size(), 1u);
  ASSERT_EQ(attention[0].size(), 1u);
  ASSERT_EQ(attention[0][0].size(), queries);
  for (const Json& row : attention[0][0]) {
    ASSERT_EQ(row.size(), keys);
    double sum = 0;
    for (const Json& weight : row) sum += weight.get<double>();
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(RecurrentServe, TracesHaveAttentionToTheSourceAndNoOther) {
  for (const std::string& name : kNames) {
    const std::string text = "three four five\n";
    const Ending traced = with(name, text, "--scores --attention " + file("traces"));
    EXPECT_EQ(traced.out, with(name, text, "--scores").out);  // looking changes nothing
    const Json trace = parse_json(lines_of(read_file(file("traces"))).at(0), "a trace");
    EXPECT_GE(trace["beam"].size(), 1u);
    if (name == "fixed") {
      EXPECT_EQ(trace["attention"], Json::object());
      continue;
    }
    ASSERT_EQ(trace["attention"].size(), 1u);
    const std::size_t queries = trace["tgt"].size() - (trace["finished"] ? 0 : 1);
    expect_attention(trace["attention"]["cross"], queries, 4);
  }
}

TEST_F(RecurrentServe, HardAttentionReadsOneToken) {
  const Ending traced = with("hard", "three four five\n", "--attention " + file("traces"));
  const Json trace = parse_json(lines_of(read_file(file("traces"))).at(0), "a trace");
  for (const Json& row : trace["attention"]["cross"][0][0]) {
    EXPECT_EQ(std::ranges::count(row, Json(1.0)), 1) << row;
    EXPECT_EQ(std::ranges::count(row, Json(0.0)), 3) << row;
  }
}

TEST_F(RecurrentServe, IsShownOnAPageOfItsOwn) {
  for (const std::string& name : kNames) {
    const Ending ending = run("show --model " + file(name) + " --threads 1 --input " + write("text", "one two\nsix\n") +
                              " --output " + file("page.html"));
    EXPECT_EQ(ending.status, 0) << name << ": " << ending.err;
    const std::string page = read_file(file("page.html"));
    EXPECT_NE(page.find(R"("arch":"rnn")"), std::string::npos) << name;
    EXPECT_EQ(page.find(R"("name":"cross")") != std::string::npos, name != "fixed") << name;
  }
}

TEST_F(RecurrentServe, AnswersWithTheAttentionThatItHas) {
  ServerProcess server({"--model", file("additive"), "--threads", "1"});
  Client client(server.port());
  const Json about = asked(client, "/v1/model");
  EXPECT_EQ(about["arch"], "rnn");
  EXPECT_EQ(about["summary"], "1 + 1 GRU layers of width 18, attention additive");
  ASSERT_EQ(about["sites"].size(), 1u);
  EXPECT_EQ(about["sites"][0]["name"], "cross");
  EXPECT_EQ(about["sites"][0]["layers"], 1);
  EXPECT_EQ(about["sites"][0]["heads"], 1);

  const Json sentence{{"q", "three four five"}, {"search", "greedy"}};
  const Json plain = translated(client, sentence);
  Json traced = sentence;
  traced.update({{"trace", true}, {"alignment", true}, {"next_words", {{"count", 3}}}});
  const Json answer = translated(client, traced);
  EXPECT_EQ(answer["text"], plain["text"]);
  EXPECT_EQ(answer["score"], plain["score"]);
  ASSERT_EQ(answer["trace"]["attention"].size(), 1u);
  EXPECT_EQ(answer["trace"]["next_words"].size(), answer["trace"]["attention"]["cross"][0][0].size());
  for (const Json& next : answer["trace"]["next_words"]) EXPECT_EQ(next["rank"], 0);  // greedy takes the likeliest word

  const Json head{{"attention", "cross"}, {"layer", 1}, {"head", 1}};
  Json without = sentence;
  without["heads_off"] = {head};
  EXPECT_NE(translated(client, without)["score"], plain["score"]);
  without["heads_off"] = {{{"attention", "decoder"}, {"layer", 1}, {"head", 1}}};
  EXPECT_EQ(refusal(client, without), "'heads_off': attention is 'decoder'; it must be cross.");
}

TEST_F(RecurrentServe, AnswersWithoutAttentionIfItHasNone) {
  ServerProcess server({"--model", file("fixed"), "--threads", "1"});
  Client client(server.port());
  const Json about = asked(client, "/v1/model");
  EXPECT_EQ(about["summary"], "2 + 2 GRU layers of width 18, a fixed context");
  EXPECT_EQ(about["sites"], Json::array());
  const Json answer = translated(client, {{"q", "three four five"}, {"trace", true}});
  EXPECT_EQ(answer["trace"]["attention"], Json::object());
  EXPECT_GE(answer["trace"]["beam"].size(), 1u);
  const Json off{{{"attention", "cross"}, {"layer", 1}, {"head", 1}}};
  EXPECT_EQ(refusal(client, {{"q", "a"}, {"heads_off", off}}), "'heads_off': this model has no attention.");
  EXPECT_EQ(refusal(client, {{"q", "a"}, {"alignment", true}}),
            "this model does not attend to the source, so it has no alignment of words.");
}

TEST_F(RecurrentServe, HasOneHeadWithARoleOrNone) {
  const std::string pair =
      write("source", "one two three\nfour five\n") + " --reference " + write("target", "three two one\nfive four\n");
  const auto heads = [&](const std::string& name) {
    return run("heads --threads 1 --model " + file(name) + " " + pair);
  };
  for (const std::string name : {"additive", "luong", "hard"}) {
    const Ending ending = heads(name);
    ASSERT_EQ(ending.status, 0) << ending.err;
    EXPECT_TRUE(lines_of(ending.out).at(1).starts_with("cross 1.1  ")) << ending.out;
    EXPECT_TRUE(lines_of(ending.out).back().starts_with("1 head over 2 sentences")) << ending.out;
  }
  expect_one_sentence(heads("fixed"), 2, "has no attention heads.");
}

}  // namespace
}  // namespace dragoman
