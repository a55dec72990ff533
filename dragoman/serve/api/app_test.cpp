#include "dragoman/serve/api/app.h"

#include <gtest/gtest.h>

#include "dragoman/base/files.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/model/files/words.h"
#include "dragoman/serve/api/app_testing.h"

namespace dragoman::serve {
namespace {

TEST_F(AppTest, TranslatesOneTextOrSeveral) {
  const std::string one = expected("one"), two = expected("two three");
  EXPECT_EQ(post("/translate", {{"q", "one"}, {"source", "en"}, {"target", "de"}}), Json({{"translatedText", one}}));
  EXPECT_EQ(post("/translate", {{"q", {"one", "", "two three"}}, {"source", "en"}, {"target", "de"}}),
            Json({{"translatedText", {one, "", two}}}));
  EXPECT_EQ(post("/translate", {{"q", "  one\n\n\ttwo three \n"}, {"source", "en"}, {"target", "de"}}),
            Json({{"translatedText", "  " + one + "\n\n\t" + two + " \n"}}));
  EXPECT_EQ(post("/translate", {{"q", Json::array()}, {"source", "en"}, {"target", "de"}}),
            Json({{"translatedText", Json::array()}}));
}

TEST_F(AppTest, GivesAlternatives) {
  const Json answer = post("/translate", {{"q", "one"}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}});
  EXPECT_EQ(answer["alternatives"].size(), 2u);
  EXPECT_NE(answer["alternatives"][0], answer["alternatives"][1]);
}

TEST_F(AppTest, InventsNoAlternatives) {
  const Json answer = post("/translate", {{"q", "  \n"}, {"source", "en"}, {"target", "de"}, {"alternatives", 3}});
  EXPECT_EQ(answer["alternatives"], Json::array());
}

TEST_F(AppTest, KeepsTags) {
  const Json answer =
      post("/translate", {{"q", "<p>one <b>two</b></p>"}, {"source", "en"}, {"target", "de"}, {"format", "html"}});
  const std::string text = answer["translatedText"];
  EXPECT_TRUE(text.starts_with("<p>") && text.ends_with("</p>")) << text;
  EXPECT_LT(text.find("<b>"), text.find("</b>")) << text;
}

TEST_F(AppTest, DetectsTheSourceLanguage) {
  const Json answer = post("/translate", {{"q", "one"}, {"source", "auto"}, {"target", "de"}});
  EXPECT_EQ(answer["translatedText"], expected("one"));
  EXPECT_TRUE(answer["detectedLanguage"].contains("confidence"));
  const Json detailed = post("/v1/translate", {{"q", "one"}, {"source", "auto"}, {"target", "de"}})["translations"][0];
  EXPECT_EQ(detailed["text"], answer["translatedText"]);
  EXPECT_EQ(detailed["detected"], answer["detectedLanguage"]);
  const Json found = post("/detect", {{"q", "one"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GE(found[0]["confidence"], found[1]["confidence"]);
  // The model brings no profiles of its languages.
  EXPECT_EQ(post("/detect", {{"q", "the dog and the cat"}})[0]["language"], "en");
  EXPECT_EQ(post("/detect", {{"q", "der Hund und die Katze"}})[0]["language"], "de");
}

TEST_F(AppTest, CapitalsOfLanguagesDoNotMatter) {
  name_languages("EN", "ZH-hans");
  make_app();
  EXPECT_EQ(ask("GET", "/languages").second[1]["code"], "zh-Hans");
  for (const char* target : {"zh-Hans", "zh", "ZH"}) {
    EXPECT_EQ(post("/translate", {{"q", "one two"}, {"source", "En"}, {"target", target}})["translatedText"],
              expected("one two"))
        << target;
    EXPECT_EQ(post("/translate", {{"q", "one two"}, {"source", "auto"}, {"target", target}})["translatedText"],
              expected("one two"))
        << target;
  }
}

TEST_F(AppTest, ListsItsLanguages) {
  const auto [status, answer] = ask("GET", "/languages");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(answer, try_parse_json(R"([{"code":"de","name":"German","targets":[]},
                                    {"code":"en","name":"English","targets":["de"]}])"));
}

TEST_F(AppTest, UsesTheSearchSettingsOfTheRequest) {
  const Json greedy = post("/v1/translate", {{"q", "two three"}, {"search", "greedy"}, {"max_extra", 7}});
  EXPECT_EQ(greedy["translations"][0]["text"],
            expected("two three", {.method = decode::Method::kGreedy, .max_extra = 7}));
  const Json best = post("/v1/translate", {{"q", {"one", "two"}}, {"n_best", 3}, {"beam", 5}, {"trace", true}});
  ASSERT_EQ(best["translations"].size(), 2u);
  const Json& sentence = best["translations"][1]["sentences"][0];
  EXPECT_EQ(sentence["hypotheses"].size(), 3u);
  EXPECT_TRUE(sentence["trace"].contains("attention"));
}

TEST_F(AppTest, MarksSentencesThatTheVocabularyDoesNotKnow) {
  const Json texts = post("/v1/translate", {{"q", {"one two", "one ten"}}})["translations"];
  EXPECT_EQ(texts[0]["sentences"][0]["unknown"], false);
  EXPECT_EQ(texts[1]["sentences"][0]["unknown"], true);
}

TEST_F(AppTest, SwitchesHeadsOff) {
  const Json plain = post("/v1/translate", {{"q", "one two"}});
  const Json all_on = post("/v1/translate", {{"q", "one two"}, {"heads_off", Json::array()}});
  EXPECT_EQ(plain, all_on);
  const Json off{{"attention", "cross"}, {"layer", 2}, {"head", 1}};
  const Json without = post("/v1/translate", {{"q", "one two"}, {"heads_off", {off}}});
  EXPECT_NE(plain["translations"][0]["sentences"][0]["score"], without["translations"][0]["sentences"][0]["score"]);
}

TEST_F(AppTest, TellsTheLikeliestWordsAndBeginsWithTheOneThatIsChosen) {
  const Json choice{{"count", 5}, {"layers", true}};
  const Json question{{"q", "one two"}, {"search", "greedy"}, {"trace", true}, {"next_words", choice}};
  const Json trace = post("/v1/translate", question)["translations"][0]["sentences"][0]["trace"];
  const Json& words = trace["next_words"];
  ASSERT_EQ(words.size(), trace["tgt"].size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i]["rank"], 0);  // greedy search takes the likeliest word
    EXPECT_EQ(words[i]["words"][0]["token"], trace["tgt"][i]);
  }
  EXPECT_EQ(trace["layer_words"].back(), words);
  // Another word at the first position, and the rest follows.
  Json forced = question;
  forced["prefix_ids"] = {words[0]["words"][1]["id"]};
  const Json other = post("/v1/translate", forced)["translations"][0]["sentences"][0]["trace"];
  EXPECT_EQ(other["tgt"][0], words[0]["words"][1]["token"]);
  EXPECT_EQ(other["next_words"][0]["rank"], 1);
}

TEST_F(AppTest, TracesHoldTheRequestedLayersAndProjections) {
  const Json question{{"q", "one two"}, {"trace", true}, {"packed", true}, {"layers", {2}}, {"projections", "all"}};
  const Json trace = post("/v1/translate", question)["translations"][0]["sentences"][0]["trace"];
  const Json& cross = trace["attention"]["cross"];
  EXPECT_EQ(cross["which"], Json({2}));
  // The keys of cross-attention are the three source tokens: the two words and the end of the sentence. The weights
  // are packed as base64 of float32.
  const auto weights = cross["heads"].get<std::size_t>() * cross["queries"].get<std::size_t>() * 3;
  EXPECT_EQ(cross["packed"].get<std::string>().size(), (4 * weights + 2) / 3 * 4);
  // "layers" does not limit the projections: those of three kinds of attention in two layers are there.
  EXPECT_EQ(trace["projections"].size(), 3 * 2 * cross["heads"].get<std::size_t>());
  EXPECT_EQ(trace["tgt"].size(), cross["queries"]);
}

TEST_F(AppTest, TracesHoldTheStepsOfALayer) {
  const auto ask_steps = [&](Json choice) {
    return ask("POST", "/v1/translate",
               {{"q", "one two"}, {"trace", true}, {"packed", true}, {"steps", std::move(choice)}});
  };
  const Json choice{{"attention", "encoder"}, {"layer", 2}, {"query", 3}, {"units", 4}};
  const Json steps = ask_steps(choice).second["translations"][0]["sentences"][0]["trace"]["steps"];
  EXPECT_EQ(steps["attention"], "encoder");
  EXPECT_EQ(steps["layer"], 2);
  EXPECT_EQ(steps["norm"], "post");
  EXPECT_EQ(steps["values"]["rows"], 3);  // two words and the end of the sentence
  ASSERT_EQ(steps["queries"].size(), 1u);
  const Json& query = steps["queries"][0];
  EXPECT_EQ(query["query"], 3);
  EXPECT_EQ(query["weights"]["columns"], 3);
  EXPECT_EQ(query["contributions"]["rows"], query["weights"]["rows"]);
  EXPECT_EQ(query["feed_forward"]["units"].size(), 4u);
  EXPECT_EQ(query["feed_forward"]["contributions"]["rows"], 4);
  // Without "query" there are those of all queries, and those of the third are the same.
  const Json all = ask_steps({{"attention", "encoder"}, {"layer", 2}, {"units", 4}})
                       .second["translations"][0]["sentences"][0]["trace"]["steps"]["queries"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2], query);
  const auto [status, refusal] = ask_steps({{"attention", "encoder"}, {"layer", 2}, {"query", 4}});
  EXPECT_EQ(status, 400);
  EXPECT_EQ(refusal["error"], "'steps': there is no query 4 of 'encoder'; the longest source has 3 tokens.");
}

TEST_F(AppTest, RefusalsNameTheFieldAndItsLimits) {
  const int most = ask("GET", "/v1/model").second["max_beam"];
  const auto error = [&](const std::string& field, const Json& value) {
    return ask("POST", "/v1/translate", {{"q", "one"}, {field, value}}).second["error"].get<std::string>();
  };
  EXPECT_EQ(error("beam", 0), "beam is 0; it must be from 1 to " + std::to_string(most) + ".");
  EXPECT_EQ(error("n_best", 9), "n_best is 9 but the beam is only 4 wide; raise beam.");
  EXPECT_EQ(error("heads_off", {{{"attention", "cross"}, {"layer", 9}, {"head", 1}}}),
            "'heads_off': there is no layer 9; there are 2, counted from 1.");
}

TEST_F(AppTest, AnswersWhatThePageNeeds) {
  const Json model = ask("GET", "/v1/model").second;
  EXPECT_EQ(model["config"]["encoder-layers"], 2);
  EXPECT_EQ(model["search"]["max_extra"], 12);
  EXPECT_EQ(model["film"], false);
  ASSERT_EQ(model["stacks"].size(), 2u);
  EXPECT_EQ(model["stacks"][0]["tokens"], "source");
  EXPECT_EQ(model["stacks"][0]["layers"][0]["count"], 2);
  EXPECT_EQ(model["stacks"][1]["layers"][0]["blocks"][2],
            Json({{"kind", "attention"}, {"site", "cross"}, {"reads", "encoder"}}));
  EXPECT_EQ(model["words"], Json::array());
  const int most = model["max_beam"];
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}, {"beam", most}}).first, 200);
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one"}, {"beam", most + 1}}).first, 400);
  EXPECT_EQ(ask("GET", "/v1/film").second, Json({{"sentences", Json::array()}}));
  const Json positions = ask("GET", "/v1/positions").second;
  EXPECT_EQ(positions["rows"], 64);
  EXPECT_EQ(positions["columns"], model["config"]["d-model"]);
  const std::string page = send("GET", "/")->response().body;
  EXPECT_EQ(page.find("<!--"), std::string::npos);  // all placeholders of index.html are filled
  EXPECT_NE(page.find("dragoman/main.js"), std::string::npos);
}

