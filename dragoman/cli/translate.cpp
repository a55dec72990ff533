// dragoman translate: standard input to standard output, line by line.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/settings.h"
#include "dragoman/decode/translator.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

struct TranslateOptions {
  std::string model;
  bool scores = false;
  bool alignment = false;
  int alignment_layer = 0;
  int alignment_head = 0;
  int threads = 0;
  int batch_tokens = 2048;
  int longest = 1024;
  int max_extra = 50;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", model, "directory of the model");
    field("scores", scores, "print each translation's log-probability before it");
    field("alignment", alignment, "print the word alignment after it: 'source-target' pairs, counted from 0");
    field("alignment-layer", alignment_layer, "decoder layer to read it from, counted from 1; 0 for all");
    field("alignment-head", alignment_head, "attention head to read it from, counted from 1; 0 for all");
    field("threads", threads, "threads to use; 0 for all");
    field("batch-tokens", batch_tokens, "source tokens to translate at once");
    field("longest", longest, "most tokens of a line; a longer one is refused");
    field("max-extra", max_extra, "tokens that a translation may have beyond those of its source");
  }

  void validate() const {
    const auto within = [](std::string_view key, int value, int least, int most) {
      require<UsageError>(value >= least && value <= most, key, " is ", value, "; it must be from ", least, " to ",
                          most, ".");
    };
    require<UsageError>(!model.empty(), "say which model with --model DIR.");
    within("alignment-layer", alignment_layer, 0, 1000);
    within("alignment-head", alignment_head, 0, 1000);
    within("threads", threads, 0, 1024);
    within("batch-tokens", batch_tokens, 1, 10'000'000);
    within("longest", longest, 1, 1'000'000);
    within("max-extra", max_extra, 0, 1'000'000);
  }
};

decode::TranslatorOptions translator_options(const TranslateOptions& options) {
  decode::TranslatorOptions result{.threads = options.threads,
                                   .batch_tokens = options.batch_tokens,
                                   .longest = options.longest,
                                   .max_extra = options.max_extra,
                                   .weights = std::nullopt,
                                   .alignment = std::nullopt};
  if (options.alignment) result.alignment = {.layer = options.alignment_layer, .head = options.alignment_head};
  return result;
}

std::string alignment_text(const decode::TranslatedLine& line, const model::Tokenizers& tokenizers) {
  if (line.source.empty()) return "";
  const decode::AttentionMap words = decode::by_words(line.attention, decode::words_of(line.target, tokenizers.target),
                                                      decode::words_of(line.source, tokenizers.source));
  return decode::pharaoh(decode::links(words));
}

std::string output_line(const decode::TranslatedLine& line, const TranslateOptions& options,
                        const model::Tokenizers& tokenizers) {
  std::string text;
  if (options.scores) text += fmt::format("{:.4f}\t", line.log_probability);
  text += line.text;
  if (options.alignment) text += "\t" + alignment_text(line, tokenizers);
  return text + "\n";
}

// Who types is answered line by line; a file is read some lines ahead, which are translated together.
std::size_t lines_at_once() { return ::isatty(STDIN_FILENO) == 1 ? 1 : 256; }

void translate(Settings& settings) {
  settings.read_file();
  TranslateOptions options;
  settings.apply(options);
  options.validate();
  decode::Translator translator(options.model, translator_options(options));
  text::LineReader input("-");
  std::int64_t done = 0;
  for (bool more = true; more;) {
    std::vector<std::string> lines;
    std::string line;
    while (lines.size() < lines_at_once() && (more = input.next(line))) lines.push_back(line);
    for (const decode::TranslatedLine& result : translator.translate(lines, done + 1)) {
      ++done;
      if (!result.finished) {
        fmt::print(stderr, "translate: the translation of line {} ran into the length limit.\n", done);
      }
      print(output_line(result, options, translator.model().tokenizers));
    }
    flush_output();
  }
}

}  // namespace

void add_translate(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("translate", "translate standard input, line by line");
  auto settings = std::make_shared<Settings>(command);
  settings->add_flags(TranslateOptions{}, "Options");
  command.callback([settings] { translate(*settings); });
}

}  // namespace dragoman::cli
