#include "dragoman/health/text_findings.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::health {
namespace {

// From which share of the lines on a finding is a warning, and from which on an error. kAny: from one line on.
constexpr double kAny = 0, kNever = 2;

struct Rule {
  std::string_view check;
  double warning, error;
  std::string_view what;  // after "pairs", "source lines" or "target lines"
  std::string_view advice;
};

// By Damage.
constexpr Rule kDamageRules[] = {
    {"utf8", kNever, kAny, "that are not UTF-8",
     "training refuses them; if the text is in another encoding, convert it, as in 'iconv -f WINDOWS-1252 -t UTF-8 "
     "FILE "
     "> NEW', or else remove the lines from both files."},
    {"mojibake", kAny, kNever, "that were read in a wrong encoding and written again, as in \"fÃ¼r\" for \"für\"",
     "get the text again from its source, or undo it with 'iconv -f UTF-8 -t WINDOWS-1252 FILE > NEW' if all lines are "
     "like this."},
    {"replacement-characters", kAny, kNever, "with U+FFFD, which stands for a character that was lost",
     "get the text again from its source, or remove these lines from both files."},
    {"control-characters", kAny, kNever, "with control characters or line separators",
     "remove the characters; other programs may take some of them for line ends, and the two files then no longer "
     "match."},
    {"byte-order-marks", kAny, kNever, "with a byte-order mark (U+FEFF) inside",
     "remove it; it comes from joining files that begin with one."},
    {"entities", 0.001, kNever, "with HTML entities such as &amp;",
     "replace them by their characters, or the model will write entities too."},
};
static_assert(std::size(kDamageRules) == kDamages);

constexpr Rule kEmpty{"empty", 0.01, kNever, "with an empty side", "training leaves them out; nothing has to be done."};
constexpr Rule kEqual{"equal-sides", 0.01, 0.5, "whose source and target are equal",
                      "these sentences are not translated: the model learns to copy; remove them."};
constexpr Rule kOddLength{"lengths", 0.01, kNever, "with a side more than 5 times as long as the other suggests",
                          "look at these lines: they often do not belong together. If they are one line apart, a line "
                          "is missing in one file."};
constexpr Rule kLongLines{"long-lines", 0.01, kNever, "of more than 1,000 characters",
                          "text should have one sentence on each line; training leaves out pairs of more than "
                          "--max-length tokens."};
constexpr Rule kForeign{"wrong-language", 0.01, 0.5, "that seem to be in another language",
                        "look at these lines, and remove what is not translated or in a wrong language."};
constexpr Rule kTabs{"tabs", kNever, kAny, "without exactly one tab",
                     "training refuses them; each line must be a source sentence, one tab and a target sentence."};

Level level_of(const Rule& rule, std::int64_t count, std::int64_t of) {
  if (is_at_least(count, of, rule.error)) return Level::kError;
  return is_at_least(count, of, rule.warning) ? Level::kWarning : Level::kGood;
}

// `whose` is "pairs", "source lines" or "target lines".
Finding finding_of(const Rule& rule, const LineCount& lines, std::int64_t of, const std::string& whose) {
  const Level level = level_of(rule, lines.lines, of);
  return {.check = std::string(rule.check),
          .level = level,
          .text = join(whose, " ", rule.what, ": ", share_text(lines.lines, of)),
          .advice = level == Level::kGood ? "" : std::string(rule.advice),
          .count = lines.lines,
          .of = of,
          .examples = lines.examples};
}

// The numbers of a side in words: "62.1 characters on average, 203 at most (line 17)".
std::string lengths_text(const SideReport& side) {
  const double mean = side.lines == 0 ? 0 : static_cast<double>(side.characters) / static_cast<double>(side.lines);
  return fmt::format("{:.1f} characters on average, {} at most (line {})", mean, with_thousands(side.longest),
                     with_thousands(side.longest_line));
}

void add_size(const TextReport& text, Section& section) {
  if (!text.problem.empty()) {
    section.findings.push_back({.check = "readable", .level = Level::kError, .text = text.problem});
    if (text.source.lines == 0 && text.target.lines == 0) return;
  }
  const bool is_comparable = !text.files.target.empty() && !text.source.utf16 && !text.target.utf16;
  if (is_comparable && text.problem.empty() && text.source.lines != text.target.lines) {
    section.findings.push_back(
        {.check = "line-counts",
         .level = Level::kError,
         .text = join("'", text.source.file, "' has ", with_thousands(text.source.lines), " lines, but '",
                      text.target.file, "' has ", with_thousands(text.target.lines)),
         .advice = "line n of one file must be the translation of line n of the other; find the first place where they "
                   "do not match."});
  }
  if (text.pairs > 0) {
    section.findings.push_back({.check = "size",
                                .text = join(counted(text.pairs, "pair").text(), "; source: ",
                                             lengths_text(text.source), "; target: ", lengths_text(text.target))});
  }
  if (text.usable > 0) return;
  section.findings.push_back({.check = "no-pairs",
                              .level = Level::kError,
                              .text = text.pairs > 0 ? "no pair has text on both sides" : "there are no pairs",
                              .advice = "check that the files are the right ones."});
}

void add_pairs(const TextReport& text, Section& section) {
  const auto add = [&](const Rule& rule, const LineCount& lines, std::int64_t of) {
    if (lines.lines > 0) section.findings.push_back(finding_of(rule, lines, of, "pairs"));
  };
  if (text.wrong_tabs.lines > 0) {
    section.findings.push_back(finding_of(kTabs, text.wrong_tabs, text.source.lines, "lines"));
  }
  add(kEmpty, text.empty, text.pairs);
  add(kEqual, text.equal, text.usable);
  add(kOddLength, text.odd_length, text.usable);
  constexpr double kLowCorrelation = 0.3;
  const std::optional<double> correlation = text.lengths.correlation();
  if (correlation && *correlation < kLowCorrelation) {
    section.findings.push_back(
        {.check = "alignment",
         .level = Level::kWarning,
         .text =
             fmt::format("the lengths of source and target sentences hardly agree: their correlation is {:.2f}, and "
                         "for translations it is usually above 0.7",
                         *correlation),
         .advice = "check that line n of one file is the translation of line n of the other, at the beginning, in the "
                   "middle and at the end."});
  }
}

// `name` is "source" or "target".
void add_side(const std::string& name, const SideReport& side, Section& section) {
  const std::string lines_of_side = name + " lines";
  if (side.utf16) {
    section.findings.push_back({.check = "utf16",
                                .level = Level::kError,
                                .text = join("the ", name, " ('", side.file, "') seems to be UTF-16"),
                                .advice = "convert it with 'iconv -f UTF-16 -t UTF-8 FILE > NEW'."});
    return;
  }
  for (std::size_t kind = 0; kind < kDamages; ++kind) {
    const LineCount& lines = side.damage[kind];
    if (lines.lines > 0) section.findings.push_back(finding_of(kDamageRules[kind], lines, side.lines, lines_of_side));
  }
  for (const auto& [rule, lines] : {std::pair(kLongLines, side.long_lines), std::pair(kForeign, side.foreign)}) {
    if (lines.lines > 0) section.findings.push_back(finding_of(rule, lines, side.lines, lines_of_side));
  }
  if (side.byte_order_mark || side.crlf_lines > 0) {
    section.findings.push_back(
        {.check = "line-ends",
         .text =
             join("the ", name, " ", side.byte_order_mark ? "begins with a byte-order mark" : "",
                  side.byte_order_mark && side.crlf_lines > 0 ? " and " : "",
                  side.crlf_lines > 0 ? "has lines that end in CR LF: " + share_text(side.crlf_lines, side.lines) : "",
                  "; training ignores this")});
  }
}

void add_languages(const TextReport& text, const LanguageTags& tags, Section& section) {
  const auto add = [&](const std::string& name, Side side, const std::string& tag) {
    std::optional<Finding> finding = language_finding(text.survey.of(side), tag, name);
    if (finding) section.findings.push_back(std::move(*finding));
  };
  if (!text.source.utf16) add("source", Side::kSource, tags.source);
  if (!text.target.utf16) add("target", Side::kTarget, tags.target);
  const auto source = text.survey.source.words.guess(), target = text.survey.target.words.guess();
  // Two equal tags mean that this is wanted, and two different ones that one of the findings above is an error.
  if (!tags.source.empty() || !tags.target.empty() || !source || !target || source->language != target->language)
    return;
  section.findings.push_back({.check = "same-language",
                              .level = Level::kWarning,
                              .text = "both sides seem to be in the same language",
                              .advice = "check that the files are the right ones."});
}

std::vector<Fact> facts_of(const TextReport& text) {
  std::vector<Fact> facts{{"source", text.source.file},
                          {"target", text.target.file},
                          {"pairs", text.pairs},
                          {"usable_pairs", text.usable},
                          {"length_ratio", text.survey.length_ratio()}};
  const std::optional<double> correlation = text.lengths.correlation();
  facts.push_back({"length_correlation", correlation ? Fact::Value(*correlation) : Fact::Value()});
  const auto add_guess = [&](const char* name, Side side) {
    const auto guess = text.survey.of(side).words.guess();
    facts.push_back({name, guess ? Fact::Value(guess->language) : Fact::Value()});
  };
  add_guess("source_seems", Side::kSource);
  add_guess("target_seems", Side::kTarget);
  for (const auto& [name, side] : {std::pair("source_", text.source), std::pair("target_", text.target)}) {
    facts.push_back({join(name, "lines"), side.lines});
    facts.push_back({join(name, "empty_lines"), side.empty});
    facts.push_back({join(name, "characters"), side.characters});
    facts.push_back({join(name, "longest"), side.longest});
    facts.push_back({join(name, "crlf_lines"), side.crlf_lines});
    facts.push_back({join(name, "byte_order_mark"), side.byte_order_mark});
  }
  return facts;
}

}  // namespace

std::string share_text(std::int64_t count, std::int64_t of) {
  const std::string numbers = with_thousands(count) + " of " + with_thousands(of);
  if (count == 0 || of == 0) return numbers;
  const double percent = 100 * static_cast<double>(count) / static_cast<double>(of);
  if (percent < 0.01) return numbers + " (below 0.01 %)";
  if (percent > 99.99 && count < of) return numbers + " (above 99.99 %)";
  return numbers + fmt::format(" ({:.2f} %)", percent);
}

bool is_at_least(std::int64_t count, std::int64_t of, double share) {
  return count > 0 && static_cast<double>(count) >= share * static_cast<double>(of);
}

Section text_section(const std::string& name, const TextReport& text, const LanguageTags& tags) {
  const std::string second = text.files.target.empty() ? "" : " and '" + text.files.target + "'";
  Section section{.name = name,
                  .title = join(name == "training" ? "Training"
                                : name == "test"   ? "Test"
                                                   : "Validation",
                                " text '", text.files.source, "'", second),
                  .facts = facts_of(text)};
  add_size(text, section);
  add_pairs(text, section);
  add_side("source", text.source, section);
  add_side("target", text.target, section);
  add_languages(text, tags, section);
  return section;
}

}  // namespace dragoman::health
