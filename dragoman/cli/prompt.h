// The prompt of `dragoman translate`: somebody types lines at a terminal and reads their translations.
#pragma once

#include <optional>
#include <string>

#include "dragoman/cli/line_editor.h"
#include "dragoman/cli/settings/prompt_settings.h"
#include "dragoman/cli/show/translation_notes.h"
#include "dragoman/cli/show/translation_printer.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {

class Prompt {
 public:
  // What the user sees beside the translations goes to standard error. All arguments must outlive the prompt. Lines
  // beginning with a colon change `options` and `search`, which the printer uses too.
  Prompt(decode::Translator& translator, TranslationPrinter& printer, TranslationNotes& notes,
         TranslateOptions& options, decode::SearchSettings& search)
      : translator_(translator),
        printer_(printer),
        notes_(notes),
        options_(options),
        search_(search),
        settings_(options, search) {}

  // Reads and answers lines until the end of the input or :quit. Whatever the user types wrongly gets one sentence.
  void run();

 private:
  bool next(std::string& line);
  bool next_unedited(std::string& line);
  // Returns false to end.
  bool answer(const std::string& line);
  bool obey(std::string_view command);
  void translate(const std::string& line);
  void say_doubts(const decode::TranslatedLine& line);

  decode::Translator& translator_;
  TranslationPrinter& printer_;
  TranslationNotes& notes_;
  TranslateOptions& options_;
  decode::SearchSettings& search_;
  PromptSettings settings_;
  std::optional<LineEditor> editor_;       // if lines can be edited
  std::optional<text::LineReader> lines_;  // otherwise
  std::int64_t translated_ = 0;            // lines so far
};

}  // namespace dragoman::cli
