#include "tests/webdriver.h"

#include "dragoman/serve/testing.h"

namespace dragoman {
namespace {

constexpr int kPatience = 60;  // seconds; a busy machine starts a browser slowly

// All versions of the driver have one of these phrases in their message if there is no browser.
bool has_no_browser(const std::string& sentence) {
  return sentence.find("cannot find Chrome binary") != std::string::npos ||
         sentence.find("no chrome binary") != std::string::npos;
}

}  // namespace

Browser::Browser(const std::string& folder) {
  const auto port = driver_.number_after("started successfully on port ");
  if (!port)
    throw NoBrowser("chromedriver is missing or does not start; scripts/setup installs it. " + driver_.output());
  port_ = *port;
  // With the pipe the browser notices when its driver ends, for whatever reason, and ends too.
  const Json arguments =
      Json::array({"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-back-forward-cache", "--disable-extensions",
                   "--remote-debugging-pipe", "--user-data-dir=" + folder + "/browser"});
  const Json wanted{{"browserName", "chrome"},
                    {"goog:chromeOptions", {{"args", arguments}}},
                    {"goog:loggingPrefs", {{"browser", "ALL"}}},
                    {"timeouts", {{"script", 1000 * kPatience}, {"pageLoad", 1000 * kPatience}}}};
  try {
    const Json session = ask("POST", "/session", {{"capabilities", {{"alwaysMatch", wanted}}}});
    session_ = "/session/" + session["sessionId"].get<std::string>();
  } catch (const std::runtime_error& error) {
    if (has_no_browser(error.what())) throw NoBrowser(error.what());
    throw;
  }
  devtools("Browser.setDownloadBehavior", {{"behavior", "allow"}, {"downloadPath", folder}});
}

Browser::~Browser() {
  try {
    if (!session_.empty()) ask("DELETE", session_, nullptr);
  } catch (const std::exception&) {
    // The browser is killed with its driver.
  }
}

void Browser::open(const std::string& address) { command("/url", {{"url", address}}); }

Json Browser::run(const std::string& script, const Json& arguments) {
  return command("/execute/sync", {{"script", script}, {"args", arguments}});
}

Json Browser::value(const std::string& expression) { return run("return (" + expression + ");"); }

std::string Browser::text(const std::string& selector) {
  return run("return document.querySelector(arguments[0]).textContent;", Json::array({selector})).get<std::string>();
}

void Browser::wait_for(const std::string& expression) {
  const std::string script = R"(
      const done = arguments[0];
      const frame = (next) => requestAnimationFrame(next);
      const look = () => (Boolean()" +
                             expression + R"() ? frame(() => setTimeout(done)) : frame(look));
      look();)";
  try {
    command("/execute/async", {{"script", script}, {"args", Json::array()}});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + ("\nThe page: " + value("document.body.innerText").get<std::string>()));
  }
}

void Browser::click(const std::string& selector, int times) { move_and(selector, times); }

void Browser::point_at(const std::string& selector) { move_and(selector, 0); }

void Browser::focus(const std::string& selector) {
  run("document.querySelector(arguments[0]).focus();", Json::array({selector}));
}

void Browser::type(const std::string& selector, const std::string& text) {
  const std::string path = "/element/" + element(selector).begin()->get<std::string>();
  command(path + "/clear", Json::object());
  command(path + "/value", {{"text", text}});
}

void Browser::press(const std::vector<std::string>& keys) {
  Json actions = Json::array();
  for (const std::string& key : keys) actions.push_back({{"type", "keyDown"}, {"value", key}});
  for (const std::string& key : keys) actions.push_back({{"type", "keyUp"}, {"value", key}});
  act({{"type", "key"}, {"id", "keyboard"}, {"actions", actions}});
}

void Browser::size(int width, int height) {
  devtools("Emulation.setDeviceMetricsOverride",
           {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& scheme) {
  const Json feature{{"name", "prefers-color-scheme"}, {"value", scheme}};
  devtools("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}});
}

void Browser::network(bool on) {
  devtools("Network.enable", Json::object());
  devtools("Network.emulateNetworkConditions",
           {{"offline", !on}, {"latency", 0}, {"downloadThroughput", -1}, {"uploadThroughput", -1}});
}

Json Browser::devtools(const std::string& name, const Json& parameters) {
  return command("/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
}

std::vector<std::string> Browser::console_errors() {
  std::vector<std::string> messages;
  for (const Json& entry : command("/se/log", {{"type", "browser"}})) {
    if (entry["level"] == "SEVERE" || entry["level"] == "WARNING") messages.push_back(entry["message"]);
  }
  return messages;
}

Json Browser::command(const std::string& path, const Json& body) { return ask("POST", session_ + path, body); }

Json Browser::ask(const std::string& method, const std::string& path, const Json& body) {
  const std::string text = body.is_null() ? "" : body.dump();
  serve::Client client(port_);
  client.wait_at_most(2 * kPatience);
  const auto answer =
      client.ask(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
                 "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  Json value = parse_json(answer.body, "the answer")["value"];
  if (answer.status == 200) return value;
  throw std::runtime_error(path + ": " + value.value("message", answer.body) + "\n" + text.substr(0, 500));
}

Json Browser::element(const std::string& selector) {
  return command("/element", {{"using", "css selector"}, {"value", selector}});
}

void Browser::move_and(const std::string& selector, int clicks) {
  const Json found = element(selector);
  run("arguments[0].scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});", Json::array({found}));
  Json actions = Json::array();
  actions.push_back({{"type", "pointerMove"}, {"duration", 0}, {"x", 0}, {"y", 0}, {"origin", found}});
  for (int i = 0; i < clicks; ++i) {
    for (const char* what : {"pointerDown", "pointerUp"}) actions.push_back({{"type", what}, {"button", 0}});
  }
  act({{"type", "pointer"}, {"id", "mouse"}, {"parameters", {{"pointerType", "mouse"}}}, {"actions", actions}});
}

void Browser::act(const Json& device) { command("/actions", {{"actions", Json::array({device})}}); }

}  // namespace dragoman
