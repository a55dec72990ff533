#include "dragoman/train/report/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/html.h"

namespace dragoman::train {
namespace {

// Together these limits keep each section below about 600 KB.
constexpr std::size_t kMaxSentences = 12, kMaxVersions = 20, kMaxCodePoints = 600;

struct Version {
  std::int64_t step;
  std::string translation;
};

struct History {
  std::string source, reference;
  std::vector<Version> versions;  // only those that differ from the one before
};

std::vector<History> histories(const std::vector<Validation>& validations) {
  std::vector<History> all;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const Validation& validation : validations) {
    for (const Sample& sample : validation.samples) {
      const auto [at, is_new] = place.try_emplace({sample.source, sample.reference}, all.size());
      if (is_new) all.push_back({sample.source, sample.reference, {}});
      std::vector<Version>& versions = all[at->second].versions;
      const bool changed = versions.empty() || versions.back().translation != sample.translation;
      if (changed) versions.push_back({validation.step, sample.translation});
    }
  }
  return all;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The translation, with the words marked that also occur in the reference; each at most as often as it occurs there.
std::string marked(const std::string& translation, const std::string& reference) {
  const std::vector<std::string_view> wanted = words_of(reference);
  std::multiset<std::string_view> missing(wanted.begin(), wanted.end());
  std::string html;
  for (const std::string_view word : words_of(translation)) {
    const auto found = missing.find(word);
    if (!html.empty()) html += ' ';
    html += found == missing.end() ? escaped(word) : "<mark>" + escaped(word) + "</mark>";
    if (found != missing.end()) missing.erase(found);
  }
  return html;
}

// At most kMaxVersions: the first, the last, and others evenly spread between them.
std::vector<Version> thinned(const std::vector<Version>& versions) {
  if (versions.size() <= kMaxVersions) return versions;
  std::vector<Version> kept;
  for (std::size_t i = 0; i < kMaxVersions; ++i) {
    kept.push_back(versions[i * (versions.size() - 1) / (kMaxVersions - 1)]);
  }
  return kept;
}

std::string row(std::string_view kind, const std::string& name, const std::string& text) {
  return fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th><td dir=\"auto\">{}</td></tr>\n", kind, name, text);
}

std::string table(const History& history) {
  const std::string reference = shortened(history.reference, kMaxCodePoints);
  std::string html = "<table class=\"sample\">\n";
  html += row("source", "Source", escaped(shortened(history.source, kMaxCodePoints)));
  html += row("reference", "Reference", escaped(reference));
  for (const Version& version : thinned(history.versions)) {
    html += row("version", "step " + with_thousands(version.step),
                marked(shortened(version.translation, kMaxCodePoints), reference));
  }
  if (history.versions.size() > kMaxVersions) {
    html += row("more", "", fmt::format("{} of {} changes are shown.", kMaxVersions, history.versions.size()));
  }
  return html + "</table>\n";
}

// A sentence and the last translations of it: of each run its number and what it wrote.
struct Versus {
  std::string source, reference;
  std::vector<std::pair<std::size_t, Version>> last;
};

std::vector<Versus> last_translations(const std::vector<NamedValidations>& runs) {
  std::vector<Versus> all;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const History& history : histories(*runs[run].validations)) {
      auto found = std::ranges::find_if(all, [&](const Versus& other) {
        return other.source == history.source && other.reference == history.reference;
      });
      if (found == all.end()) found = all.insert(all.end(), {history.source, history.reference, {}});
      found->last.emplace_back(run, history.versions.back());
    }
  }
  std::erase_if(all, [](const Versus& versus) { return versus.last.size() < 2; });
  return all;
}

std::string table(const Versus& versus, const std::vector<NamedValidations>& runs) {
  const std::string reference = shortened(versus.reference, kMaxCodePoints);
  std::string html = "<table class=\"sample\">\n";
  html += row("source", "Source", escaped(shortened(versus.source, kMaxCodePoints)));
  html += row("reference", "Reference", escaped(reference));
  for (const auto& [run, version] : versus.last) {
    const std::string name = fmt::format("<span class=\"r{} run\">{}</span>", run, escaped(runs[run].run));
    html += row("version", name, marked(shortened(version.translation, kMaxCodePoints), reference));
  }
  return html + "</table>\n";
}

}  // namespace

std::string sample_comparison(const std::vector<NamedValidations>& runs) {
  const std::vector<Versus> all = last_translations(runs);
  if (all.empty()) return "";
  std::string html =
      "<section class=\"samples\">\n<h2>Translations</h2>\n"
      "<p>The last translation of each run; words of the reference are marked.</p>\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMaxSentences); ++i) html += table(all[i], runs);
  if (all.size() > kMaxSentences) {
    html += fmt::format("<p>{} of {} sentences are shown.</p>\n", kMaxSentences, all.size());
  }
  return html + "</section>\n";
}

std::string sample_section(const std::vector<Validation>& validations) {
  const std::vector<History> all = histories(validations);
  if (all.empty()) return "";
  std::string html =
      "<section class=\"samples\">\n<h2>Translations over time</h2>\n"
      "<p>A line for every validation that changed the translation; words of the reference are marked.</p>\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMaxSentences); ++i) html += table(all[i]);
  if (all.size() > kMaxSentences) {
    html += fmt::format("<p>{} of {} sentences are shown.</p>\n", kMaxSentences, all.size());
  }
  return html + "</section>\n";
}

}  // namespace dragoman::train
