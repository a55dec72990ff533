// Chromium without a window, driven through chromedriver by WebDriver's HTTP protocol
// (https://www.w3.org/TR/webdriver2/).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "tests/process.h"

namespace dragoman {

// There is no browser to drive here; what() says why.
struct NoBrowser : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Keys that are no letters.
struct Key {
  inline static const std::string kEnter = "\uE007", kShift = "\uE008", kEscape = "\uE00C", kEnd = "\uE010",
                                  kLeft = "\uE012", kRight = "\uE014", kDown = "\uE015";
};

// One browser with one page. A command that fails, or a condition that does not come true within a minute, is a
// std::runtime_error with what the browser said. Elements are named by CSS selectors, of which the first match counts.
class Browser {
 public:
  // Downloads go to `folder`, where the browser keeps its own things too. Throws NoBrowser.
  explicit Browser(const std::string& folder);
  ~Browser();

  void open(const std::string& address);
  // What a script returns; in it, `arguments` is the list of what is given.
  Json run(const std::string& script, const Json& arguments = Json::array());
  // The value of an expression.
  Json value(const std::string& expression);
  // Of an element, seen or not, byte for byte.
  std::string text(const std::string& selector);
  // Waits until an expression is true, and for a frame more, in which the page draws what it owes.
  void wait_for(const std::string& expression);

  // As a hand would; what is out of sight is scrolled into it.
  void click(const std::string& selector, int times = 1);
  void point_at(const std::string& selector);
  void focus(const std::string& selector);
  void type(const std::string& selector, const std::string& text);  // in place of what is there
  // Pressed one after the other and let go together, wherever the focus is.
  void press(const std::vector<std::string>& keys);

  void size(int width, int height);
  void prefer(const std::string& scheme);  // light or dark, as the system would say
  void network(bool on);
  // A command of the DevTools protocol.
  Json devtools(const std::string& command, const Json& parameters);
  // What the page and the browser wrote to the console since the last call, without what is mere information.
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
