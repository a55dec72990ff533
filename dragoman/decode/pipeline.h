// Lines on their way through a translator: read by one thread, translated by workers, delivered in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <variant>

#include "dragoman/base/error.h"
#include "dragoman/decode/line_desk.h"

namespace dragoman::decode {

// Lines that wait, and results that wait for those before them. At most `window` lines are on their way at once.
class Pipeline final : public LineDesk {
 public:
  Pipeline(std::int64_t first_line, std::int64_t window) : read_(first_line), delivered_(first_line), window_(window) {}

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

  void put_down(std::int64_t number, Outcome outcome);

  std::mutex mutex_;
  std::condition_variable room_, lines_, results_;
  std::queue<Line> waiting_;
  std::map<std::int64_t, Outcome> done_;
  std::int64_t read_, delivered_, window_;
  bool closed_ = false, given_up_ = false;
  std::exception_ptr reading_error_, error_;
};

}  // namespace dragoman::decode
