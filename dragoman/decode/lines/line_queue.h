// The interface between a translator's worker and the lines that it translates: the worker takes lines from here and
// gives back their results. Pipeline and Service implement it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

class LineQueue {
 public:
  struct Line {
    std::int64_t number = 0;  // identifies the line
    SourceLine source;
  };

  virtual ~LineQueue() = default;

  // The next line, or nothing. With `wait`, waits until there is a line or it is certain that no more will come.
  virtual std::optional<Line> take(bool wait) = 0;
  // The same, but if lines belong to several clients, only a line of a client for which `accepts` returns true.
  using Accepts = std::function<bool(const std::string& client)>;
  virtual std::optional<Line> take_of(const Accepts&, bool wait) { return take(wait); }
  // Gives back the result of a line.
  virtual void finish(TranslatedLine line) = 0;
  // Reports that the line cannot be translated. `reason` continues a sentence that begins with the line's name, as in
  // "line 7".
  virtual void refuse(std::int64_t number, const std::string& reason) = 0;
  // Whether the work was abandoned, so that the worker should stop.
  virtual bool given_up() = 0;

  // Lines that were cancelled after they were taken. Each is returned once.
  virtual std::vector<std::int64_t> take_cancelled() { return {}; }
  // Reports that the translation of a line is certain to begin with this text. Called for lines with options.follow.
  virtual void report_settled(std::int64_t, const std::string&) {}
  // Reports that a decoding step is taken with this many sentences.
  virtual void count_step(std::int64_t) {}
};

}  // namespace dragoman::decode
