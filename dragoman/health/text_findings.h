// Turns the counts of one parallel text into findings.
#pragma once

#include <cstdint>
#include <string>

#include "dragoman/health/finding.h"
#include "dragoman/health/text_report.h"

namespace dragoman::health {

// The tags of the languages that a text should be in; empty if unknown.
struct LanguageTags {
  std::string source, target;
};

// "17 of 29,000 (0.06 %)"
std::string share_text(std::int64_t count, std::int64_t of);
// Whether count / of >= share, for a count above 0.
bool is_at_least(std::int64_t count, std::int64_t of, double share);

// `name` is "training", "validation" or "test".
Section text_section(const std::string& name, const TextReport& text, const LanguageTags& tags);

}  // namespace dragoman::health
