// Lines that somebody types at a terminal, with keys that change the line and bring earlier lines back.
#pragma once

#include <memory>
#include <string>

namespace dragoman::cli {

class LineEditor {
 public:
  // Whether this build has libedit.
  static bool is_built_in();
  // Whether lines can be edited: this build has libedit, somebody types at a terminal that can move its cursor, and
  // standard error, which shows the line, is a terminal too.
  static bool is_possible();

  // Requires is_possible(). At most one object may exist at a time.
  explicit LineEditor(std::string prompt);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Shows the prompt and reads a line, in UTF-8 whatever the locale; bytes that are not UTF-8 are kept. Returns false
  // at the end: Ctrl-D in an empty line. Earlier lines are remembered as long as this object exists.
  bool next(std::string& line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dragoman::cli
