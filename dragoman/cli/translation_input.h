// The text that `dragoman translate` reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/cli/settings/translate_options.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {

// The lines of the files one after the other, with a prefix for each line if there is a file of prefixes. Long lines
// are read in parts. Files are opened when they are needed, because one may be a pipe that has no text yet.
class TranslationInput {
 public:
  explicit TranslationInput(const TranslateOptions& options)
      : files_(options.input), prefix_file_(options.prefix), bad_line_(options.bad_line) {}

  // The next line for Translator::translate_parts().
  bool operator()(decode::SourceLine& line, const std::stop_token& stop);

  // The name of a line that was read, for messages; lines are counted from 1 over all files: "line 7" of standard
  // input, otherwise "'text.en' line 7". May be called from any thread.
  std::string name_of(std::int64_t number) const;

  // Counts the lines of all files in a thread of its own, to be called before the first line is read. Counts nothing if
  // a file is a pipe or a terminal, which can be read only once.
  void count_lines();
  // 0 as long as the number is not known.
  std::int64_t total_lines() const { return total_lines_; }

 private:
  void open_next();
  bool next_part(std::string& text, const std::stop_token& stop);
  void next_prefix(std::string& prefix, bool has_line);
  void refuse_binary(decode::SourceLine& line) const;

  const std::vector<std::string> files_;
  const std::string prefix_file_;
  const decode::BadLine bad_line_;
  std::optional<text::LineReader> lines_, prefixes_;

  mutable std::mutex mutex_;
  std::vector<std::int64_t> first_lines_;  // of each file that was opened; the reading thread adds to it

  std::atomic<std::int64_t> total_lines_ = 0;
  std::jthread counting_;
};

}  // namespace dragoman::cli
