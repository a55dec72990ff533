// dragoman translate: standard input to standard output, line by line.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/settings.h"
#include "dragoman/cli/trace_output.h"
#include "dragoman/cli/translation_settings.h"
#include "dragoman/decode/trace_json.h"
#include "dragoman/decode/translator.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

struct TranslateOptions {
  bool scores = false;
  bool flags = false;
  bool alignment = false;
  int alignment_layer = 0;
  int alignment_head = 0;
  std::string attention;
  std::string prefix;
  decode::BadLine bad_line = decode::BadLine::kStop;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("scores", scores, "print each translation's score before it");
    field("flags", flags, "print what seems wrong with it after it: limit, repeats, length, bad");
    field("alignment", alignment, "print the word alignment after it: 'source-target' pairs, counted from 0");
    field("alignment-layer", alignment_layer, "decoder layer to read it from, counted from 1; 0 for all");
    field("alignment-head", alignment_head, "attention head to read it from, counted from 1; 0 for all");
    field("attention", file_name(attention),
          "write attention and beam tree of each line to this file, one JSON object a line");
    field("prefix", file_name(prefix),
          "file of texts that the translations are to begin with, a line for each; empty for none");
    field("on-bad-line", bad_line, "a line that is not UTF-8 stops the run, is kept as it is, or becomes empty");
  }

  // Throws a UsageError for what does not go together.
  void validate(const decode::SearchSettings& search) const {
    require<UsageError>(search.n_best == 1 || (!scores && !flags && !alignment),
                        "lines of --n-best have their own form, scores included; leave out --scores, --flags and "
                        "--alignment.");
    require<UsageError>(prefix != "-", "standard input is the text to translate; --prefix needs a file.");
  }
};

// Standard input, with a prefix for each line if there is a file of them.
class Input {
 public:
  explicit Input(const std::string& prefixes) : lines_("-", {.any_bytes = true, .most_bytes = kMostBytes}) {
    if (!prefixes.empty()) prefixes_.emplace(prefixes);
  }

  bool operator()(decode::SourceLine& line, const std::stop_token& stop) {
    const bool more = lines_.next(line.text, stop);
    if (!prefixes_ || stop.stop_requested()) return more;
    if (prefixes_->next(line.prefix) != more) {
      more ? text::refuse_lengths(*prefixes_, lines_) : text::refuse_lengths(lines_, *prefixes_);
    }
    return more;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  text::LineReader lines_;
  std::optional<text::LineReader> prefixes_;
};

std::string flags_of(const decode::TranslatedLine& line) {
  std::vector<std::string> flags;
  if (!line.finished) flags.emplace_back("limit");
  if (line.repeats) flags.emplace_back("repeats");
  if (line.odd_length) flags.emplace_back("length");
  if (line.bad) flags.emplace_back("bad");
  return fmt::format("{}", fmt::join(flags, ","));
}

std::string alignment_of(const decode::TranslatedLine& line, const model::Tokenizers& tokenizers) {
  if (line.source.empty()) return "";
  const decode::AttentionMap words = decode::by_words(line.attention, decode::words_of(line.target, tokenizers.target),
                                                      decode::words_of(line.source, tokenizers.source));
  return decode::pharaoh(decode::links(words));
}

class Printer {
 public:
  Printer(const TranslateOptions& options, const decode::SearchSettings& search, const model::Tokenizers& tokenizers)
      : options_(options), search_(search), tokenizers_(tokenizers) {
    if (!options.attention.empty()) attention_.emplace(options.attention);
  }

  void operator()(const decode::TranslatedLine& line) {
    if (!line.finished) {
      note(fmt::format("translate: the translation of line {} ran into the length limit.", line.number));
    }
    if (line.pieces > 1) {
      note(fmt::format("translate: line {} is long; it was translated in {} pieces.", line.number, line.pieces));
    }
    print(search_.n_best > 1 ? list(line) : plain(line));
    flush_output();
    if (attention_) attention_->write(decode::trace_json(line, tokenizers_, search_) + "\n");
  }

  void finish() {
    if (attention_) attention_->finish();
  }

 private:
  std::string plain(const decode::TranslatedLine& line) const {
    std::string text;
    if (options_.scores) text += fmt::format("{:.4f}\t", line.score);
    text += line.text;
    if (options_.alignment) text += "\t" + alignment_of(line, tokenizers_);
    if (options_.flags) text += "\t" + flags_of(line);
    return text + "\n";
  }

  // The n best in the form that Moses made customary: number from 0, text, log-probability, score by its norm's name.
  std::string list(const decode::TranslatedLine& line) const {
    std::string text;
    const auto add = [&](const std::string& translation, double log_probability, double score) {
      text += fmt::format("{} ||| {} ||| logp={:.4f} ||| {}:{}={:.4f}\n", line.number - 1, translation, log_probability,
                          to_string(search_.length_norm), search_.alpha, score);
    };
    for (const decode::Hypothesis& hypothesis : line.hypotheses) {
      add(tokenizers_.target.decode(hypothesis.tokens), hypothesis.log_probability, hypothesis.score);
    }
    if (line.hypotheses.empty()) add(line.text, line.log_probability, line.score);
    return text;
  }

  const TranslateOptions& options_;
  const decode::SearchSettings& search_;
  const model::Tokenizers& tokenizers_;
  std::optional<TraceOutput> attention_;
};

void translate(Settings& settings) {
  settings.read_file();
  TranslationSettings how;
  decode::SearchSettings search;
  TranslateOptions options;
  settings.apply(how);
  settings.apply(search);
  settings.apply(options);
  options.validate(search);
  decode::TranslatorOptions translator_options = options_of(how, search);
  translator_options.bad_line = options.bad_line;
  translator_options.traces = !options.attention.empty();
  if (options.alignment) {
    translator_options.alignment = {.layer = options.alignment_layer, .head = options.alignment_head};
  }
  decode::Translator translator(directories(how), translator_options);
  Printer print_line(options, search, translator.model().tokenizers);
  Input input(options.prefix);
  translator.translate(std::ref(input), std::ref(print_line));
  print_line.finish();
}

}  // namespace

void add_translate(CLI::App& program) {
  Settings& settings = add_command(program, "translate", "translate standard input, line by line", translate);
  settings.add_flags(TranslationSettings{}, "Options");
  settings.add_flags(TranslateOptions{}, "Output");
  settings.add_flags(decode::SearchSettings{}, "Search");
}

}  // namespace dragoman::cli