TEST_F(AppTest, SaysWhatTheHeadsDoIfThatWasFound) {
  EXPECT_EQ(ask("GET", "/v1/model").second["heads"], false);
  const auto [missing, refusal] = ask("GET", "/v1/heads");
  EXPECT_EQ(missing, 404);
  EXPECT_NE(refusal["error"].get<std::string>().find("'dragoman heads --model DIR FILE'"), std::string::npos);

  const model::ModelInfo info = model::read_info(directory);
  decode::HeadSurvey survey;
  survey.sites.emplace_back().name = "cross";
  decode::HeadReport& report = survey.heads.emplace_back();
  report.role = decode::HeadRole::kAlignment;
  report.numbers.entropy = 0.5;
  decode::write_heads(directory, decode::heads_json(survey, info));
  EXPECT_EQ(ask("GET", "/v1/model").second["heads"], true);
  Json heads = ask("GET", "/v1/heads").second;
  EXPECT_EQ(heads["current"], true);
  EXPECT_EQ(heads["heads"][0]["role"], "alignment");
  EXPECT_EQ(heads["heads"][0]["layer"], 1);
  EXPECT_EQ(heads["heads"][0]["entropy"], 0.5);
  EXPECT_EQ(heads["heads"][0]["previous"], nullptr);

  heads["weights"] = {{"steps", 1}};
  decode::write_heads(directory, heads);
  EXPECT_EQ(ask("GET", "/v1/heads").second["current"], false);  // it belongs to other weights
}

