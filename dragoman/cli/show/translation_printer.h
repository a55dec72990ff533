// Prints the results of `dragoman translate`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/cli/settings/translate_options.h"
#include "dragoman/cli/show/trace_output.h"
#include "dragoman/cli/show/translation_notes.h"
#include "dragoman/cli/show/translation_output.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::cli {

// How the n best translations of a line are printed.
enum class ListFormat : std::uint8_t {
  kMoses,   // "0 ||| text ||| logp=-1.9 ||| gnmt:0.6=-1.0", with the number of the line, from 0
  kRanked,  // " 1  -1.0000  text", for people
};

struct PrinterOptions {
  const TranslateOptions& translate;
  const decode::SearchSettings& search;
  ListFormat list = ListFormat::kMoses;
};

class TranslationPrinter {
 public:
  // All arguments must outlive the printer. The settings may change between two lines. `name_line` names lines in
  // notes.
  TranslationPrinter(const PrinterOptions& options, const model::Tokenizers& tokenizers, TranslationOutput& output,
                     TranslationNotes& notes, decode::NameLine name_line);

  // Takes a line, or a part of a long line.
  void operator()(const decode::TranslatedLine& part);
  // Says how many of the lines so far have words that the model never saw, and which words.
  void note_unseen() const;
  void finish();
  // Throws an Error if lines failed (see TranslatorOptions::deliver_failed). In their places stand lines without text.
  void require_all() const;

 private:
  void print_line(const decode::TranslatedLine& line);
  bool can_print_parts() const;
  void print_part(const decode::TranslatedLine& part);
  void keep_part(const decode::TranslatedLine& part);
  void note_progress();
  void warn(const decode::TranslatedLine& line);
  std::string before_text(const decode::TranslatedLine& line) const;
  std::string after_text(const decode::TranslatedLine& line) const;
  std::string list(const decode::TranslatedLine& line) const;

  PrinterOptions options_;
  const model::Tokenizers& tokenizers_;
  TranslationOutput& output_;
  TranslationNotes& notes_;
  decode::NameLine name_line_;
  std::optional<TraceOutput> attention_;
  std::optional<decode::TranslatedLine> long_line_;  // the parts so far of a long line
  std::int64_t failed_ = 0, first_failed_ = 0;       // how many lines failed, and the number of the first
  std::int64_t lines_with_unseen_ = 0;
  std::vector<std::string> unseen_;  // words of all lines
  std::chrono::steady_clock::time_point last_note_ = std::chrono::steady_clock::now();
};

}  // namespace dragoman::cli
