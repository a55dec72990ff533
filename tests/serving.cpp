#include "tests/serving.h"

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman {

ServeTest::ServeTest() {
  name_languages("en", "de");
  decode::Translator translator(directory, {.threads = 1});
  for (const decode::TranslatedLine& line : translator.translate(texts)) expected.push_back(line.text);
}

std::vector<std::string> ServeTest::flags(std::vector<std::string> more) const {
  more.insert(more.end(), {"--model", directory.string(), "--threads", "2"});
  return more;
}

bool ServeTest::is_right(Client& client, std::size_t i) const {
  const auto answer = client.ask(posted("/translate", {{"q", texts[i]}, {"source", "en"}, {"target", "de"}}));
  return answer.status == 200 && parse_json(answer.body, "the answer")["translatedText"] == expected[i];
}

std::int64_t ServeTest::metric(Client& client, const std::string& name) {
  const std::string metrics = "\n" + client.ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").body;
  const std::size_t at = metrics.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stoll(metrics.substr(at + name.size() + 2));
}

}  // namespace dragoman
