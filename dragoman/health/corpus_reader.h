// Reads a parallel text as it is. Unlike data::ParallelReader it does not stop at text that training would refuse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dragoman/data/parallel_text.h"
#include "dragoman/text/lines.h"

namespace dragoman::health {

// Line `line` of both sides. A side whose file has ended is absent.
struct RawPair {
  struct OneSide {
    std::string text;  // any bytes
    bool present = false;
    bool ends_in_crlf = false;
  };
  OneSide source, target;
  std::int64_t line = 0;
  // Of a line of tab-separated pairs. Unless it is 1, the whole line is the source, and there is no target.
  std::int64_t tabs = 1;
};

class CorpusReader {
 public:
  // Throws an Error if a file cannot be opened or is not a plain file: texts are read more than once.
  explicit CorpusReader(const data::ParallelFiles& files);

  // Returns false when both files have ended, or at a line that cannot be read: then problem() says why.
  bool next(RawPair& pair);
  const std::string& problem() const { return problem_; }

  bool has_byte_order_mark_in_source() const { return source_.has_byte_order_mark(); }
  bool has_byte_order_mark_in_target() const { return target_ && target_->has_byte_order_mark(); }

 private:
  static void split(RawPair& pair);

  text::LineReader source_;
  std::optional<text::LineReader> target_;
  std::string problem_;
};

}  // namespace dragoman::health