TEST_F(AppTest, TellsTheOperatorAloneWhichFileIsDamaged) {
  std::vector<std::string> messages;
  make_app({.report = [&](const std::string& message) { messages.push_back(message); }});
  EXPECT_EQ(ask("GET", "/nowhere").first, 404);
  EXPECT_EQ(messages, std::vector<std::string>());
  replace_file(directory / "heads.json", "[1]");
  std::filesystem::create_directory(directory / "probe");
  for (const std::string frame : {"[1]", "{", "\xff", R"({"source": 1})"}) {
    replace_file(directory / "probe" / "step-1.jsonl", frame + "\n");
    for (const std::string path : {"/v1/heads", "/v1/film"}) {
      SCOPED_TRACE(path + " " + frame);
      const auto [status, answer] = ask("GET", path);
      EXPECT_EQ(status, 500);
      EXPECT_EQ(answer["error"], "the server failed to answer this request; its log says why.");
      EXPECT_TRUE(messages.back().starts_with("GET " + path + " got status 500: ")) << messages.back();
      EXPECT_NE(messages.back().find(directory.string()), std::string::npos) << messages.back();
    }
  }
  // Nothing else of the server names its directories, even then.
  make_app();
  for (const char* path : {"/health", "/metrics", "/languages", "/frontend/settings", "/v1/model", "/v1/models"}) {
    EXPECT_EQ(send("GET", path)->response().body.find(directory.parent_path().string()), std::string::npos) << path;
  }
}

