// An application with a small model, for tests that send it requests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/testing.h"
#include "dragoman/serve/api/app.h"
#include "dragoman/serve/http/exchange_testing.h"

namespace dragoman::serve {

class AppTest : public decode::ModelDirectoryTest {
 protected:
  AppTest() {
    name_languages("en", "de");
    make_app();
  }

  void make_app(AppOptions options = {}, std::int64_t max_waiting = 1000) {
    app_.reset();
    models_ = std::make_unique<Models>(std::vector<std::filesystem::path>{directory}, translation(), max_waiting);
    app_ = std::make_unique<App>(*models_, std::move(options));
  }
  static decode::TranslatorOptions translation() { return {.search = {.max_extra = 12}, .threads = 1}; }

  std::shared_ptr<FakeExchange> send(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpRequest request{.method = method, .path = path, .query = {}, .headers = {}, .body = body, .client = "client"};
    if (!body.empty()) request.headers["content-type"] = "application/json";
    const auto exchange = std::make_shared<FakeExchange>(std::move(request));
    (*app_)(exchange);
    return exchange;
  }
  std::pair<int, Json> ask(const std::string& method, const std::string& path, const Json& body = {}) {
    const auto exchange = send(method, path, body.is_null() ? "" : body.dump());
    return {exchange->response().status, try_parse_json(exchange->response().body)};
  }
  Json post(const std::string& path, const Json& body) {
    const auto [status, answer] = ask("POST", path, body);
    EXPECT_EQ(status, 200) << answer;
    return answer;
  }
  std::string expected(const std::string& text, const decode::SearchSettings& search = translation().search) const {
    decode::TranslatorOptions options = translation();
    options.search = search;
    const std::vector<std::string> lines{text};
    return decode::Translator(directory, options).translate(lines)[0].text;
  }

  std::unique_ptr<Models> models_;
  std::unique_ptr<App> app_;
};

}  // namespace dragoman::serve
