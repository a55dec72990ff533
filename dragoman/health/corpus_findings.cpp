#include "dragoman/health/corpus_findings.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/health/text_findings.h"

namespace dragoman::health {
namespace {

constexpr double kManyRepeats = 0.05, kMuchLeakage = 0.01;

Finding repeats_finding(const RepeatCounts& counts, const std::vector<Example>& examples) {
  const std::int64_t repeated = counts.repeated_pairs();
  Finding finding{
      .check = "duplicates",
      .text = "pairs of the training text that repeat an earlier pair: " + share_text(repeated, counts.pairs),
      .count = repeated,
      .of = counts.pairs,
      .examples = examples};
  if (repeated > 0) finding.text += join("; one pair occurs ", with_thousands(counts.most_copies), " times");
  if (is_at_least(repeated, counts.pairs, kManyRepeats)) {
    finding.level = Level::kWarning;
    finding.advice =
        "the model learns repeated pairs by heart, and an epoch takes longer; keep one of each unless you want them to "
        "count more.";
  }
  return finding;
}

Finding distinct_finding(const RepeatCounts& counts) {
  return {.check = "distinct",
          .text = join("different sentences: ", share_text(counts.distinct_sources, counts.pairs), " in the source, ",
                       share_text(counts.distinct_targets, counts.pairs), " in the target")};
}

// `held_out` and `other` name the two texts, as in "test" and "training".
Finding leak_finding(const Leak& leak, const std::string& held_out, const std::string& other) {
  const LeakCounts& counts = leak.counts;
  Finding finding{.check = "leakage-" + held_out + "-" + other,
                  .text = join("pairs of the ", held_out, " text with a sentence that is in the ", other,
                               " text: ", share_text(counts.any, counts.pairs)),
                  .count = counts.any,
                  .of = counts.pairs,
                  .examples = leak.examples};
  if (counts.any == 0) return finding;
  finding.text +=
      fmt::format("; equal on the source side: {}, on the target side: {}, on both: {}", with_thousands(counts.sources),
                  with_thousands(counts.targets), with_thousands(counts.both));
  if (counts.any > counts.exact) {
    finding.text +=
        fmt::format("; equal only without case, punctuation and spaces: {}", with_thousands(counts.any - counts.exact));
  }
  finding.level = is_at_least(counts.any, counts.pairs, kMuchLeakage) ? Level::kError : Level::kWarning;
  finding.advice = join("scores on sentences that the model has seen are too good; remove these sentences from the ",
                        other, " text.");
  return finding;
}

std::vector<Fact> repeat_facts(const CorpusReport& report) {
  const RepeatCounts& counts = report.repeats;
  std::vector<Fact> facts{{"pairs", counts.pairs},
                          {"distinct_pairs", counts.distinct_pairs},
                          {"distinct_sources", counts.distinct_sources},
                          {"distinct_targets", counts.distinct_targets},
                          {"most_copies", counts.most_copies}};
  const auto add = [&](const std::string& name, const std::optional<Leak>& leak) {
    if (!leak) return;
    facts.push_back({name, leak->counts.any});
    facts.push_back({name + "_exact", leak->counts.exact});
    facts.push_back({name + "_sources", leak->counts.sources});
    facts.push_back({name + "_targets", leak->counts.targets});
    facts.push_back({name + "_pairs", leak->counts.both});
    facts.push_back({name + "_sources_folded", leak->counts.folded_sources});
    facts.push_back({name + "_targets_folded", leak->counts.folded_targets});
  };
  add("validation_in_training", report.validation_in_training);
  add("test_in_training", report.test_in_training);
  add("validation_in_test", report.validation_in_test);
  return facts;
}

Section repeat_section(const CorpusReport& report) {
  Section section{.name = "repeats", .title = "Sentences that occur more than once", .facts = repeat_facts(report)};
  if (report.repeats.pairs > 0) {
    section.findings.push_back(repeats_finding(report.repeats, report.repeat_examples));
    section.findings.push_back(distinct_finding(report.repeats));
  }
  const auto add = [&](const std::optional<Leak>& leak, const std::string& held_out, const std::string& other) {
    if (!leak || leak->counts.pairs == 0) return;
    const std::int64_t others = other == "training" ? report.repeats.pairs : report.test->usable;
    if (others > 0) section.findings.push_back(leak_finding(*leak, held_out, other));
  };
  add(report.test_in_training, "test", "training");
  add(report.validation_in_training, "validation", "training");
  add(report.validation_in_test, "validation", "test");
  return section;
}

}  // namespace

std::vector<Section> corpus_sections(const CorpusReport& report, const LanguageTags& tags) {
  std::vector<Section> sections;
  for (const TextReport& text : report.training) sections.push_back(text_section("training", text, tags));
  if (report.validation) sections.push_back(text_section("validation", *report.validation, tags));
  if (report.test) sections.push_back(text_section("test", *report.test, tags));
  Section repeats = repeat_section(report);
  if (!repeats.findings.empty()) sections.push_back(std::move(repeats));
  return sections;
}

}  // namespace dragoman::health
