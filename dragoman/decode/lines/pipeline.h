// The pipeline of a translator: one thread reads lines, workers translate them, and the results are delivered in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <variant>

#include "dragoman/base/error.h"
#include "dragoman/decode/lines/line_queue.h"

namespace dragoman::decode {

// The most that may be in the pipeline at once: lines or parts of lines, and the bytes of their text. A single part may
// always enter.
struct Window {
  std::int64_t parts;
  std::size_t bytes;
};

// Holds lines that wait for a worker, and results that wait for the results before them. Long lines come in parts;
// where a comment says "line", the same holds for each part. All functions may be called from any thread.
class Pipeline final : public LineQueue {
 public:
  // `name_line` is that of TranslatorOptions.
  Pipeline(std::int64_t first_line, const Window& window, NameLine name_line = {})
      : next_line_(first_line), window_(window), name_line_(std::move(name_line)) {}

  // For the reader. Waits while the window is full. Returns false if the work was given up.
  bool put(SourceLine line);
  // For the reader: no more lines will come. If the reason is an error, next() throws it after all lines have been
  // delivered.
  void close(std::exception_ptr error = nullptr);

  // The name of a line in messages.
  std::string name_of(std::int64_t line) const { return name_line_ ? name_line_(line) : join("line ", line); }

  // For workers. If a line is refused, next() throws a UsageError after all lines before it have been delivered.
  std::optional<Line> take(bool wait) override;
  void finish(TranslatedLine line) override;
  void refuse(std::int64_t number, const std::string& reason) override;

  // For the thread that delivers: waits for the next result in order; nothing when all have been delivered. Throws the
  // error of a worker, or the reason why the line was refused.
  std::optional<TranslatedLine> next();

  // Abandons all work, because of an error of a worker or because the rest is not needed.
  void give_up(std::exception_ptr error = nullptr);
  bool given_up() override;

 private:
  using Outcome = std::variant<TranslatedLine, UsageError>;

  // A part in the pipeline.
  struct Part {
    std::int64_t line;  // the number of its line
    bool continues;     // the line has further parts
    std::size_t bytes;  // of its text and prefix
  };

  bool has_room() const;
  void store_outcome(std::int64_t number, Outcome outcome);

  std::mutex mutex_;
  std::condition_variable room_, lines_, results_;  // there is room in the window; lines wait; the next result is there
  std::queue<Line> waiting_;                        // parts that no worker has taken yet
  std::map<std::int64_t, Outcome> done_;            // results that are not yet delivered, by the number of their part
  std::deque<Part> parts_;                          // all parts in the pipeline, from the next to be delivered on
  std::int64_t read_ = 0, delivered_ = 0;           // how many parts; workers get part i, counted from 0, as number i
  std::int64_t next_line_, next_part_ = 0;          // the line, and the part of it, that is put in next
  std::size_t bytes_ = 0;                           // of all parts in the pipeline
  Window window_;
  NameLine name_line_;
  bool closed_ = false, given_up_ = false;
  std::exception_ptr reading_error_, error_;  // of close() and give_up()
};

}  // namespace dragoman::decode
