// dragoman translate: files or standard input to standard output or a file, line by line, or a prompt.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/prompt.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/settings/translate_options.h"
#include "dragoman/cli/settings/translation_settings.h"
#include "dragoman/cli/show/invocation.h"
#include "dragoman/cli/show/translation_notes.h"
#include "dragoman/cli/show/translation_output.h"
#include "dragoman/cli/show/translation_printer.h"
#include "dragoman/cli/translation_input.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/text/file_kind.h"

namespace dragoman::cli {
namespace {

// The files that one word names with commas or spaces between them; nothing if one of them does not exist.
std::vector<std::string> files_in(const std::string& word) {
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t end = std::min(word.find_first_of(", ", begin), word.size());
    files.push_back(word.substr(begin, end - begin));
    if (!files.back().empty() && !std::filesystem::exists(status_of(files.back()))) return {};
    begin = end + 1;
  }
  std::erase(files, "");
  return files;
}

// Notices a wrong name before the model is loaded and the files before it are translated.
void check_inputs(const TranslateOptions& options, const TranslationSettings& translation) {
  for (const std::string& file : options.input) {
    if (file == "-") continue;
    const std::filesystem::file_status status = status_of(file);
    require<UsageError>(!std::filesystem::is_directory(status), "'", file, "' is a directory; name files.");
    if (std::filesystem::exists(status)) continue;
    for (const std::string& model : translation.model) {
      require<Error>(std::filesystem::exists(status_of(model)), "there is no model directory '", model,
                     "'; put a name with spaces in quotes.");
    }
    const std::vector<std::string> files = files_in(file);
    require<Error>(files.empty(), "there is no file '", file,
                   "'; write the files as separate words: ", fmt::format("{}", fmt::join(files, " ")), ".");
    throw Error(join("there is no file '", file,
                     "'; a text itself is typed at the prompt or comes through a pipe (echo ", shell_word(file), " | ",
                     program_call(), " translate --model ", shell_word(write_value(translation.model)), ")."));
  }
}

decode::TranslatorOptions translator_options(const TranslationSettings& translation, const TranslateOptions& options,
                                             const decode::SearchSettings& search) {
  decode::TranslatorOptions result = options_of(translation, search);
  result.bad_line = options.bad_line;
  result.traces = !options.attention.empty();
  result.deliver_failed = true;
  if (options.alignment) result.alignment = {.layer = options.alignment_layer, .head = options.alignment_head};
  return result;
}

// Shows progress if the translations go to a file: on a terminal or in a pipe they show it themselves.
void begin_progress(TranslationInput& input, const TranslationOutput& output, TranslationNotes& notes) {
  if (!output.is_file() || !notes.can_show_progress()) return;
  input.count_lines();
  notes.begin_progress([&] { return input.total_lines(); });
}

// The settings may be changed at the prompt.
void translate_all(const TranslationSettings& translation, TranslateOptions options, decode::SearchSettings search) {
  const bool is_typed = options.is_typed();
  TranslationInput input(options);
  TranslationNotes notes(options.quiet);
  decode::TranslatorOptions for_translator = translator_options(translation, options, search);
  for_translator.report = [&](const std::string& sentence) { notes.say(sentence); };
  for_translator.bad_line_advice =
      is_typed ? "type it again."
               : join("correct or remove it, or use --on-bad-line keep or empty; ",
                      text::latin1_advice(options.input.size() == 1 ? options.input.front() : "FILE"), ".");
  for_translator.name_line = [&](std::int64_t line) { return is_typed ? "this line" : input.name_of(line); };
  decode::Translator translator(directories(translation), for_translator);
  TranslationOutput output(options.output);
  TranslationPrinter printer({options, search, is_typed ? ListFormat::kRanked : ListFormat::kMoses},
                             translator.model().tokenizers, output, notes, for_translator.name_line);
  if (is_typed) {
    Prompt(translator, printer, notes, options, search).run();
  } else {
    begin_progress(input, output, notes);
    translator.translate_parts(std::ref(input), std::ref(printer));
    printer.note_unseen();
    notes.finish();
  }
  printer.finish();
  output.finish();
  if (!is_typed) printer.require_all();
}

// At a prompt all of these can be used later.
void require_translation_effects(const CommandSettings& settings, const TranslateOptions& options,
                                 const decode::SearchSettings& search) {
  if (options.is_typed()) return;
  require_search_effects(settings, search);
  for (const char* key : {"alignment-layer", "alignment-head"}) {
    settings.require_effect(key, options.alignment, "without --alignment.");
  }
}

void translate(CommandSettings& settings) {
  settings.read_file();
  TranslationSettings translation;
  TranslateOptions options;
  settings.apply(translation);
  decode::SearchSettings search = search_settings(settings, translation);
  settings.apply(options);
  options.take_arguments(settings);
  require_translation_effects(settings, options, search);
  options.validate(search);
  translation.validate();
  check_inputs(options, translation);
  translate_all(translation, options, search);
}

}  // namespace

void add_translate(CLI::App& program) {
  CommandSettings& settings = add_command(
      program, "translate", "translate files or standard input, line by line; a prompt on a terminal", translate);
  settings.add_arguments("FILE", "files to translate, one after the other, as with --input");
  settings.add_flags(TranslationSettings{}, "Options");
  settings.add_flags(TranslateOptions{}, "Input and output");
  settings.add_flags(decode::SearchSettings{}, "Search");
  settings.require_keys({"model"});
  settings.add_examples(
      {{"translate a sentence",
        "echo 'The old man gave the child a red book.' | dragoman translate --model dragoman-demo"},
       {"translate a file, with the three best translations of each line",
        "dragoman translate --model dragoman-demo --n-best 3 dragoman-demo/text/test.en --output best.txt"}});
}

}  // namespace dragoman::cli
