// dragoman translate: standard input to standard output, line by line.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/settings/translation_settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/trace_output.h"
#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/lines/trace_json.h"
#include "dragoman/decode/lines/translator.h"
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
    field("scores", scores, "print the score before each translation");
    field("flags", flags, "print possible problems after each translation: limit, repeats, length, unknown, bad");
    field("alignment", alignment,
          "print the word alignment after each translation: 'source-target' pairs, counted from 0");
    field("alignment-layer", alignment_layer, "decoder layer to read the alignment from, counted from 1; 0 for all");
    field("alignment-head", alignment_head, "attention head to read the alignment from, counted from 1; 0 for all");
    field("attention", file_name(attention),
          "write the attention and the beam tree of each line to this file, one JSON object per line");
    field("prefix", file_name(prefix),
          "file with the beginning of each translation, one per line; an empty line for none");
    field("on-bad-line", bad_line, "a line that is not UTF-8 stops the run, is kept as it is, or becomes empty");
  }

  // Throws a UsageError for settings that contradict each other.
  void validate(const decode::SearchSettings& search) const {
    require<UsageError>(search.n_best == 1 || (!scores && !flags && !alignment),
                        "--n-best prints lines in its own format, with scores; leave out --scores, --flags and "
                        "--alignment.");
    require<UsageError>(prefix != "-", "standard input is the text to translate; --prefix needs a file.");
  }
};

// Reads standard input, with a prefix for each line if there is a file of prefixes. Long lines are read in parts.
class Input {
 public:
  explicit Input(const TranslateOptions& options)
      : bad_line_(options.bad_line), lines_("-", {.any_bytes = true, .max_bytes = kMaxBytes}) {
    if (!options.prefix.empty()) prefixes_.emplace(options.prefix);
  }