TEST_F(AppTest, TheOpenApiDocumentHasEveryPath) {
  const Json document = ask("GET", "/openapi.json").second;
  std::map<std::string, std::vector<std::string>> documented;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, description] : methods.items()) {
      documented[path].push_back(method == "get" ? "GET" : method == "post" ? "POST" : method);
      if (method != "post") continue;
      const Json& bodies = description["requestBody"]["content"];
      for (const char* type : {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}) {
        EXPECT_TRUE(bodies.contains(type)) << path << " " << type;
      }
    }
  }
  EXPECT_EQ(documented, app_->methods());
}

TEST_F(AppTest, SaysWhichWordsAModelKnows) {
  model::write_words(directory, {"one", "two"});
  make_app();
  EXPECT_EQ(ask("GET", "/v1/model").second["words"], Json({"one", "two"}));
}

TEST_F(AppTest, SaysWhichWordsAModelNeverSaw) {
  const Json one{{"q", "one Anna. Five Anna, two"}, {"source", "en"}, {"target", "de"}};
  const Json several{{"q", {"one", "ten two"}}, {"source", "en"}, {"target", "de"}};
  const Json silent = post("/translate", one);
  EXPECT_FALSE(silent.contains("unseenWords"));
  EXPECT_FALSE(post("/v1/translate", one)["translations"][0]["sentences"][0].contains("unseen"));

  model::write_words(directory, {"one", "two"});
  make_app();
  const Json answer = post("/translate", one);
  EXPECT_EQ(answer["translatedText"], silent["translatedText"]);
  EXPECT_EQ(answer["unseenWords"], Json({"Anna", "Five"}));
  EXPECT_EQ(post("/translate", several)["unseenWords"], Json({Json::array(), Json({"ten"})}));
  const Json sentences = post("/v1/translate", one)["translations"][0]["sentences"];
  EXPECT_EQ(sentences[0]["unseen"], Json({"Anna"}));
  EXPECT_EQ(sentences[1]["unseen"], Json({"Five", "Anna"}));
}

