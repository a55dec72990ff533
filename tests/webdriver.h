// Chromium without a window, driven through chromedriver by WebDriver's HTTP protocol
// (https://www.w3.org/TR/webdriver2/).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "tests/process.h"

namespace dragoman {

// Thrown if there is no browser; what() says why.
struct NoBrowser : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Keys that do not type a character.
struct Key {
  inline static const std::string kEnter = "\uE007", kShift = "\uE008", kEscape = "\uE00C", kEnd = "\uE010",
                                  kLeft = "\uE012", kUp = "\uE013", kRight = "\uE014", kDown = "\uE015";
};

// One browser with one page. A command that fails, or a condition that does not become true within a minute, throws a
// std::runtime_error with the browser's message. Elements are given by CSS selectors; the first match is used.
class Browser {
 public:
  // Downloads go to `folder`, where the browser also keeps its own files. Throws NoBrowser.
  explicit Browser(const std::string& folder);
  ~Browser();

  void open(const std::string& address);
  // Runs a script and returns its result. The script finds the given values in its list `arguments`.
  Json run(const std::string& script, const Json& arguments = Json::array());
  // The value of an expression.
  Json value(const std::string& expression);
  // The text of an element, whether it is visible or not.
  std::string text(const std::string& selector);
  // Waits until an expression is true, and for one more frame, in which the page draws.
  void wait_for(const std::string& expression);

  // Moves the mouse and clicks, after scrolling to the element.
  void click(const std::string& selector, int times = 1);
  void point_at(const std::string& selector);
  void focus(const std::string& selector);
  void type(const std::string& selector, const std::string& text);  // replaces the old text
  // Presses the keys one after the other and then releases them. The element with the focus gets them.
  void press(const std::vector<std::string>& keys);

  void size(int width, int height);
  void prefer(const std::string& scheme);  // "light" or "dark", as if the system preferred it
  void network(bool on);
  // A command of the DevTools protocol.
  Json devtools(const std::string& command, const Json& parameters);
  // The warnings and errors in the console since the last call.
  std::vector<std::string> console_errors();

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