  bool operator()(decode::SourceLine& line, const std::stop_token& stop) {
    const bool begins = !lines_.continues();
    const bool more = lines_.next_part(line.text, decode::kPartBytes, stop);
    line.continues = lines_.continues();
    if (line.continues && line.text.find('\0') != std::string::npos) refuse_binary(line);
    if (!prefixes_ || !begins || stop.stop_requested()) return more;
    if (prefixes_->next(line.prefix) != more) {
      more ? text::throw_line_count_mismatch(*prefixes_, lines_) : text::throw_line_count_mismatch(lines_, *prefixes_);
    }
    return more;
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // of a line

  // Marks a long line with zero bytes as bad, or stops the run. It is binary data, such as a program, which may have no
  // line break at all.
  void refuse_binary(decode::SourceLine& line) {
    line.bad = true;
    require<UsageError>(bad_line_ != decode::BadLine::kStop, lines_.name(), " line ", lines_.line(), " is longer than ",
                        decode::kPartBytes >> 10, " KiB and holds zero bytes: it is not text.");
  }

  decode::BadLine bad_line_;
  text::LineReader lines_;
  std::optional<text::LineReader> prefixes_;
};

std::string flags_of(const decode::TranslatedLine& line) {
  std::vector<std::string> flags;
  if (!line.finished) flags.emplace_back("limit");
  if (line.repeats) flags.emplace_back("repeats");
  if (line.odd_length) flags.emplace_back("length");
  if (line.unknown) flags.emplace_back("unknown");
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

  // Takes a line, or a part of a long line.
  void operator()(const decode::TranslatedLine& part) {
    if (!long_line_ && !part.continues) return print_line(part);
    if (!long_line_) long_line_.emplace().number = part.number;
    can_print_parts() ? print_part(part) : keep_part(part);
    if (!part.continues) long_line_.reset();
  }

  void finish() {
    if (attention_) attention_->finish();
  }

 private:
  static constexpr std::size_t kMaxKept = 16 << 20;  // bytes of the translation of a long line

  void print_line(const decode::TranslatedLine& line) {
    warn(line);
    print(search_.n_best > 1 ? list(line) : before_text(line) + line.text + after_text(line));
    flush_output();
    if (attention_) attention_->write(decode::trace_json(line, tokenizers_, search_) + "\n");
  }

  // Whether the parts of a long line can be printed as they come. They cannot if something must be printed first that
  // is known only at the end of the line, such as its score.
  bool can_print_parts() const { return search_.n_best == 1 && !options_.scores && !attention_; }

  void print_part(const decode::TranslatedLine& part) {
    decode::TranslatedLine& line = *long_line_;
    print(decode::separator_before(line, part));
    print(part.text);
    decode::add_part(line, part);
    line.text.resize(std::min<std::size_t>(line.text.size(), 1));  // separator_before() only asks if it is empty
    if (part.continues) {
      note_progress();
    } else {
      warn(line);
      print(after_text(line));
    }
    flush_output();
  }

  void keep_part(const decode::TranslatedLine& part) {
    decode::add_part(*long_line_, part);
    require<UsageError>(long_line_->text.size() <= kMaxKept, "line ", part.number, " has a translation of more than ",
                        kMaxKept >> 20,
                        " MiB, too much to keep for --scores, --n-best or --attention; split the line, or leave "
                        "them out.");
    part.continues ? note_progress() : print_line(*long_line_);
  }

  // Prints at most one note in ten seconds.
  void note_progress() {
    constexpr std::chrono::seconds kBetween(10);
    const auto now = std::chrono::steady_clock::now();
    if (now < last_note_ + kBetween) return;
    last_note_ = now;
    note(fmt::format("translate: line {} is long; {} pieces of it have been translated so far.", long_line_->number,
                     long_line_->pieces));
  }

  static void warn(const decode::TranslatedLine& line) {
    if (!line.finished) {
      note(fmt::format("translate: the translation of line {} ran into the length limit.", line.number));
    }
    if (line.pieces > 1) {
      note(fmt::format("translate: line {} is long; it was translated in {} pieces.", line.number, line.pieces));
    }
  }

  std::string before_text(const decode::TranslatedLine& line) const {
    return options_.scores ? fmt::format("{:.4f}\t", line.score) : "";
  }
  std::string after_text(const decode::TranslatedLine& line) const {
    std::string text;
    if (options_.alignment) text += "\t" + alignment_of(line, tokenizers_);
    if (options_.flags) text += "\t" + flags_of(line);
    return text + "\n";
  }

  // The n best translations in the usual format of Moses: line number from 0, text, log-probability, and the score with
  // the name of its norm.
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
  std::optional<decode::TranslatedLine> long_line_;  // the parts so far of a long line
  std::chrono::steady_clock::time_point last_note_ = std::chrono::steady_clock::now();
};

void translate(CommandSettings& settings) {
  settings.read_file();
  TranslationSettings translation_settings;
  decode::SearchSettings search;
  TranslateOptions options;
  settings.apply(translation_settings);
  settings.apply(search);
  settings.apply(options);
  options.validate(search);
  decode::TranslatorOptions translator_options = options_of(translation_settings, search);
  translator_options.report = note;
  translator_options.bad_line = options.bad_line;
  translator_options.traces = !options.attention.empty();
  if (options.alignment) {
    translator_options.alignment = {.layer = options.alignment_layer, .head = options.alignment_head};
  }
  decode::Translator translator(directories(translation_settings), translator_options);
  Printer printer(options, search, translator.model().tokenizers);
  Input input(options);
  translator.translate_parts(std::ref(input), std::ref(printer));
  printer.finish();
}

}  // namespace

void add_translate(CLI::App& program) {
  CommandSettings& settings = add_command(program, "translate", "translate standard input, line by line", translate);
  settings.add_flags(TranslationSettings{}, "Options");
  settings.add_flags(TranslateOptions{}, "Output");
  settings.add_flags(decode::SearchSettings{}, "Search");
}

}  // namespace dragoman::cli