TEST_F(AppTest, StreamsTextThatIsNeverTakenBack) {
  const Json question{{"q", "one two three\nfour five"}, {"stream", true}, {"search", "greedy"}, {"max_extra", 30}};
  const auto exchange = send("POST", "/v1/translate", question.dump());
  const auto& events = exchange->events_sent();
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(exchange->streams());
  EXPECT_EQ(events.back().first, "done");
  std::string streamed;
  for (const auto& [name, data] : events) {
    if (name == "text") streamed += try_parse_json(data)["text"].get<std::string>();
  }
  const std::string whole = try_parse_json(events.back().second)["translations"][0]["text"];
  EXPECT_TRUE(whole.starts_with(streamed)) << streamed << "\n" << whole;
  EXPECT_FALSE(streamed.empty());
}

TEST_F(AppTest, RefusesInOneSentence) {
  const Json right{{"q", "one"}, {"source", "en"}, {"target", "de"}};
  const auto with = [&](const std::string& key, const Json& value) {
    Json body = right;
    body[key] = value;
    return body;
  };
  const std::vector<std::tuple<std::string, std::string, Json, int>> wrong = {
      {"GET", "/nowhere", {}, 404},
      {"GET", "/translate", {}, 405},
      {"POST", "/translate", Json::object(), 400},
      {"POST", "/translate", with("q", 3), 400},
      {"POST", "/translate", with("q", {1}), 400},
      {"POST", "/translate", with("target", "fr"), 400},
      {"POST", "/translate", with("source", "fr"), 400},
      {"POST", "/translate", with("format", "pdf"), 400},
      {"POST", "/translate", with("alternatives", 11), 400},
      {"POST", "/translate", with("alternatives", "many"), 400},
      {"POST", "/v1/translate", with("beam", 0), 400},
      {"POST", "/v1/translate", with("beam", 100), 400},
      {"POST", "/v1/translate", with("bean", 4), 400},
      {"POST", "/v1/translate", with("stream", "perhaps"), 400},
      {"POST", "/v1/translate", with("heads_off", {{{"attention", "cross"}, {"layer", 3}, {"head", 1}}}), 400},
      {"POST", "/v1/translate", with("heads_off", {{{"attention", "self"}, {"layer", 1}, {"head", 1}}}), 400},
      {"POST", "/v1/translate", with("layers", {0}), 400},
      {"POST", "/v1/translate", with("layers", "all"), 400},
      {"POST", "/v1/translate", with("projections", {{{"attention", "cross"}, {"layer", 1}, {"head", 99}}}), 400},
      {"POST", "/v1/translate", with("next_words", 10), 400},
      {"POST", "/v1/translate", with("next_words", {{"count", 101}}), 400},
      {"POST", "/v1/translate", with("next_words", {{"temperature", 0}}), 400},
      {"POST", "/v1/translate", with("next_words", {{"counts", 1}}), 400},
      {"POST", "/v1/translate", with("steps", "all"), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "self"}, {"layer", 1}}), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "cross"}}), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "cross"}, {"layer", 3}}), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "cross"}, {"layer", 1}, {"query", 0}}), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "cross"}, {"layer", 1}, {"units", 65}}), 400},
      {"POST", "/v1/translate", with("steps", {{"attention", "cross"}, {"layer", 1}, {"head", 1}}), 400},
      {"POST", "/v1/translate", with("prefix_ids", {2}), 400},
      {"POST", "/v1/translate", with("prefix_ids", {1e9}), 400},
      {"POST", "/v1/translate", with("prefix_ids", "one"), 400},
      {"POST", "/v1/translate", with("prefix", data::words(100)), 400}};
  for (const auto& [method, path, body, status] : wrong) {
    const auto [actual, answer] = ask(method, path, body);
    EXPECT_EQ(actual, status) << path << " " << body;
    ASSERT_TRUE(answer.contains("error")) << path << " " << body;
    const char last = answer["error"].get<std::string>().back();
    EXPECT_TRUE(last == '.' || last == '?') << answer;
  }
}

