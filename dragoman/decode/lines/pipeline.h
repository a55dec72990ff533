// Lines on their way through a translator: read by one thread, translated by workers, delivered in order.
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
#include <variant>

#include "dragoman/base/error.h"
#include "dragoman/decode/lines/line_desk.h"

namespace dragoman::decode {

// What may be on its way at once: lines, or parts of lines, and the bytes of their text. One part always may.
struct Window {
  std::int64_t parts;
  std::size_t bytes;
};

// Lines that wait, and results that wait for those before them. Long lines come in parts; what follows is said of lines
// and holds for parts.
class Pipeline final : public LineDesk {
 public:
  Pipeline(std::int64_t first_line, const Window& window) : next_line_(first_line), window_(window) {}

  // For the reader. Waits while the window is full; false if the work was given up.
  bool put(SourceLine line);
  // No more lines will come; if that is because of an error, it is thrown when all before it have been delivered.
  void close(std::exception_ptr error = nullptr);

  // For workers. That a line was refused is thrown when all before it have been delivered.
  std::optional<Line> take(bool wait) override;
  void finish(TranslatedLine line) override;
  void refuse(std::int64_t number, const std::string& reason) override;

  // For whoever delivers. The next line in order; nothing when all have been delivered. Throws what a worker threw, or
  // why the line was refused.
  std::optional<TranslatedLine> next();

  // Ends everything, because of an error or because nobody wants the rest.
  void give_up(std::exception_ptr error = nullptr);
  bool given_up() override;

 private:
  using Outcome = std::variant<TranslatedLine, UsageError>;

  // A part on its way: where it belongs, and what it counts in the window.
  struct Part {
    std::int64_t line;
    bool continues;
    std::size_t bytes;
  };

  bool has_room() const;
  void put_down(std::int64_t number, Outcome outcome);

  std::mutex mutex_;
  std::condition_variable room_, lines_, results_;
  std::queue<Line> waiting_;
  std::map<std::int64_t, Outcome> done_;
  std::deque<Part> parts_;                  // from the one that is to be delivered next to the one read last
  std::int64_t read_ = 0, delivered_ = 0;   // parts; workers know them by these numbers
  std::int64_t next_line_, next_part_ = 0;  // that is to be read
  std::size_t bytes_ = 0;                   // of the parts on their way
  Window window_;
  bool closed_ = false, given_up_ = false;
  std::exception_ptr reading_error_, error_;
};

}  // namespace dragoman::decode
