#include "dragoman/cli/show/health_report.h"

#include <fmt/format.h>

#include <variant>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"

namespace dragoman::cli {
namespace {

using health::Example;
using health::Fact;
using health::Finding;
using health::Level;
using health::Section;

std::int64_t total(std::span<const Section> sections, Level level) {
  std::int64_t count = 0;
  for (const Section& section : sections) count += section.count(level);
  return count;
}

std::string_view mark(Level level) {
  return level == Level::kError ? "ERROR" : level == Level::kWarning ? "WARNING" : "ok";
}

std::string example_text(const Example& example) {
  return join("line ", with_thousands(example.line), " of '", example.file, "': ", example.text,
              example.note.empty() ? "" : " " + example.note);
}

// Names of files may hold any bytes, but JSON must be UTF-8.
Json json_of(std::monostate) { return nullptr; }
Json json_of(bool value) { return value; }
Json json_of(std::int64_t value) { return value; }
Json json_of(double value) { return value; }
Json json_of(const std::string& value) { return printable(value); }
Json json_of(const std::vector<std::string>& values) {
  Json list = Json::array();
  for (const std::string& value : values) list.push_back(printable(value));
  return list;
}

Json finding_json(const Finding& finding) {
  Json object{{"check", finding.check}, {"level", to_string(finding.level)}, {"text", printable(finding.text)}};
  if (!finding.advice.empty()) object["advice"] = printable(finding.advice);
  if (finding.count) object["count"] = *finding.count;
  if (finding.of) object["of"] = *finding.of;
  if (!finding.examples.empty()) object["examples"] = Json::array();
  for (const Example& example : finding.examples) {
    object["examples"].push_back({{"file", printable(example.file)}, {"line", example.line}, {"text", example.text}});
    if (!example.note.empty()) object["examples"].back()["note"] = printable(example.note);
  }
  return object;
}

Json section_json(const Section& section) {
  Json facts = Json::object(), findings = Json::array();
  for (const Fact& fact : section.facts) {
    facts[fact.name] = std::visit([](const auto& value) { return json_of(value); }, fact.value);
  }
  for (const Finding& finding : section.findings) findings.push_back(finding_json(finding));
  return {{"name", section.name}, {"title", printable(section.title)}, {"facts", facts}, {"findings", findings}};
}

}  // namespace

std::string section_text(const Section& section) {
  std::string text = printable(section.title) + "\n";
  const auto add_below = [&](const std::string& line) { text += fmt::format("{:11}{}\n", "", printable(line)); };
  for (const Finding& finding : section.findings) {
    text += fmt::format("  {:<8} {}\n", mark(finding.level), printable(finding.text));
    if (finding.level == Level::kGood) continue;
    for (const Example& example : finding.examples) add_below(example_text(example));
    if (!finding.advice.empty()) add_below("-> " + finding.advice);
  }
  return text + "\n";
}

std::string summary_text(std::span<const Section> sections) {
  const std::int64_t errors = total(sections, Level::kError), warnings = total(sections, Level::kWarning);
  return fmt::format("{} error{}, {} warning{}", errors == 0 ? "no" : std::to_string(errors), errors == 1 ? "" : "s",
                     warnings == 0 ? "no" : std::to_string(warnings), warnings == 1 ? "" : "s");
}

Json health_json(std::span<const Section> sections) {
  Json object{{"errors", total(sections, Level::kError)}, {"warnings", total(sections, Level::kWarning)}};
  object["sections"] = Json::array();
  for (const Section& section : sections) object["sections"].push_back(section_json(section));
  return object;
}

}  // namespace dragoman::cli