TEST_F(AppTest, ARefusalIsAWholeSentenceAlsoIfItQuotesAZeroByte) {
  const std::string zero("x\0y", 3);
  const auto error = [&](const std::string& path, const std::string& field) {
    const Json body{{"q", "one"}, {"target", "de"}, {field, zero}};
    return ask("POST", path, body).second["error"].get<std::string>();
  };
  EXPECT_EQ(error("/v1/translate", "model"),
            "there is no model 'x\\u0000y'; there is " + models_->all().front()->name + ".");
  EXPECT_EQ(error("/translate", "format"), "'format' is 'x\\u0000y'; it must be text or html.");
  EXPECT_EQ(error("/v1/translate", "source"),
            "there is no model from 'x\\u0000y' to 'de'; the only model translates en to de.");
  EXPECT_TRUE(error("/v1/translate", "search").starts_with("search: 'x\\u0000y' is not one of beam"));
  EXPECT_EQ(error("/v1/translate", zero), "there is no setting 'x\\u0000y'.");
}

TEST_F(AppTest, ARefusalNamesOnlyTheLanguagesOfTheRequest) {
  const auto error = [&](const Json& languages) {
    Json body = languages;
    body["q"] = "one";
    return ask("POST", "/v1/translate", body).second["error"].get<std::string>();
  };
  EXPECT_EQ(error({{"source", "fr"}}), "there is no model from 'fr'; the only model translates en to de.");
  EXPECT_EQ(error({{"target", "fr"}}), "there is no model to 'fr'; the only model translates en to de.");
  const std::string name = models_->all().front()->name;
  EXPECT_EQ(error({{"model", name}, {"target", "fr"}}),
            "the model '" + name + "' translates from 'en' to 'de', not to 'fr'.");
}

