#include "tests/faults/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "dragoman/base/fields_json.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

// Everything that depends on the clock, in one place: JSON fields by file name. A dot leads into an object.
// `stdout.txt` is what a command printed.
struct TimeFields {
  std::string file;
  std::vector<std::string> fields;
};
const std::vector<TimeFields>& time_fields() {
  static const std::vector<TimeFields> kFields = {
      {"metrics.jsonl", {"seconds", "tokens_per_second", "nominal_flops", "time"}},
      {"state.json", {"seconds", "nominal_flops", "window.seconds"}},
      {"checksums.json", {"state.json"}},  // the checksum of a file that contains a time
      {"stdout.txt", {"translation.seconds", "translation.sentences_per_second", "translation.tokens_per_second"}},
  };
  return kFields;
}
// Stores when the text files last changed, so that they are not read again.
constexpr const char* kOnlyTimes = "corpus/contents";
// Its tables and curves contain the times of metrics.jsonl.
constexpr const char *kReport = "report.html", *kReportEnd = "</html>\n";
constexpr const char* kTable = "metrics.csv";
// The names of event files contain the time at which a session began, and each event has a time.
constexpr const char *kEvents = "events.out.tfevents.", *kTimelessEvents = "events";

void erase(Json& object, const std::string& field) {
  if (!object.is_object()) return;
  if (object.erase(field) > 0) return;
  const std::size_t dot = field.find('.');
  if (dot == std::string::npos || !object.contains(field.substr(0, dot))) return;
  erase(object[field.substr(0, dot)], field.substr(dot + 1));
}

// Text that is not JSON, such as half a line, is returned unchanged.
std::string without(std::string text, const std::vector<std::string>& fields) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return text;
  for (const std::string& field : fields) erase(json, field);
  return json.dump() + "\n";
}

// How many events the file has. An event is preceded by its length and a checksum, and followed by a checksum.
std::string events_text(const std::string& contents) {
  constexpr std::size_t kAround = 8 + 4 + 4;
  std::size_t events = 0, at = 0;
  for (std::uint64_t length = 0; at + kAround <= contents.size(); at += kAround + length, ++events) {
    std::memcpy(&length, &contents[at], sizeof length);
    if (length > contents.size()) break;
  }
  return "(" + std::to_string(events) + (at == contents.size() ? " events)" : " events and a part)");
}

std::string without_times(const std::string& name, const std::string& contents) {
  if (name == kReport) return contents.ends_with(kReportEnd) ? "(a whole report)" : "(half a report)";
  if (name == kTable) return "(" + std::to_string(std::ranges::count(contents, '\n')) + " lines)";
  if (name.starts_with(kEvents)) return events_text(contents);
  for (const TimeFields& times : time_fields()) {
    if (name != times.file) continue;
    if (!name.ends_with(".jsonl")) return without(contents, times.fields);
    std::string text;
    std::istringstream lines(contents);
    for (std::string line; std::getline(lines, line);) text += without(line, times.fields);
    return text;
  }
  return contents;
}

std::string contents_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

Snapshot snapshot_of(const fs::path& directory) {
  Snapshot snapshot;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    std::string name = fs::relative(entry.path(), directory).string();
    if (name.ends_with(kOnlyTimes)) continue;
    if (const std::size_t events = name.find(kEvents); events != std::string::npos) {
      name.replace(events, std::string::npos, kTimelessEvents);
    }
    snapshot[name] = entry.is_directory() ? "(directory)"
                                          : without_times(entry.path().filename().string(), contents_of(entry.path()));
  }
  return snapshot;
}

std::string difference(const Snapshot& found, const Snapshot& expected) {
  std::string text;
  const auto add = [&](const std::string& name, const char* how) { text += (text.empty() ? "" : ", ") + name + how; };
  for (const auto& [name, contents] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) {
      add(name, " is missing");
    } else if (at->second != contents) {
      add(name, " differs");
    }
  }
  for (const auto& [name, contents] : found) {
    if (!expected.contains(name)) add(name, " should not be there");
  }
  return text.empty() ? "same" : text;
}

}  // namespace dragoman::faults
