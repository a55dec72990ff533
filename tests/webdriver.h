// Drives headless Chromium through chromedriver with the WebDriver HTTP protocol (https://www.w3.org/TR/webdriver2/).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "tests/process.h"

namespace dragoman {

// Thrown if there is no browser on this machine; what() says why.
struct NoBrowser : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Keys that are not letters.
struct Key {
  inline static const std::string kEnter = "\uE007", kShift = "\uE008", kEscape = "\uE00C", kEnd = "\uE010",
                                  kLeft = "\uE012", kRight = "\uE014", kDown = "\uE015";
};

// A browser with one page. If a command fails, or a condition does not come true within a minute, it throws a
// std::runtime_error with the browser's message. Elements are given by CSS selectors; the first match is used.
class Browser {
 public:
  // Downloads and the browser's own files go to `folder`. Throws NoBrowser.
  explicit Browser(const std::string& folder);
  ~Browser();

  void open(const std::string& address);
  // Runs a script and returns its result. In the script, `arguments` is the given list.
  Json run(const std::string& script, const Json& arguments = Json::array());
  // The value of an expression.
  Json value(const std::string& expression);
  // The text of an element, visible or not, byte for byte.
  std::string text(const std::string& selector);
  // Waits until an expression is true, and then for one more frame, so that the page can draw.
  void wait_for(const std::string& expression);

  // Like real input; elements out of sight are scrolled into view.
  void click(const std::string& selector, int times = 1);
  void point_at(const std::string& selector);
  void focus(const std::string& selector);
  void type(const std::string& selector, const std::string& text);  // replaces the old text
  // Presses the keys one after the other and releases them together. They go to the focused element.
  void press(const std::vector<std::string>& keys);

  void size(int width, int height);
  void prefer(const std::string& scheme);  // the system's colour scheme: light or dark
  void network(bool on);
  // A command of the DevTools protocol.
  Json devtools(const std::string& command, const Json& parameters);
  // The errors and warnings that the page and the browser wrote to the console since the last call.
  std::vector<std::string> complaints();

 private:
  Json command(const std::string& path, const Json& body);
  Json ask(const std::string& method, const std::string& path, const Json& body);
  Json element(const std::string& selector);
  void move_and(const std::string& selector, int clicks);
  void act(const Json& device);

  Process driver_{{"chromedriver", "--port=0"}};
  int port_ = 0;
  std::string session_;
};

}  // namespace dragoman