TEST_F(AppTest, RefusesRequestsAboveTheLimits) {
  make_app({.limits = {.cost = {.tokens = 3}, .max_texts = 2}}, 2);
  EXPECT_EQ(ask("POST", "/translate", {{"q", "one two three four"}, {"target", "de"}}).first, 413);
  EXPECT_EQ(ask("POST", "/translate", {{"q", {"one", "two", "three"}}, {"target", "de"}}).first, 413);
  EXPECT_EQ(ask("POST", "/translate", {{"q", "one\ntwo\nthree"}, {"target", "de"}}).first,
            400);  // more sentences than may ever wait
  EXPECT_EQ(ask("POST", "/translate", {{"q", "one two"}, {"target", "de"}}).first, 200);
  make_app({.limits = {.cost = {.bytes = 20000}}});
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one two three four"}}).first, 200);
  EXPECT_EQ(ask("POST", "/v1/translate", {{"q", "one two three four"}, {"trace", true}}).first, 413);
  make_app({.gate = {.keys = {"k"}}});
  EXPECT_EQ(ask("POST", "/translate", {{"q", "one"}, {"target", "de"}}).first, 401);
  EXPECT_EQ(ask("POST", "/translate", {{"q", "one"}, {"target", "de"}, {"api_key", "k"}}).first, 200);
  EXPECT_EQ(ask("GET", "/health").first, 200);
}

TEST_F(AppTest, CountsAndLogsRequests) {
  std::vector<std::string> log;
  make_app({.access_log = [&](const std::string& line) { log.push_back(line); }});
  post("/translate", {{"q", "one"}, {"target", "de"}});
  ask("GET", "/made/up\n\"path");
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[0].find("client \"POST /translate\" 200 "), std::string::npos) << log[0];
  EXPECT_NE(log[1].find("\"GET /made/up\\u000A\\\"path\" 404 "), std::string::npos) << log[1];
  const std::string metrics = send("GET", "/metrics")->response().body;
  for (const char* line : {"dragoman_requests_total{path=\"/translate\",status=\"200\"} 1\n",
                           "dragoman_requests_total{path=\"other\",status=\"404\"} 1\n",
                           "dragoman_sentences_total{source=\"en\",target=\"de\"} 1\n",
                           "dragoman_request_seconds_count{path=\"/translate\"} 1\n"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << metrics;
  }
}

TEST_F(AppTest, AllowsPagesOfListedOrigins) {
  make_app({.gate = {.origins = {"https://a.example"}}});
  HttpRequest request{.method = "OPTIONS", .path = "/translate", .query = {}, .headers = {}, .body = "", .client = ""};
  request.headers["origin"] = "https://a.example";
  const auto exchange = std::make_shared<FakeExchange>(request);
  (*app_)(exchange);
  EXPECT_EQ(exchange->response().status, 204);
  const auto& headers = exchange->response().headers;
  EXPECT_EQ(std::ranges::count(headers,
                               std::pair<std::string, std::string>("Access-Control-Allow-Origin", "https://a.example")),
            1);
}

TEST_F(AppTest, CancelsTheWorkOfAClientThatLeaves) {
  std::vector<std::shared_ptr<FakeExchange>> clients;
  const Json question{{"q", data::words(9)}, {"max_extra", 200}, {"beam", 8}};
  for (int i = 0; i < 50; ++i) clients.push_back(send("POST", "/v1/translate", question.dump()));
  for (const auto& client : clients) client->leave();
  models_->all().front()->service.drain();
  EXPECT_EQ(models_->all().front()->service.counts().under_way, 0);
  EXPECT_EQ(post("/translate", {{"q", "one"}, {"target", "de"}})["translatedText"], expected("one"));
}

TEST_F(AppTest, ReloadsWithoutDroppingARequest) {
  const std::string before = expected("one two");
  std::vector<std::shared_ptr<FakeExchange>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(send("POST", "/translate", R"({"q":"one two","source":"en","target":"de"})"));
    if (i % 10 == 5) models_->reload();
    models_->retire();
  }
  for (const auto& client : clients) EXPECT_EQ(try_parse_json(client->response().body)["translatedText"], before);
  std::filesystem::remove(model::weights_file(directory));
  EXPECT_THROW(models_->reload(), Error);
  EXPECT_EQ(post("/translate", {{"q", "one two"}, {"target", "de"}})["translatedText"], before);
}

}  // namespace
}  // namespace dragoman::serve
