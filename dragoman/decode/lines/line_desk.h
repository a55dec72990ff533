// Where a translator's worker gets its lines, and where it leaves what became of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

class LineDesk {
 public:
  struct Line {
    std::int64_t number = 0;  // tells lines apart
    SourceLine source;
  };

  virtual ~LineDesk() = default;

  // The next line, if there is one; with `wait`, waits until there is one or none can come.
  virtual std::optional<Line> take(bool wait) = 0;
  // The same, but only of a client for which `accepts` is true, where lines are of several clients.
  using Accepts = std::function<bool(const std::string& client)>;
  virtual std::optional<Line> take_of(const Accepts&, bool wait) { return take(wait); }
  virtual void finish(TranslatedLine line) = 0;
  // The line cannot be translated. The reason goes on after what it is called, as in "line 7".
  virtual void refuse(std::int64_t number, const std::string& reason) = 0;
  // Whether nobody wants anything any more.
  virtual bool given_up() = 0;

  // Lines that were taken, but that nobody wants any more; each is told once.
  virtual std::vector<std::int64_t> unwanted() { return {}; }
  // The translation of a line that is followed will begin with this text.
  virtual void settle(std::int64_t, const std::string&) {}
  // A step was taken with so many sentences.
  virtual void stepped(std::int64_t) {}
};

}  // namespace dragoman::decode
