#include "dragoman/cli/show/translation_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/lines/trace_json.h"
#include "dragoman/decode/search/offers.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxKept = 16 << 20;  // bytes of the translation of a long line

std::string flags_of(const decode::TranslatedLine& line) {
  std::vector<std::string> flags;
  if (!line.finished) flags.emplace_back("limit");
  if (line.repeats) flags.emplace_back("repeats");
  if (line.odd_length) flags.emplace_back("length");
  if (line.unknown) flags.emplace_back("unknown");
  if (!line.unseen.empty()) flags.emplace_back("unseen");
  if (line.bad) flags.emplace_back("bad");
  if (line.failed) flags.emplace_back("failed");
  return fmt::format("{}", fmt::join(flags, ","));
}

// From the attention that the translator was asked for, or else from the links that were asked for with the line.
std::string alignment_of(const decode::TranslatedLine& line, const model::Tokenizers& tokenizers) {
  if (!line.links.empty()) return decode::pharaoh(line.links.front());
  if (line.source.empty() || line.attention.weights.empty()) return "";
  const decode::AttentionMap words = decode::by_words(line.attention, decode::words_of(line.target, tokenizers.target),
                                                      decode::words_of(line.source, tokenizers.source));
  return decode::pharaoh(decode::links(words));
}

}  // namespace

TranslationPrinter::TranslationPrinter(const PrinterOptions& options, const model::Tokenizers& tokenizers,
                                       TranslationOutput& output, TranslationNotes& notes, decode::NameLine name_line)
    : options_(options), tokenizers_(tokenizers), output_(output), notes_(notes), name_line_(std::move(name_line)) {
  if (!options.translate.attention.empty()) attention_.emplace(options.translate.attention);
}

void TranslationPrinter::operator()(const decode::TranslatedLine& part) {
  if (!long_line_ && !part.continues) return print_line(part);
  if (!long_line_) long_line_.emplace().number = part.number;
  can_print_parts() ? print_part(part) : keep_part(part);
  if (!part.continues) long_line_.reset();
}

void TranslationPrinter::note_unseen() const {
  if (lines_with_unseen_ == 0) return;
  notes_.say(join("translate: ", text::never_saw(unseen_), ", so it can only guess in ",
                  counted(lines_with_unseen_, "line"), "; --flags marks ", lines_with_unseen_ == 1 ? "it." : "them."));
}

void TranslationPrinter::finish() {
  if (attention_) attention_->finish();
}

void TranslationPrinter::print_line(const decode::TranslatedLine& line) {
  warn(line);
  output_.write(options_.search.n_best > 1 ? list(line) : before_text(line) + line.text + after_text(line));
  output_.flush();
  if (attention_) attention_->write(decode::trace_json(line, tokenizers_, options_.search) + "\n");
  notes_.show(line.number);
}

void TranslationPrinter::require_all() const {
  if (failed_ == 0) return;
  const std::string first = name_line_(first_failed_);
  const std::string lines =
      failed_ == 1 ? first + " has no translation" : join(failed_, " lines have no translation, the first is ", first);
  throw Error(join(lines, "; ", decode::kNotFinite));
}

// Whether the parts of a long line can be printed as they come. They cannot if something must be printed first that is
// known only at the end of the line, such as its score.
bool TranslationPrinter::can_print_parts() const {
  return options_.search.n_best == 1 && !options_.translate.scores && !attention_;
}

void TranslationPrinter::print_part(const decode::TranslatedLine& part) {
  decode::TranslatedLine& line = *long_line_;
  output_.write(decode::separator_before(line, part));
  output_.write(part.text);
  decode::add_part(line, part);
  line.text.resize(std::min<std::size_t>(line.text.size(), 1));  // separator_before() only asks if it is empty
  if (part.continues) {
    note_progress();
  } else {
    warn(line);
    output_.write(after_text(line));
    notes_.show(line.number);
  }
  output_.flush();
}

void TranslationPrinter::keep_part(const decode::TranslatedLine& part) {
  decode::add_part(*long_line_, part);
  require<UsageError>(long_line_->text.size() <= kMaxKept, name_line_(part.number), " has a translation of more than ",
                      kMaxKept >> 20,
                      " MiB, too much to keep for --scores, --n-best or --attention; split the line, or leave them "
                      "out.");
  part.continues ? note_progress() : print_line(*long_line_);
}

// Prints at most one note in ten seconds.
void TranslationPrinter::note_progress() {
  constexpr std::chrono::seconds kBetween(10);
  const auto now = std::chrono::steady_clock::now();
  if (now < last_note_ + kBetween) return;
  last_note_ = now;
  notes_.say(fmt::format("translate: {} is long; {} pieces of it have been translated so far.",
                         name_line_(long_line_->number), long_line_->pieces));
}

void TranslationPrinter::warn(const decode::TranslatedLine& line) {
  if (line.failed && ++failed_ == 1) first_failed_ = line.number;
  if (!line.unseen.empty()) ++lines_with_unseen_;
  text::add_unseen(unseen_, line.unseen);
  if (!line.finished) {
    notes_.say(fmt::format("translate: the translation of {} ran into the length limit.", name_line_(line.number)));
  }
  if (line.pieces > 1) {
    notes_.say(
        fmt::format("translate: {} is long; it was translated in {} pieces.", name_line_(line.number), line.pieces));
  }
}

std::string TranslationPrinter::before_text(const decode::TranslatedLine& line) const {
  return options_.translate.scores ? fmt::format("{:.4f}\t", line.score) : "";
}

std::string TranslationPrinter::after_text(const decode::TranslatedLine& line) const {
  std::string text;
  if (options_.translate.alignment) text += "\t" + alignment_of(line, tokenizers_);
  if (options_.translate.flags) text += "\t" + flags_of(line);
  return text + "\n";
}

std::string TranslationPrinter::list(const decode::TranslatedLine& line) const {
  std::string text;
  const auto add = [&](std::size_t rank, const std::string& translation, double log_probability, double score) {
    text += options_.list == ListFormat::kRanked
                ? fmt::format("{:2}  {:.4f}  {}\n", rank, score, translation)
                : fmt::format("{} ||| {} ||| logp={:.4f} ||| {}:{}={:.4f}\n", line.number - 1, translation,
                              log_probability, to_string(options_.search.length_norm), options_.search.alpha, score);
  };
  for (std::size_t i = 0; i < line.hypotheses.size(); ++i) {
    const decode::Hypothesis& hypothesis = line.hypotheses[i];
    add(i + 1, tokenizers_.target.decode(hypothesis.tokens), hypothesis.log_probability, hypothesis.score);
  }
  if (line.hypotheses.empty()) add(1, line.text, line.log_probability, line.score);
  return text;
}

}  // namespace dragoman::cli
